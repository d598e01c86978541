"""The search for canaries: it must find what was written, whole or in part, as it was or encoded."""

import unittest
from base64 import b64encode

from traces import LEAST, Traces

TOKEN = "80a1c3f4" + "5d7e9b20" * 7
EMAIL = "6a1c0f9e@4b8d2e7f.example"

# What is written, and which canaries are in it.
CASES = [
    (f'{{"email":"{EMAIL}","token":"{TOKEN}"}}', {"push token", "email"}),
    (TOKEN.upper(), {"push token"}),
    (f"token={TOKEN[:LEAST]}…", {"push token"}),
    (f"token={TOKEN[-LEAST:]}", {"push token"}),
    (EMAIL.replace("@", "%40"), {"email"}),
    (b64encode(bytes.fromhex(TOKEN)).decode(), {"push token"}),
    *((b64encode(b"x" * shift + TOKEN.encode() + b"yz").decode(), {"push token"}) for shift in range(3)),
    # The six digits that a log may show.
    (f"token={TOKEN[:6]}…", set()),
    ("level=info message=Listening address=127.0.0.1:8080 example.com", set()),
]


class TracesOfCanaries(unittest.TestCase):
    def test_what_was_written_is_found_and_nothing_else(self):
        traces = Traces({"push token": TOKEN, "email": EMAIL})
        for text, names in CASES:
            self.assertEqual({name for name, _ in traces.within(text)}, names, text)


if __name__ == "__main__":
    unittest.main()
