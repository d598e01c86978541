"""The search for canaries: it must find what was written, whole or in part, as it was or encoded."""

import base64
import unittest

from traces import LEAST, Traces

TOKEN = "80a1c3f4" + "5d7e9b20" * 7
EMAIL = "6a1c0f9e@4b8d2e7f.example"


class TracesOfCanaries(unittest.TestCase):
    def setUp(self):
        self.traces = Traces({"push token": TOKEN, "email": EMAIL})

    def found(self, text):
        return {name for name, _ in self.traces.within(text)}

    def test_whole_ones_are_found(self):
        self.assertEqual(self.found(f"level=info token={TOKEN} done"), {"push token"})
        self.assertEqual(self.found(f'{{"email":"{EMAIL}","token":"{TOKEN}"}}'), {"push token", "email"})

    def test_other_letters_make_no_difference(self):
        self.assertEqual(self.found(TOKEN.upper()), {"push token"})

    def test_a_part_is_found_and_the_six_digits_that_a_log_may_show_are_not(self):
        self.assertEqual(self.found(f"token={TOKEN[:LEAST]}…"), {"push token"})
        self.assertEqual(self.found(f"token={TOKEN[-LEAST:]}"), {"push token"})
        self.assertEqual(self.found(f"token={TOKEN[:6]}…"), set())

    def test_encoded_ones_are_found(self):
        for shift in range(3):
            text = base64.b64encode(b"x" * shift + TOKEN.encode() + b"yz").decode()
            self.assertEqual(self.found(text), {"push token"}, shift)
        self.assertEqual(self.found(EMAIL.replace("@", "%40")), {"email"})
        self.assertEqual(self.found(base64.b64encode(bytes.fromhex(TOKEN)).decode()), {"push token"})

    def test_nothing_else_is(self):
        self.assertEqual(self.found("level=info message=Listening address=127.0.0.1:8080 example.com"), set())


if __name__ == "__main__":
    unittest.main()
