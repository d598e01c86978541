"""The page of device-lab on pretended phones, and in the whole of Sightscreen as `deploy/up` runs it."""

import json
import os
import pathlib
import subprocess
import sys

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
