"""What judges a blackout: that its pages are pages, and that it finds what it is to find."""

import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "Harness"), str(TESTS / "Chaos"), str(TESTS / "Soak")]
import blackout_soak  # noqa: E402
import metrics  # noqa: E402
from blackout_night import Prometheus  # noqa: E402
from fanout_alerts import Verdict  # noqa: E402

RULES = (TESTS.parent / "deploy/prometheus/rules.yml").read_text(encoding="utf-8")
SHAPE = blackout_soak.Blackout("dark", 60, None, None, "A", "BEHIND", "stands still", [])


class TableTests(unittest.TestCase):
    def test_each_blackout_is_named_by_an_alert_of_the_rules_and_by_the_help(self):
        usage = (TESTS.parent / "deploy/soak").read_text(encoding="utf-8")
        for each in blackout_soak.BLACKOUTS:
            self.assertRegex(RULES, rf"- alert: {each.page}\n", each.name)
        for name in blackout_soak.NAMES:
            self.assertRegex(usage, rf"\b{re.escape(name)}\b")


class JudgeTests(unittest.TestCase):
    def judge(self, alerts, quiet=(12, []), inspected=(30, "BEHIND"), log="it stands still", after="nothing is missing"):
        verdict = Verdict("dark")
        blackout_soak.judge(verdict, SHAPE, alerts, quiet, inspected, "", {"la-coordinator-a": log}, after)
        return verdict.problems

    def test_one_that_all_say_and_that_ends_passes(self):
        self.assertEqual(self.judge({("A", "page"): 59.0, ("B", "ticket"): 3.0}), [])

    def test_what_is_late_or_not_said_is_found(self):
        self.assertEqual(len(self.judge({("A", "page"): 61.0})), 1)
        # A ticket wakes nobody up.
        self.assertEqual(len(self.judge({("A", "ticket"): 5.0, ("B", "page"): 5.0})), 1)
        good = {("A", "page"): 5.0}
        self.assertEqual(len(self.judge(good, quiet=(61, ["A"]))), 1)
        self.assertEqual(len(self.judge(good, inspected=None)), 1)
        self.assertEqual(len(self.judge(good, log="all is well")), 1)
        self.assertEqual(len(self.judge(good, after="BEHIND for 3 min")), 1)


class SeenTests(unittest.TestCase):
    def test_the_first_and_the_last_time_at_which_an_alert_fires(self):
        prometheus = Prometheus.__new__(Prometheus)
        page, ticket = ("A", "page"), ("B", "ticket")
        prometheus.seen = [(0, {page}), (10, set()), (12, {page}), (14, {page, ticket}), (20, {ticket}), (30, set())]
        self.assertEqual(prometheus.first(10, 18), {page: 2, ticket: 4})
        self.assertEqual(prometheus.last(13, set()), (7, ["B"]))
        self.assertEqual(prometheus.last(13, {"B"}), (1, ["A"]))
        self.assertEqual(prometheus.last(21, set()), (0, []))


class SeriesTests(unittest.TestCase):
    def test_what_an_expression_asks_for(self):
        self.assertEqual(
            metrics.selectors_in('sum by (job) (rate(a_total{job=~"$job", code="b"}[1m])) / on (job) c > 0 unless d{e="c"}'),
            {'a_total{job=~".*", code="b"}', "c", 'd{e="c"}'})
        self.assertGreater(len(blackout_soak.asked_series()), 100)
