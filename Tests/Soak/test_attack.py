"""What judges an attack: that it can find what it is to find."""

import os
import pathlib
import sys
import types
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "Harness"), str(TESTS / "Chaos"), str(TESTS / "Soak")]
import attack_alerts  # noqa: E402
import attack_hosts  # noqa: E402
from attack_possession import texts  # noqa: E402
from attack_suite import LiveMatch  # noqa: E402
from chaos_records import Push  # noqa: E402
from fanout_alerts import Verdict  # noqa: E402

STOPPED = 'sightscreen_apns_stopped{job="la-coordinator",instance="1",environment="production"}'


class PagesTests(unittest.TestCase):
    def pages(self, values):
        pages = attack_alerts.Pages(None, is_wanted=False)
        pages.scrapes = [(5_000 * index, {STOPPED: value}) for index, value in enumerate(values)]
        return pages.fired(5_000 * (len(values) - 1))

    @unittest.skipUnless("PROMTOOL" in os.environ, "promtool is not unpacked")
    def test_a_page_of_the_rules_is_found_and_nothing_else(self):
        self.assertEqual(self.pages([0] * 6 + [2] * 15), ["SightscreenAPNsStopped"])
        self.assertEqual(self.pages([0] * 20), [])
        # What was so from the beginning is not of the attack.
        self.assertEqual(self.pages([1] * 20), [])


class BackingOffTests(unittest.TestCase):
    def judge(self, seconds):
        verdict = Verdict("test")
        suite = types.SimpleNamespace(pushes=[
            Push(at_ms=int(each * 1_000), token="ab", status=400, reason=attack_hosts.REASON) for each in seconds])
        attack_hosts.judge_backing_off(verdict, suite, 0, phones=10, began_ms=0, seconds=60)
        return verdict.problems

    def test_rows_that_are_tried_ever_more_seldom_pass(self):
        self.assertEqual(self.judge([at for at in (0, 10, 30) for _ in range(10)]), [])

    def test_rows_that_do_not_back_off_are_found(self):
        self.assertEqual(len(self.judge([at for at in range(0, 60, 5) for _ in range(10)])), 2)

    def test_pushes_that_are_not_there_prove_nothing(self):
        self.assertEqual(self.judge([]), ["no push was refused"])


class PiecesTests(unittest.TestCase):
    def test_any_text_of_an_answer_may_be_a_nonce(self):
        nonce = "0123456789abcdef" * 2
        self.assertEqual(texts({"a": 1, "b": [{"c": nonce}, "short"]}), [nonce])
        self.assertEqual(texts(None), [])

    def test_a_wicket_comes_after_two_balls_without_one(self):
        labels = ["NS", "S1 0.1 0/0", "S1 0.2 1/0", "S1 0.3 1/1", "S1 0.4 1/2", "S1 0.5 2/2", "S1 0.6 2/3", "S2 0.1 0/0",
                  "S2 0.2 0/0", "S2 0.3 0/1"]
        # Positions are counted from 1, and are those of the ball before.
        self.assertEqual(list(LiveMatch.find_wickets(labels)), [3, 6, 9])


if __name__ == "__main__":
    unittest.main()
