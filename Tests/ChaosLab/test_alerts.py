"""The oracle of deploy/chaos about alerts, and the count of faults in the middle of one."""

import unittest

from good import ALERT, TOKENS, T, call, good, push

import chaos_alerts as judge
from chaos_records import Death, Shown, Strike


class Alerts(unittest.TestCase):
    def setUp(self):
        self.case = good()

    def without_alert(self, user):
        for each in self.case.pushes:
            if each.token == TOKENS[user]:
                each.alert = None

    def test_a_good_schedule_passes(self):
        for invariant in (judge.alerts_at_most_once, judge.alerts_come):
            judged, problems = invariant(self.case)
            self.assertEqual((judged, problems), (2, []))

    # I7

    def test_a_second_alert_is_found(self):
        self.case.pushes.append(push("ann", 3, T + 6_000, alert=True))
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)

    def test_one_that_the_phone_dropped_or_nobody_was_answered_for_is_one(self):
        self.case.pushes.append(push("ann", 3, T + 6_000, alert=True, verdict="droppedOldTimestamp", status=0))
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)

    def test_one_that_apns_refused_is_none(self):
        self.case.pushes.append(push("ann", 3, T + 6_000, alert=True, verdict=None, status=503, fault="answer"))
        self.assertEqual(judge.alerts_at_most_once(self.case)[1], [])

    def test_one_over_another_token_of_the_phone_is_found(self):
        other = "dd" * 32
        self.case.phones[0].activities.append(Shown("ann-2", "t", T, [other], T))
        second = push("ann", 3, T + 6_000, alert=True)
        second.token = other
        self.case.pushes.append(second)
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)
        self.case.moved = [(other, "ann", "bob")]
        self.assertEqual(judge.alerts_at_most_once(self.case)[1], [])

    def test_one_that_was_not_wanted_is_found(self):
        self.case.phones[0].alerts = "none"
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)
        self.case.phones[0].alerts = "key"
        self.assertEqual(judge.alerts_at_most_once(self.case)[1], [])
        self.case.rows.updates[2]["alert"] = ALERT | {"isKey": False}
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)

    def test_one_that_was_never_committed_is_found(self):
        self.case.pushes[-3].alert = ("HUNDRED!", "")
        self.assertEqual(len(judge.alerts_at_most_once(self.case)[1]), 1)

    # Several by one push

    def both(self, rest, is_key=True, first=False):
        """Version 2 has an alert, too, which was told with the one of version 3: `rest` goes on after that one's body. With
        `first` version 2 was told by itself before."""
        fifty = {"title": "FIFTY! A off 20 balls", "body": "RR 10/0 (1.5)", "isKey": is_key, "eventAt": T // 1_000 + 2}
        self.case.rows.updates[1]["alert"] = fifty
        self.case.rows.claims.append(self.case.rows.claims[0] | {"alert_version": 2})
        for each in self.case.pushes:
            if each.alert:
                each.alert = (ALERT["title"], ALERT["body"] + rest)
            elif first and each.version == 2:
                each.alert = (fifty["title"], fifty["body"])

    def found(self, invariant=judge.alerts_at_most_once):
        return len(invariant(self.case)[1])

    def test_one_push_that_tells_two_passes(self):
        for rest in (" · FIFTY! A off 20 balls", " · and 1 more"):
            for invariant in (judge.alerts_at_most_once, judge.alerts_come):
                self.case = good()
                self.case.is_control = True
                self.both(rest)
                self.assertEqual(invariant(self.case), (4, []), rest)

    def test_an_older_one_that_had_been_told_is_found_in_a_push_that_tells_two(self):
        for rest in (" · FIFTY! A off 20 balls", " · and 1 more"):
            self.case = good()
            self.both(rest, first=True)
            self.assertEqual(self.found(), 2, rest)

    def test_a_headline_of_no_version_is_found(self):
        for rest in (" · HUNDRED!", " · and 2 more", " · and 0 more", " · FIFTY! A off 20 balls · FIFTY! A off 20 balls",
                     " · FIFTY! A off 20 balls · and 1 more", " · ", " ·  FIFTY! A off 20 balls", " FIFTY! A off 20 balls"):
            self.case = good()
            self.both(rest)
            self.assertEqual(self.found(), 2, rest)

    def test_a_headline_of_a_newer_alert_is_found(self):
        self.both(" · FIFTY! A off 20 balls")
        for each in self.case.pushes:
            if each.alert:
                each.alert = ("FIFTY! A off 20 balls", "RR 10/0 (1.5) · " + ALERT["title"])
        self.assertEqual(self.found(), 2)

    def test_a_follow_of_key_alerts_hears_of_no_other_in_a_push_that_tells_two(self):
        for rest in (" · FIFTY! A off 20 balls", " · and 1 more"):
            for is_key, found in ((False, 1), (True, 0)):
                self.case = good()
                self.case.phones[0].alerts = "key"
                self.both(rest, is_key=is_key)
                self.assertEqual(self.found(), found, rest)

    def test_a_newer_alert_alone_does_not_stand_for_an_older_one(self):
        self.case.is_control = True
        self.both("")
        self.assertEqual(judge.alerts_come(self.case)[0], 4)
        self.assertEqual(self.found(judge.alerts_come), 2)
        # But for one that the provider takes back soon.
        self.case.rows.updates[1]["alert"]["eventKeys"] = ["milestone-1"]
        self.case.rows.updates[2]["retracted"] = '["milestone-1"]'
        self.assertEqual(judge.alerts_come(self.case), (2, []))
        self.case.rows.updates[2]["committed_ms"] = self.case.rows.updates[1]["committed_ms"] + 30_001
        self.assertEqual(self.found(judge.alerts_come), 2)

    def test_the_same_headline_twice_is_of_two_versions(self):
        """Read as what the phone has not heard."""
        known = ((1, "SIX!", "1/0"), (2, "SIX!", "2/0"), (3, "SIX!", "3/0"))
        self.assertEqual(judge.readings(("SIX!", "3/0 · SIX!"), known), [(3, 2), (3, 1)])
        self.assertEqual(judge.readings(("SIX!", "3/0 · SIX! · SIX!"), known), [(3, 2, 1)])
        self.assertEqual(judge.readings(("SIX!", "3/0 · and 2 more"), known), [(3, 2, 1)])
        self.assertEqual(judge.readings(("SIX!", "4/0"), known), [])

    def test_an_alert_without_a_body_is_followed_by_headlines_alone(self):
        known = ((1, "TOSS", ""), (2, "START", ""))
        self.assertEqual(judge.readings(("START", "TOSS"), known), [(2, 1)])
        self.assertEqual(judge.readings(("START", ""), known), [(2,)])

    # I8

    def test_a_correction_is_only_for_who_was_told_what_it_corrects(self):
        for is_told in (False, True):
            self.case = good()
            self.case.is_control = True
            self.both("", first=is_told)
            self.case.rows.updates[1]["alert"]["eventKeys"] = ["milestone-1"]
            self.case.rows.updates[2] |= {"retracted": '["milestone-1"]', "alert": ALERT | {"kind": "correction"}}
            for each in self.case.pushes:
                if each.version == 3:
                    each.alert = None
            self.assertEqual(self.found(judge.alerts_come), 2 if is_told else 0)

    def test_an_alert_that_does_not_come_is_found_without_faults(self):
        self.case.is_control = True
        self.assertEqual(judge.alerts_come(self.case), (2, []))
        self.without_alert("ann")
        self.assertEqual(len(judge.alerts_come(self.case)[1]), 1)

    def lost_with(self, *strikes, deaths=()):
        """How many losses are found when la-coordinator-a claimed the alert at T + 4,020 and these befell."""
        self.without_alert("ann")
        self.case.strikes, self.case.deaths = list(strikes), list(deaths)
        return len(judge.alerts_come(self.case)[1])

    def test_with_faults_one_that_was_claimed_by_who_was_killed_then_is_lost(self):
        self.without_alert("ann")
        self.assertEqual(judge.alerts_come(self.case), (2, []))
        self.assertEqual(judge.lost_counts(self.case), {"wanted": 2, "lost": 1, "lostClaimed": 1, "bound": 0})
        self.case.strikes = []
        self.assertEqual(judge.lost_counts(self.case), {"wanted": 2, "lost": 1, "lostClaimed": 1, "bound": 2})

    def test_a_claim_alone_excuses_nothing(self):
        self.assertEqual(self.lost_with(), 1)
        # Others are struck, or it was struck before, or long after.
        self.assertEqual(self.lost_with(
            Strike("kill", "la-coordinator-b", T + 4_050, T + 4_050), Strike("kill", "event-bus-a", T + 4_050, T + 4_050),
            Strike("kill", "la-coordinator-a", T + 3_500, T + 3_500), Strike("stop", "la-coordinator-a", T + 1_000, T + 3_500),
            Strike("kill", "la-coordinator-a", T + 7_200, T + 7_200), Strike("stop", "la-coordinator-c", T, T + 9_000)), 1)

    def test_what_befalls_who_claimed_it_excuses_it(self):
        for begun, ended in ((T + 4_000, T + 4_000), (T + 4_900, T + 6_000), (T + 1_000, T + 4_000)):
            self.assertEqual(self.lost_with(Strike("kill", "la-coordinator-a", begun, ended)), 0)
            self.assertEqual(self.lost_with(Strike("stop", "la-coordinator-a", begun, ended)), 0)

    def test_who_tells_on_may_be_struck_later(self):
        # Bob is told last, and by the same one.
        for each in self.case.pushes:
            if each.token == TOKENS["bob"] and each.alert:
                each.at_ms = T + 6_000
        late = Strike("kill", "la-coordinator-a", T + 8_900, T + 8_900)
        self.assertEqual(self.lost_with(late), 0)
        # By another one, in another shard.
        self.case.rows.activities[1]["shard"] = 8
        self.case.rows.claims.append(self.case.rows.claims[0] | {"bucket": 8, "holder": "la-coordinator-b/1"})
        self.assertEqual(self.lost_with(late), 1)

    def test_a_clock_or_a_socket_excuses_nothing(self):
        self.assertEqual(self.lost_with(
            Strike("clock", "la-coordinator-a", T + 3_000, T + 9_000, "+3600"),
            Strike("socket", "event-bus>la-coordinator", T + 4_000, T + 5_000, "cut"),
            Strike("socket", "edge>la-coordinator", T + 4_000, T + 5_000, "delay")), 1)

    def test_trouble_of_apns_or_postgres_meanwhile_excuses_it(self):
        for kind in ("apns", "postgres"):
            self.assertEqual(self.lost_with(Strike(kind, kind, T + 4_100, T + 5_000)), 0)
            self.assertEqual(self.lost_with(Strike(kind, kind, T + 1_000, T + 3_400)), 1)
            self.assertEqual(self.lost_with(Strike(kind, kind, T + 7_200, T + 8_000)), 1)

    def test_who_is_asked_to_end_tells_what_it_has_claimed(self):
        asked = Strike("rolling", "la-coordinator", T + 4_000, T + 9_000)

        def death(drained_ms, at_ms=T + 7_100, name="la-coordinator-a"):
            return Death(name, at_ms, 0, True, drained_ms=drained_ms)

        self.assertEqual(self.lost_with(asked), 1)
        self.assertEqual(self.lost_with(asked, deaths=[death(2_900)]), 1)
        self.assertEqual(self.lost_with(asked, deaths=[death(3_000)]), 0)
        self.assertEqual(self.lost_with(asked, deaths=[death(3_000, name="la-coordinator-b")]), 1)
        self.assertEqual(self.lost_with(asked, deaths=[death(3_000, at_ms=T + 3_500)]), 1)
        # Struck before it had told all.
        struck = Strike("kill", "la-coordinator-a", T + 4_300, T + 4_300)
        self.assertEqual(self.lost_with(asked, struck, deaths=[Death("la-coordinator-a", T + 4_301, -9, True)]), 0)

    def test_a_phone_that_apns_wants_to_be_left_alone_is_not_told_by_one_that_ends(self):
        def lost(*refused, asked=T + 6_000):
            self.case.pushes = [push for push in self.case.pushes if push.status != 429]
            self.case.pushes += [push("ann", 2, at_ms, verdict=None, status=429, fault="answer") for at_ms in refused]
            return self.lost_with(deaths=[Death("la-coordinator-a", asked + 100, 0, True, drained_ms=100)])

        self.assertEqual(lost(), 1)
        # Five seconds after the first, ten after the second; it may wait three of them.
        self.assertEqual(lost(T + 3_900), 1)
        self.assertEqual(lost(T + 4_100), 0)
        self.assertEqual(lost(T + 1_000, T + 2_000), 0)
        self.assertEqual(lost(T + 4_100, asked=T + 2_000), 1)

    def test_a_host_takes_those_that_are_on_it(self):
        for target, claimed_by, found in (
                ("host-a", "a", 0), ("host-a", "c", 0), ("host-a", "b", 1), ("host-b", "b", 0), ("event-bus-b", "b", 0),
                ("event-bus-b", "a", 1), ("la-coordinator-c", "a", 0)):
            for how in ("cut", "kill"):
                self.case.rows.claims[0]["holder"] = f"la-coordinator-{claimed_by}/1"
                self.assertEqual(self.lost_with(Strike("host", target, T + 4_100, T + 5_000, how)), found, (target, claimed_by))

    def test_one_that_nobody_claimed_is_found(self):
        self.without_alert("ann")
        self.case.rows.claims = []
        self.assertEqual(len(judge.alerts_come(self.case)[1]), 1)
        self.assertEqual(judge.lost_counts(self.case)["lostClaimed"], 0)
        self.case.strikes.append(Strike("postgres", "postgres", T + 4_000, T + 6_000))
        self.assertEqual(judge.alerts_come(self.case)[1], [])

    def test_one_that_was_committed_late_may_be_old(self):
        self.without_alert("ann")
        self.case.rows.claims = []
        self.case.rows.updates[2]["alert"] = ALERT | {"eventAt": T // 1_000 - 17}
        self.assertEqual(judge.alerts_come(self.case)[1], [])

    def test_who_does_not_want_it_or_was_not_there_misses_nothing(self):
        self.case.is_control = True
        self.without_alert("ann")
        self.case.phones[0].alerts = "none"
        self.assertEqual(judge.alerts_come(self.case), (1, []))
        self.case.phones[0].alerts = "all"
        self.case.calls.append(call("ann", "unfollow", T + 8_000))
        self.assertEqual(judge.alerts_come(self.case), (1, []))

    # Faults in the middle.

    def test_a_fault_is_inside_from_the_commit_to_the_last_delivery(self):
        self.case.strikes = [
            Strike("kill", "a", at_ms, at_ms) for at_ms in (T + 3_999, T + 4_000, T + 4_100, T + 4_101)]
        self.assertEqual(judge.mark_inside(self.case), {"kill": 2})
        self.assertEqual([strike.inside for strike in self.case.strikes], [None, 3, 3, None])

    def test_what_cuts_an_alert_short_is_inside(self):
        def marked(*times):
            self.case.strikes = [Strike("kill", "a", at_ms, at_ms) for at_ms in times]
            judge.mark_inside(self.case)
            return [strike.inside for strike in self.case.strikes]

        self.without_alert("ann")
        self.assertEqual(marked(T + 4_101, T + 4_600, T + 4_601), [3, 3, None])
        # Nobody hears of this one, and the next version comes soon.
        self.case.rows.updates[1] |= {"alert": ALERT | {"title": "FIFTY! A off 20 balls"}, "committed_ms": T + 3_700}
        self.assertEqual(marked(T + 3_700, T + 3_999, T + 4_000), [2, 2, 2])
        self.assertEqual(marked(T + 3_699, T + 4_001), [None, 3])

    # Metrics.

    def test_metrics_that_count_wrong_are_found_without_faults(self):
        self.case.is_control = True
        self.case.metrics = {"updates": 6, "versions": 3, "alertsLost": 0}
        self.assertEqual(judge.metrics_count(self.case), (3, []))
        self.case.metrics["updates"] = 5
        self.assertEqual(len(judge.metrics_count(self.case)[1]), 1)


if __name__ == "__main__":
    unittest.main()
