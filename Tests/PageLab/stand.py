"""The page on pretended phones: starts `page-harness`, and ends it."""

import json
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("SIGHTSCREEN_BINARIES", TOP / ".build/debug"))


class Stand:
    def __init__(self, *options, phones=24, port=0):
        program = BINARIES / "page-harness"
        if not program.exists():
            raise FileNotFoundError(f"{program}: swift build --product page-harness makes it")
        arguments = ["--phones", str(phones), "--port", str(port), "--tapes", str(TOP / "Tests/Fixtures/matches")]
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
