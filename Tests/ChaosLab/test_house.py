"""The oracle of deploy/chaos about processes; what is drawn from a seed; and the reading of the simulator's log."""

import json
import os
import pathlib
import signal
import subprocess
import unittest
from unittest import mock

from good import TOKENS, T, activity, call, good, push

import chaos_draw
import chaos_house as judge
import chaos_schedule
import chaos_suite
from chaos_records import Death, Strike, read_push
from chaos_supervisor import standing_still
from children import wait_until


class House(unittest.TestCase):
    def setUp(self):
        self.case = good()

    def fails(self, invariant, count=1):
        _, problems = invariant(self.case)
        self.assertEqual(len(problems), count, problems)

    def test_a_good_schedule_passes(self):
        for invariant in (
                judge.sizes_are_bounded, judge.payloads_are_good, judge.few_provider_tokens, judge.nothing_leaks,
                judge.processes_come_back, judge.answers_are_known, judge.converges, judge.audits_find_nothing):
            judged, problems = invariant(self.case)
            self.assertGreater(judged, 0)
            self.assertEqual(problems, [])

    def test_sizes_without_bound_are_found(self):
        self.case.sizes += [("c", "rss", 1 << 30), ("c", "fds", 5_000), ("c", "threads", 500)]
        self.fails(judge.sizes_are_bounded, 3)

    def test_bad_payloads_are_found(self):
        self.case.pushes[-1].payload = '{"a":"' + "ä" * 2_100 + '"}'
        self.case.pushes.append(push("ann", 3, T + 6_000, status=400, reason="PayloadEmpty", verdict=None))
        self.case.pushes.append(push("ann", 3, T + 6_000, verdict="notDecodable"))
        self.fails(judge.payloads_are_good, 3)

    def test_refusals_by_a_fault_and_of_dead_tokens_will_do(self):
        self.case.killed = {TOKENS["ann"]}
        self.case.pushes.append(push("ann", 3, T + 6_000, status=410, verdict=None))
        self.case.pushes.append(push("bob", 3, T + 6_000, status=503, verdict=None, fault="answer"))
        self.fails(judge.payloads_are_good, 0)

    def test_two_provider_tokens_are_found(self):
        self.case.provider_tokens.append(T)
        self.fails(judge.few_provider_tokens)

    def test_a_leak_is_found(self):
        self.case.leaks = ["a.log: push token"]
        self.fails(judge.nothing_leaks)

    def test_a_process_that_ends_by_itself_is_found(self):
        self.case.deaths.append(Death("event-bus-a", T, -4, False))
        self.fails(judge.processes_come_back)

    def test_a_process_that_is_late_is_found(self):
        self.case.deaths.append(Death("event-bus-a", T, -9, True, restart_ms=400, back_ms=T + 2_401))
        self.fails(judge.processes_come_back)
        # Nobody hears it while its host is cut off.
        self.case.strikes.append(Strike("host", "host-a", T + 1_000, T + 1_500, "cut"))
        self.fails(judge.processes_come_back, 0)
        self.case.strikes[-1].how = "kill"
        self.fails(judge.processes_come_back)
        # It stood still itself, which another one does not excuse.
        self.case.strikes.append(Strike("stop", "event-bus-b", T + 1_000, T + 1_500))
        self.fails(judge.processes_come_back)
        self.case.strikes[-1].target = "event-bus-a"
        self.fails(judge.processes_come_back, 0)
        self.case.strikes.pop()
        self.fails(judge.processes_come_back)
        self.case.deaths[-1].back_ms = T + 2_400
        self.fails(judge.processes_come_back, 0)

    def test_one_that_stood_still_meanwhile_is_not_late(self):
        self.case.deaths.append(Death("event-bus-a", T, -9, True, restart_ms=100, back_ms=T + 3_000))
        self.case.strikes.append(Strike("stop", "event-bus-b", T + 200, T + 2_900))
        self.fails(judge.processes_come_back)
        self.case.strikes[-1].target = "event-bus-a"
        self.fails(judge.processes_come_back, 0)
        self.case.strikes[-1].ended_ms = T + 900
        self.fails(judge.processes_come_back)

    def test_a_process_that_does_not_drain_is_found(self):
        self.case.deaths += [Death("a", T, 0, True, drained_ms=5_001), Death("b", T, 1, True, drained_ms=10)]
        self.fails(judge.processes_come_back, 2)

    def test_one_that_stood_still_when_it_was_asked_to_end_is_not_late(self):
        self.case.deaths.append(Death("la-coordinator-b", T + 6_000, 0, True, drained_ms=6_000))
        self.case.strikes.append(Strike("stop", "la-coordinator-a", T - 1_000, T + 2_000))
        self.fails(judge.processes_come_back)
        self.case.strikes[-1].target = "la-coordinator-b"
        self.fails(judge.processes_come_back, 0)
        self.case.strikes[-1].ended_ms = T + 900
        self.fails(judge.processes_come_back)

    def test_an_error_of_a_gateway_is_found(self):
        self.case.calls.append(call("ann", "follow", T, status=500))
        self.fails(judge.answers_are_known)

    def test_one_that_does_not_converge_is_found(self):
        self.case.converged_ms = T + 20_001
        self.fails(judge.converges)
        self.case.converged_ms = None
        self.fails(judge.converges)
        self.case.over_ms = None
        self.fails(judge.converges, 2)

    def test_an_activity_that_does_not_end_with_the_match_is_found(self):
        self.case.over_ms = None
        self.case.after.activities[0] = activity("ann")
        _, [problem] = judge.converges(self.case)
        self.assertEqual(problem, "not ended with the match: ann-phone active, end none")

    def test_a_wrong_roster_is_found(self):
        self.case.metrics = {"mismatches": 1, "audits": 3}
        self.fails(judge.audits_find_nothing)

    def test_where_no_audit_ran_nothing_is_judged(self):
        self.assertEqual(judge.audits_find_nothing(self.case), (5, []))
        self.case.metrics = {"mismatches": 0, "audits": 0}
        self.assertEqual(judge.audits_find_nothing(self.case), (0, []))


