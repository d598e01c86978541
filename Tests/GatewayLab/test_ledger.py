"""The ledger, against which the database is held: it must not excuse a loss."""

import unittest

from ledger import NOTHING, MatchLedger, MatchState, ValueLedger, change_alerts, dismiss, follow, register, unfollow

ACTIVE = {"liveActivity": "active"}


class Ledgers(unittest.TestCase):
    def test_an_acknowledged_value_is_the_only_one(self):
        ledger = ValueLedger()
        self.assertEqual(ledger.possible, {None})
        ledger.note("a", True)
        ledger.note("b", False)
        ledger.note("c", False)
        self.assertEqual(ledger.possible, {"a", "b", "c"})
        ledger.note("d", True)
        self.assertEqual(ledger.possible, {"d"})

    def test_acknowledged_calls_leave_one_state(self):
        ledger = MatchLedger()
        ledger.note(follow("key"), {})
        ledger.note(register("t1"), ACTIVE)
        ledger.note(register("t2"), ACTIVE)
        ledger.note(register("t3"), {"liveActivity": "ended"})
        ledger.note(change_alerts("none"), {})
        self.assertEqual(ledger.possible, {MatchState("none", "t2")})
        ledger.note(dismiss, {"following": True})
        self.assertEqual(ledger.possible, {MatchState("none", "t2")})
        ledger.note(dismiss, {"following": False})
        self.assertEqual(ledger.possible, {NOTHING})

    def test_an_unknown_outcome_leaves_both(self):
        ledger = MatchLedger()
        ledger.note(follow("all"), {})
        ledger.note(register("t1"), ACTIVE)
        ledger.note(unfollow, None)
        self.assertEqual(ledger.possible, {MatchState("all", "t1"), NOTHING})
        # A token only counts for those who follow.
        ledger.note(register("t2"), None)
        self.assertEqual(ledger.possible, {MatchState("all", "t1"), MatchState("all", "t2"), NOTHING})
        ledger.note(follow("key"), {})
        self.assertEqual(ledger.possible, {MatchState("key", "t1"), MatchState("key", "t2"), MatchState("key", None)})
        ledger.note(unfollow, {})
        self.assertEqual(ledger.possible, {NOTHING})

    def test_an_answer_that_cannot_be_shows_a_loss(self):
        for change, answer in (
            (register("t"), False), (change_alerts("key"), False), (register("t"), {"liveActivity": "active"}),
            (change_alerts("key"), {}), (dismiss, {"following": True}),
        ):
            ledger = MatchLedger()
            if answer is False:
                ledger.note(follow("all"), {})
            ledger.note(change, answer)
            self.assertIsNotNone(ledger.contradiction, answer)

    def test_an_answer_tells_what_became_of_an_unknown_call(self):
        ledger = MatchLedger()
        ledger.note(follow("all"), None)
        ledger.note(register("t"), False)
        self.assertEqual(ledger.possible, {NOTHING})
        ledger.note(follow("all"), None)
        ledger.note(change_alerts("key"), {})
        self.assertEqual(ledger.possible, {MatchState("key")})

    def test_a_change_of_what_is_not_followed_changes_nothing(self):
        ledger = MatchLedger()
        ledger.note(change_alerts("key"), None)
        self.assertEqual(ledger.possible, {NOTHING})


if __name__ == "__main__":
    unittest.main()
