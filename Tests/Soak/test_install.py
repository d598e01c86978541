"""Whether `deploy/soak install` finds the blocks of the pages, and a shell reads them; what they do is seen by that alone."""

import os
import pathlib
import subprocess
import sys
import unittest

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), str(pathlib.Path(__file__).resolve().parents[1] / "Harness")]
import install_soak  # pylint: disable=wrong-import-position


class BlockTests(unittest.TestCase):
    def test_the_pages_have_their_blocks_in_order_and_a_shell_reads_them(self):
        for name, block in install_soak.blocks().items():
            self.assertEqual(subprocess.run(["bash", "-n"], input=block, text=True, check=False).returncode, 0, name)