class Audits(unittest.TestCase):
    @staticmethod
    def schedule(*processes):
        """One whose coordinators show these texts, a scrape each."""
        kept = [mock.Mock(health=text) for text in processes]
        for letter, each in zip("abc", kept):
            each.name = f"la-coordinator-{letter}"
        return chaos_schedule.Schedule(mock.Mock(**{"supervisor.of.return_value": kept}), mock.Mock(), *[None] * 3)

    @staticmethod
    def metrics(begun, audits):
        return [("process_start_time_seconds", "", float(begun)), ("sightscreen_audits_total", "", float(audits)),
                ("sightscreen_pushes_total", '{kind="update"}', 70.0)]

    def audits(self, *processes):
        with mock.patch.object(chaos_schedule, "scrape", side_effect=lambda health: health):
            return self.schedule(*processes).audits()

    def test_a_count_begins_anew_with_its_process(self):
        before = self.audits(self.metrics(1, 30), self.metrics(2, 20), self.metrics(3, 10))
        # The first goes on, the second came back, and the third does not answer.
        after = self.audits(self.metrics(1, 34), self.metrics(9, 2), [])
        self.assertEqual(chaos_schedule.grown(before, after), 6)
        self.assertEqual(chaos_schedule.grown(before, before), 0)

    def test_one_that_counts_none_has_made_none(self):
        none = [("process_start_time_seconds", "", 1.0)]
        self.assertEqual(chaos_schedule.grown(self.audits(none), self.audits(none, none, none)), 0)


