"""The oracle of deploy/chaos: what is as it should be must pass, and each planted mistake must be found."""

import unittest

from good import TOKENS, T, activity, call, ended, good, push, state, update

import chaos_invariants as judge
from chaos_records import UNKNOWN, Push, Shown, Strike


class Invariants(unittest.TestCase):
    def setUp(self):
        self.case = good()

    def passes(self, invariant):
        judged, problems = invariant(self.case)
        self.assertGreater(judged, 0)
        self.assertEqual(problems, [])

    def fails(self, invariant, count=1):
        _, problems = invariant(self.case)
        self.assertEqual(len(problems), count, problems)

    def test_a_good_schedule_passes(self):
        for invariant in (
                judge.acknowledged_is_kept, judge.no_follower_is_lost, judge.stamps_grow, judge.newest_state_is_shown,
                judge.versions_never_go_back, judge.nothing_after_the_end, judge.trouble_kills_no_token,
                judge.ends_follow, judge.tokens_have_one_owner, judge.one_writer):
            self.passes(invariant)

    # I1

    def test_a_lost_follow_is_found(self):
        self.case.rows.follows.pop()
        self.fails(judge.acknowledged_is_kept)

    def test_a_lost_unfollow_is_found(self):
        self.case.calls.append(call("ann", "unfollow", T + 1_000))
        self.fails(judge.acknowledged_is_kept)

    def test_a_follow_without_an_answer_excuses_both(self):
        self.case.calls += [call("ann", "follow", T - 8_500, status=UNKNOWN), call("ann", "unfollow", T + 1_000)]
        self.passes(judge.acknowledged_is_kept)
        self.case.rows.follows = self.case.rows.follows[1:]
        self.passes(judge.acknowledged_is_kept)

    def test_one_that_was_refused_before_excuses_nothing(self):
        self.case.calls += [call("ann", "follow", T - 8_500, status=503), call("ann", "unfollow", T + 1_000)]
        self.fails(judge.acknowledged_is_kept)

    def test_lost_tokens_are_found(self):
        self.case.rows.devices[0]["push_to_start_token"] = None
        self.case.rows.activities[1]["update_token"] = "cc" * 32
        self.fails(judge.acknowledged_is_kept, 2)

    def test_a_lost_dismissal_is_found(self):
        self.case.calls.append(call("ann", "dismiss", T + 1_000, "ann-1", answer={"following": False}))
        # It is an unfollow, too.
        self.fails(judge.acknowledged_is_kept, 2)

    # I2

    def test_a_follower_without_a_record_is_found(self):
        self.case.rows.activities.pop()
        self.fails(judge.no_follower_is_lost)

    def test_two_records_and_one_without_a_follow_are_found(self):
        self.case.rows.activities += [activity("ann", generation=2), activity("eve", update_token="ee" * 32)]
        self.fails(judge.no_follower_is_lost, 2)

    def test_a_start_that_is_out_will_do(self):
        self.case.rows.activities[0] = activity("ann", status="pending", start_lease_until=T + 9_001)
        self.passes(judge.no_follower_is_lost)
        self.case.rows.activities[0]["start_lease_until"] = T + 8_999
        self.fails(judge.no_follower_is_lost)

    # I3

    def second_start(self, at_ms):
        self.case.calls = [call for call in self.case.calls if call.what != "token"]
        first = next(push for push in self.case.pushes if push.event == "start")
        self.case.pushes.append(Push(at_ms, first.token, "start", first.stamp + 5, start_id="t"))

    def test_a_second_start_is_found(self):
        self.second_start(T + 5_000)
        self.fails(judge.one_start_at_a_time)

    def test_one_after_the_lease_will_do(self):
        self.second_start(T + 11_500)
        self.passes(judge.one_start_at_a_time)

    def test_one_after_a_token_will_do(self):
        self.second_start(T + 5_000)
        self.case.calls.append(call("ann", "token", T, "dd" * 32))
        self.passes(judge.one_start_at_a_time)

    def test_two_activities_for_long_are_found(self):
        self.case.phones[0].activities.append(Shown("ann-2", "t", T - 3_000, ["dd" * 32], T - 2_000))
        self.fails(judge.one_start_at_a_time)
        self.case.phones[0].activities[0].ended_ms = T + 7_900
        self.passes(judge.one_start_at_a_time)

    # I4, I5, I6

    def test_stamps_that_do_not_grow_are_found(self):
        self.case.rows.updates[1]["stamp"] = self.case.rows.updates[0]["stamp"]
        self.fails(judge.stamps_grow)

    def test_stamps_ahead_of_the_clock_are_found(self):
        self.case.rows.updates[2]["stamp"] += 3
        self.case.pushes[-1].stamp = T // 1_000 + 24
        self.fails(judge.stamps_grow, 2)

    def test_a_phone_that_was_left_behind_is_found(self):
        self.case.pushes = [push for push in self.case.pushes
                            if push.token != TOKENS["ann"] or push.version != 3]
        self.fails(judge.newest_state_is_shown)

    def test_a_state_that_is_not_the_committed_one_is_found(self):
        self.case.rows.updates[2]["content_state"] = state(3).replace("RR v KKR", "RR v CSK")
        self.fails(judge.newest_state_is_shown, 2)

    def test_what_a_start_brought_is_shown(self):
        for each in self.case.pushes:
            if each.token == TOKENS["ann"]:
                each.verdict = "droppedOldTimestamp"
        self.fails(judge.newest_state_is_shown)
        start = push("ann", 3, T - 4_000, event="start", start_id="s of ann")
        start.token = "start of ann"
        self.case.pushes[0] = start
        self.passes(judge.newest_state_is_shown)
        self.case.pushes.append(push("ann", 2, T + 8_000))
        self.fails(judge.versions_never_go_back)

    def test_a_push_that_the_phone_dropped_does_not_count(self):
        for each in self.case.pushes:
            if each.token == TOKENS["bob"] and each.version == 3:
                each.verdict = "droppedOldTimestamp"
        self.fails(judge.newest_state_is_shown)

    def test_the_cuts_of_a_routine_update_will_do(self):
        forms = judge.forms(state(3))
        self.assertEqual(len(set(forms)), 7)
        self.assertIn('"recentBalls":["5","|","6","7","8","9","10"]', forms[-1])
        for kept in ("lastEvent", "equation", '"score":"1 (2)"'):
            self.assertIn(kept, forms[-1])
        for form in forms:
            self.case.pushes[-3].payload = f'{{"aps":{{"content-state":{form},"event":"update"}}}}'
            self.passes(judge.newest_state_is_shown)
        self.case.pushes[-3].payload = self.case.pushes[-3].payload.replace('"10"', '"11"')
        self.fails(judge.newest_state_is_shown)

    def test_an_older_version_is_found(self):
        self.case.pushes.insert(-2, push("ann", 2, T + 5_000))
        self.fails(judge.versions_never_go_back)

    # I9, I10, I12

    def test_an_update_after_the_end_is_found(self):
        self.case.pushes.append(push("ann", 3, T + 22_000))
        self.fails(judge.nothing_after_the_end)

    def test_what_ended_and_lives_again_is_found(self):
        self.case.rows.activities[0] = ended("ann", "user_unfollow")
        self.fails(judge.nothing_after_the_end)
        self.case.after.activities[0]["end_reason"] = "user_unfollow"
        self.passes(judge.nothing_after_the_end)
        for rows in (self.case.rows, self.case.after):
            rows.activities[0]["end_reason"] = "forgotten"
        self.fails(judge.nothing_after_the_end)

    def test_a_push_to_a_dead_token_is_found(self):
        self.case.killed = {TOKENS["ann"]}
        self.case.rows.activities[0] = ended("ann", "token_invalid", at_ms=T + 2_500)
        # The alert came 1.6 s after the word was known, and the end later still.
        self.fails(judge.dead_tokens_stay_dead, 2)
        self.case.rows.activities[0]["ended_ms"] = T + 20_500
        self.passes(judge.dead_tokens_stay_dead)

    def test_a_push_to_a_token_that_was_replaced_is_found(self):
        self.case.calls.append(call("ann", "token", T + 2_500, "dd" * 32, activity="ann-1"))
        self.fails(judge.dead_tokens_stay_dead, 2)

    def test_a_token_that_lives_and_was_given_up_is_found(self):
        self.case.rows.activities[0] = ended("ann", "token_invalid")
        self.case.rows.devices[1]["push_to_start_token"] = None
        self.fails(judge.trouble_kills_no_token, 2)
        self.case.killed = {TOKENS["ann"]}
        self.fails(judge.trouble_kills_no_token)

    # I13

    def unfollow(self, at_ms):
        self.case.calls.append(call("ann", "unfollow", at_ms))

    def test_a_push_after_an_unfollow_is_found(self):
        self.unfollow(T + 2_500)
        self.fails(judge.nothing_after_an_unfollow)
        self.case.strikes.append(Strike("stop", "la-coordinator-a", T + 2_000, T + 3_000))
        self.passes(judge.nothing_after_an_unfollow)

    def test_a_database_that_stands_still_is_no_excuse_for_a_push(self):
        self.unfollow(T + 2_500)
        self.case.strikes.append(Strike("postgres", "postgres", T + 2_000, T + 5_000, "freeze"))
        self.fails(judge.nothing_after_an_unfollow)

    def test_a_start_after_an_unfollow_is_found(self):
        self.unfollow(T + 5_000)
        self.passes(judge.nothing_after_an_unfollow)
        self.case.pushes.append(Push(T + 7_000, "start of ann", "start"))
        self.fails(judge.nothing_after_an_unfollow)

    def test_a_dismissal_counts_as_well(self):
        self.case.calls.append(call("ann", "dismiss", T + 2_500, "ann-1", answer={"following": False}))
        self.fails(judge.nothing_after_an_unfollow)

    def test_an_end_that_does_not_come_is_found(self):
        self.case.after.activities[0] |= {"end_push": "due", "end_lease_until": T + 24_000}
        self.fails(judge.ends_follow)
        self.case.after.activities[0]["end_lease_until"] = T + 26_000
        self.passes(judge.ends_follow)

    def test_a_late_end_is_found_where_there_are_no_faults(self):
        self.case.after.activities[0] = ended("ann", "user_unfollow", at_ms=T + 18_000)
        self.passes(judge.ends_follow)
        self.case.is_control = True
        self.fails(judge.ends_follow)

    # I14, I15

    def test_two_owners_of_a_token_are_found(self):
        self.case.rows.devices[1]["push_to_start_token"] = "start of ann"
        self.case.rows.activities[1]["update_token"] = TOKENS["ann"]
        self.fails(judge.tokens_have_one_owner, 2)

    def test_a_token_that_did_not_move_is_found(self):
        self.case.moved = [(TOKENS["ann"], "ann", "bob")]
        self.fails(judge.tokens_have_one_owner)

    def test_a_token_that_was_not_taken_is_left_to_its_owner(self):
        self.case.moved = [(TOKENS["ann"], "ann", None)]
        self.passes(judge.tokens_have_one_owner)

    def test_gaps_and_repetitions_of_versions_are_found(self):
        self.case.rows.updates[1]["version"] = 1
        self.fails(judge.one_writer)
        self.case.rows.updates[1]["version"] = 4
        self.fails(judge.one_writer, 2)
        self.case.rows.updates = [update(1)]
        self.fails(judge.one_writer)

    def test_epochs_that_go_back_are_found(self):
        self.case.leases.append(("match:1", "bus/x", 1))
        self.fails(judge.one_writer)

    def test_two_holders_of_one_epoch_are_found(self):
        self.case.leases.append(("match:1", "bus/z", 2))
        self.fails(judge.one_writer)


if __name__ == "__main__":
    unittest.main()
