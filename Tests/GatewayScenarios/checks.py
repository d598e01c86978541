"""What the checks share: they note each expectation and end with one line of JSON."""

import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Harness"))
from harness import EndedTooSoon, HarnessError, say, wait_until  # noqa: E402


class Check:
    def __init__(self, name):
        self.name = name
        self.failures = []
        self.count = 0

    def expect(self, what, holds, seen=None):
        self.count += 1
        if not holds:
            self.failures.append(what)
            say(f"{self.name}: not so: {what}" + ("" if seen is None else f" ({seen})"))

    def eventually(self, what, condition, within):
        try:
            wait_until(what, condition, within)
            self.expect(what, True)
        except HarnessError as error:
            self.expect(what, False, error)

    def line(self, **figures):
        """Prints the result; returns the exit status."""
        met = not self.failures and self.count > 0
        print(json.dumps({"check": self.name, **figures, "met": met}, separators=(",", ":")), flush=True)
        return 0 if met else 1


def run(main):
    """Ends the script with `main()`'s status; with 1 when a process did not survive, 70 when the harness did not work."""
    try:
        sys.exit(main())
    except EndedTooSoon as error:
        say(error)
        sys.exit(1)
    except HarnessError as error:
        say(f"harness: {error}")
        sys.exit(70)
