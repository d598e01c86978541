"""The page of device-lab on pretended phones, and in the whole of Sightscreen as `deploy/up` runs it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import unittest

from browser import Browser

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TESTS / "Harness"))
from harness import TAPES, Suite  # noqa: E402

BINARIES = pathlib.Path(os.environ.get("SIGHTSCREEN_BINARIES", TESTS.parent / ".build/debug"))


class PretendedPhones:
    """`page-harness`: the page and its server, and nothing behind them."""

    def __init__(self, *options, phones=24, port=0):
        program = BINARIES / "page-harness"
        if not program.exists():
            raise FileNotFoundError(f"{program}: swift build --product page-harness makes it")
        arguments = ["--phones", str(phones), "--port", str(port), "--tapes", str(TAPES)]
        if page := os.environ.get("PAGE_FOLDER"):
            arguments += ["--page", page]
        self.process = subprocess.Popen([program, *arguments, *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"page-harness ended with {self.process.wait()}")
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rstrip("/").rsplit(":", 1)[1])

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class WholeSuite(Suite):
    PREFIX = "ss-page-"

    def __init__(self, speed, phones, settings=None):
        super().__init__(BINARIES, None, settings, restarts=True, speed=speed,
                         options=["--page-port", "0", "--phones", str(phones)], is_headless=False)
        # Push tokens are encrypted, as `deploy/up` has them.
        del self.description["settings"]["TOKEN_KEY_FILE"]

    @property
    def url(self):
        return self.endpoints["lab"] + "/"


class SuiteTestCase(unittest.TestCase):
    """Tests of the page with a whole suite behind it."""

    @classmethod
    def start(cls, **options):
        cls.chromium = Browser()
        cls.addClassCleanup(cls.chromium.close)
        cls.suite = WholeSuite(**options).__enter__()
        cls.addClassCleanup(cls.end)

    @classmethod
    def end(cls):
        # As Ctrl-C does.
        cls.suite.up.send_signal(signal.SIGINT)
        cls.suite.__exit__()
        # Anything else: a process that would not end, or was left behind.
        if cls.suite.status != 0:
            raise AssertionError(f"the suite ended with {cls.suite.status}")

    def open(self, path, **size):
        page = self.chromium.page(**size)
        self.addCleanup(page.close)
        page.open(self.suite.url + path)
        return page