class Drawing(unittest.TestCase):
    places = [("1", 0.2), ("2", 0.5)]

    def test_a_seed_draws_the_same_again(self):
        for seed in range(50):
            self.assertEqual(chaos_draw.draw(seed, self.places), chaos_draw.draw(seed, self.places))
        self.assertNotEqual(chaos_draw.draw(1, self.places), chaos_draw.draw(2, self.places))

    def test_every_kind_and_every_target_is_drawn(self):
        plans = [chaos_draw.draw(seed, self.places, hosts="ab") for seed in range(1, 800)]
        faults = [fault for plan in plans for fault in plan.faults]
        self.assertEqual({fault.kind for fault in faults}, set(chaos_draw.HOST_KINDS))
        self.assertLessEqual({"host-a", "host-b"}, {fault.target for fault in faults})
        for kind, ways in chaos_draw.HOW.items():
            self.assertEqual({fault.how for fault in faults if fault.kind == kind}, set(ways))
        killed = {fault.target for fault in faults if fault.kind == "kill" and not fault.aim}
        self.assertEqual(killed, {f"{service}-{letter}" for service, count in chaos_draw.REPLICAS.items()
                                  for letter in "abc"[:count]})
        self.assertEqual(sum(plan.is_control for plan in plans), 99)
        self.assertTrue(all(20 <= len(plan.phones) + 6 and len(plan.phones) <= 76 for plan in plans))
        self.assertGreater(sum(fault.aim is not None for fault in faults), len(faults) // 3)

    def test_one_host_is_not_cut_off(self):
        faults = [fault for seed in range(1, 300) for fault in chaos_draw.draw(seed, self.places).faults]
        self.assertEqual({fault.kind for fault in faults}, set(chaos_draw.KINDS))

    def test_nothing_lasts_beyond_the_schedule(self):
        for seed in range(1, 300):
            for fault in chaos_draw.draw(seed, self.places).faults:
                self.assertLessEqual(fault.at + fault.lasts, chaos_draw.PLAY + 1.6)

    def test_a_database_stands_still_for_a_second_at_least(self):
        faults = [fault for seed in range(1, 800) for fault in chaos_draw.draw(seed, self.places).faults
                  if fault.kind == "postgres"]
        still = [fault.lasts for fault in faults if fault.how == "freeze"]
        self.assertTrue(all(1 <= lasts <= 4 for lasts in still))
        self.assertGreater(max(still), 3.5)
        self.assertEqual({fault.lasts for fault in faults if fault.how != "freeze"}, {0})

    def test_places_have_two_alerts_near(self):
        places = chaos_draw.places_of("t", [30, 35, 90], 120)
        self.assertEqual([round(share * 120) for _, share in places], list(range(22, 29)))

    def test_places_are_far_from_the_result(self):
        places = chaos_draw.places_of("t", list(range(120)), 120)
        self.assertEqual(max(round(share * 120) for _, share in places), 120 - 2 * chaos_draw.BALLS - 1)


class Programs(unittest.TestCase):
    def programs(self, **others):
        suite = chaos_suite.Suite("/new", "/tapes", **others)
        suite.links.loop.close()
        return [str(suite.program(service, f"{service}-{letter}"))
                for service, count in chaos_draw.REPLICAS.items() for letter in "abc"[:count]]

    def test_the_second_of_each_service_is_of_the_other_version(self):
        services = sorted(chaos_draw.REPLICAS)
        beside = self.programs(others="/old")
        self.assertEqual(sorted(path for path in beside if path.startswith("/old/")), [f"/old/{name}" for name in services])
        self.assertEqual({path for path in beside if path.startswith("/new/")}, {f"/new/{name}" for name in services})
        self.assertTrue(all(path.startswith("/new/") for path in self.programs()))


class StandingStill(unittest.TestCase):
    def test_a_process_stands_still_with_its_children_and_goes_on(self):
        # The child's process id comes when both are there.
        with subprocess.Popen(["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE, text=True,
                              start_new_session=True) as process:
            both = (process.pid, int(process.stdout.readline()))
            with standing_still(process.pid):
                wait_until("both stand still", lambda: {state(pid) for pid in both} == {"T"})
            wait_until("both go on", lambda: "T" not in {state(pid) for pid in both})
            os.killpg(process.pid, signal.SIGKILL)

    def test_one_that_dies_meanwhile_is_no_trouble(self):
        with subprocess.Popen(["sleep", "600"]) as process:
            with standing_still(process.pid):
                process.kill()
                process.wait()
            with standing_still(process.pid):
                pass


def state(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


class Reading(unittest.TestCase):
    def test_a_line_of_the_log_is_read(self):
        line = {"seq": 7, "receivedAt": T, "environment": "production", "connection": 1, "token": "aa", "headers": {
            "apns-expiration": "99"}, "verdict": {"status": 410, "reason": "Unregistered", "timestamp": 5}, "fault": "answer"}
        payload = ('{"aps":{"alert":{"body":"b","title":"t"},"attributes":{"startId":"s"},"content-state":{"version":4},'
                   '"event":"start","timestamp":12}}')
        read = read_push(json.dumps(line, separators=(",", ":"))[:-1].encode() + b',"payload":' + payload.encode() + b"}\n")
        self.assertEqual((read.at_ms, read.token, read.event, read.stamp, read.version), (T, "aa", "start", 12, 4))
        self.assertEqual((read.alert, read.start_id, read.expiration), (("t", "b"), "s", 99))
        self.assertEqual((read.status, read.reason, read.dead_since, read.fault), (410, "Unregistered", 5, "answer"))
        self.assertEqual((read.verdict, read.payload, read.seq), (None, payload, 7))
        self.assertFalse(read.tells)

    def test_a_push_to_an_app_is_read(self):
        line = {"seq": 8, "receivedAt": T, "environment": "production", "connection": 1, "token": "aa", "headers": {},
                "verdict": {"status": 200}, "deviceVerdict": "handled", "payloadText": "x"}
        self.assertEqual(read_push(json.dumps(line).encode()).payload, "x")


if __name__ == "__main__":
    unittest.main()
