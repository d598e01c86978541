"""All of Sightscreen with its stand-ins, as `deploy/up` runs it, and its page."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from stand import BINARIES, TOP


class Suite:
    def __init__(self, *options, phones=20):
        self.state = tempfile.mkdtemp(prefix="ss-page-", dir="/tmp")
        # PostgreSQL's user must be able to pass through.
        os.chmod(self.state, 0o711)
        self.log = pathlib.Path(self.state, "up.log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [BINARIES / "sightscreen", "up", "--port", "0", "--page-port", "0", "--phones", str(phones), "--tapes",
                 TOP / "Tests/Fixtures/matches", *options],
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "SIGHTSCREEN_STATE_DIR": self.state}, stdout=log, stderr=log)
        endpoints = pathlib.Path(self.state, "endpoints.json")
        end = time.monotonic() + 90
        while not endpoints.exists():
            if self.process.poll() is not None or time.monotonic() > end:
                self.stop()
                raise RuntimeError(f"the suite did not start:\n{self.log.read_text()}")
            time.sleep(0.1)
        self.url = json.loads(endpoints.read_text())["lab"] + "/"

    def stop(self):
        """Ends it in order, and says with which status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            status = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        if status == 0:
            shutil.rmtree(self.state, ignore_errors=True)
        return status
