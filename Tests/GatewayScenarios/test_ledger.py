"""The ledger, against which the database is held: it must neither excuse a loss nor invent one."""

import unittest

from ledger import NOTHING, MatchLedger, MatchState, ValueLedger, change_alerts, dismiss, follow, register, unfollow

ACTIVE, NOT_FOLLOWED, UNKNOWN = {"liveActivity": "active"}, False, None
UNSURE = [(follow("all"), {}), (register("t1"), ACTIVE), (unfollow, UNKNOWN), (register("t2"), UNKNOWN)]

# The calls, each with its answer, and what may be; nothing may when one answer shows a loss.
CASES = [
    ([(follow("key"), {}), (register("t1"), ACTIVE), (register("t2"), ACTIVE), (register("t3"), {"liveActivity": "ended"}),
      (change_alerts("none"), {}), (dismiss, {"following": True})], {MatchState("none", "t2")}),
    ([(follow("key"), {}), (register("t1"), ACTIVE), (dismiss, {"following": False})], {NOTHING}),
    # An unknown outcome leaves both, and a token only counts for those who follow.
    (UNSURE, {MatchState("all", "t1"), MatchState("all", "t2"), NOTHING}),
    ([*UNSURE, (follow("key"), {})], {MatchState("key", "t1"), MatchState("key", "t2"), MatchState("key", None)}),
    ([*UNSURE, (unfollow, {})], {NOTHING}),
    # An answer tells what became of an unknown call.
    ([(follow("all"), UNKNOWN), (register("t"), NOT_FOLLOWED)], {NOTHING}),
    ([(follow("all"), UNKNOWN), (change_alerts("key"), {})], {MatchState("key")}),
    ([(change_alerts("key"), UNKNOWN)], {NOTHING}),
    ([(follow("all"), {}), (register("t"), NOT_FOLLOWED)], None),
    ([(follow("all"), {}), (change_alerts("key"), NOT_FOLLOWED)], None),
    ([(register("t"), ACTIVE)], None),
    ([(change_alerts("key"), {})], None),
    ([(dismiss, {"following": True})], None),
]


class Ledgers(unittest.TestCase):
    def test_what_calls_and_answers_leave_possible(self):
        for number, (calls, possible) in enumerate(CASES):
            ledger = MatchLedger()
            for change, answer in calls:
                ledger.note(change, answer)
            self.assertEqual(None if ledger.contradiction else ledger.possible, possible, number)

    def test_an_acknowledged_value_is_the_only_one(self):
        ledger, seen = ValueLedger(), []
        for value, acknowledged in (("a", True), ("b", False), ("c", False), ("d", True)):
            ledger.note(value, acknowledged)
            seen.append("".join(sorted(ledger.possible)))
        self.assertEqual((ValueLedger().possible, seen), ({None}, ["a", "ab", "abc", "d"]))


if __name__ == "__main__":
    unittest.main()
