"""What a random-fault run is made of, where a mistake would leave it without faults or with nothing to judge: the schedule drawn from a
seed, the log that is read, the audits that are counted, and processes that stand still."""

import json
import os
import pathlib
import signal
import subprocess
import unittest
from dataclasses import replace
from unittest import mock

from good import T

import chaos_draw
import chaos_lives
import chaos_schedule
import chaos_suite
from chaos_records import read_push
from chaos_lives import standing_still
from harness import now_ms, wait_until

PLACES = [("1", 0.2), ("2", 0.5)]


def replicas():
    """By service, the names of its processes."""
    return {service: [f"{service}-{letter}" for letter in "abc"[:count]] for service, count in chaos_draw.REPLICAS.items()}


class Drawing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.plans = [chaos_draw.draw(seed, PLACES, hosts="ab") for seed in range(1, 800)]
        cls.faults = [fault for plan in cls.plans for fault in plan.faults]
        # Of one host alone.
        cls.single = [fault for seed in range(1, 800) for fault in chaos_draw.draw(seed, PLACES).faults]

    def test_a_seed_draws_the_same_again(self):
        self.assertEqual(self.plans[:50], [chaos_draw.draw(seed, PLACES, hosts="ab") for seed in range(1, 51)])
        self.assertNotEqual(self.plans[0], self.plans[1])

    def test_every_kind_and_every_target_is_drawn(self):
        kinds = {*chaos_draw.KINDS, chaos_draw.CHANNEL_KIND, chaos_draw.PROVIDER_KIND}
        self.assertEqual({fault.kind for fault in self.faults}, kinds | {"host"})
        self.assertEqual({fault.how for fault in self.faults if fault.kind == chaos_draw.CHANNEL_KIND},
                         set(chaos_draw.CHANNEL_HOW))
        self.assertEqual({fault.how for fault in self.faults if fault.kind == chaos_draw.PROVIDER_KIND},
                         set(chaos_draw.PROVIDER_HOW))
        self.assertEqual({plan.opening for plan in self.plans if plan.listens}, set(chaos_draw.OPENINGS))
        self.assertLessEqual({"host-a", "host-b"}, {fault.target for fault in self.faults})
        for kind, ways in chaos_draw.HOW.items():
            self.assertEqual({fault.how for fault in self.faults if fault.kind == kind}, set(ways))
        killed = {fault.target for fault in self.faults if fault.kind == "kill" and not fault.aim}
        self.assertEqual(killed, {name for names in replicas().values() for name in names})
        self.assertEqual(sum(plan.is_control for plan in self.plans), 99)
        self.assertTrue(all(14 <= len(plan.phones) <= 76 for plan in self.plans))
        self.assertGreater(sum(fault.aim is not None for fault in self.faults), len(self.faults) // 3)
        self.assertEqual({fault.kind for fault in self.single}, kinds)

    def test_phones_listen_in_schedules_of_even_seeds_whose_other_draws_stay(self):
        for plan in self.plans:
            without = chaos_draw.draw(plan.seed, PLACES, hosts="ab", channels=False)
            self.assertEqual(plan.listens, plan.seed % 2 == 0)
            phones = tuple(replace(phone, listens=False, reports=None, changes=None, changes_to="") for phone in plan.phones)
            faults = tuple(fault for fault in plan.faults if fault.kind != chaos_draw.CHANNEL_KIND)
            self.assertEqual(replace(plan, phones=phones, faults=faults, opening=""), without)

    def test_the_provider_is_in_one_trouble_at_a_time(self):
        for plan in self.plans:
            found = [fault for fault in plan.faults if fault.kind == chaos_draw.PROVIDER_KIND]
            self.assertTrue(all(one.at + one.lasts < other.at for one, other in zip(found, found[1:])))

    def test_nothing_lasts_beyond_the_schedule_and_a_database_stands_still_for_a_second_at_least(self):
        self.assertTrue(all(fault.at + fault.lasts <= chaos_draw.PLAY + 1.6 for fault in self.faults + self.single))
        databases = [fault for fault in self.single if fault.kind == "postgres"]
        still = [fault.lasts for fault in databases if fault.how == "freeze"]
        self.assertTrue(all(1 <= lasts <= 4 for lasts in still))
        self.assertGreater(max(still), 3.5)
        self.assertEqual({fault.lasts for fault in databases if fault.how != "freeze"}, {0})

    def test_places_have_two_alerts_near_and_are_far_from_the_result(self):
        places = [round(share * 120) for frames in ([30, 35, 90], list(range(120)))
                  for _, share in chaos_draw.places_of("t", frames, 120)]
        self.assertEqual((places[:7], places[7], max(places)), (list(range(22, 29)), 8, 120 - 2 * chaos_draw.BALLS - 1))


class Lives(unittest.TestCase):
    """What `sightscreen up` tells of a process, and what was done to it."""

    def setUp(self):
        self.suite = mock.MagicMock(folder=pathlib.Path("/none"), deaths=[], is_ending=False)

    def dies(self, name="event-bus-a", status=-9, struck_with=None, after_ms=20):
        life = chaos_lives.Life(self.suite, name=name)
        # A process that there is: it is not struck in earnest.
        with mock.patch.object(life, "send_signal"):
            life.note({"event": "started", "pid": os.getpid(), "ready": None if name == "postgres" else "http://x/"})
            if struck_with:
                life.strike(struck_with)
            life.note({"event": "died", "pid": os.getpid(), "status": status, "atMs": now_ms() + after_ms, "restartInMs": 100})
        return self.suite.deaths[-1], life

    def test_one_that_is_killed_was_to_die_and_is_waited_for(self):
        death, life = self.dies(struck_with=signal.SIGKILL)
        self.assertEqual((death.wanted, death.status, death.restart_ms, death.drained_ms), (True, -9, 100, None))
        self.assertIs(life.waits_for, death)

    def test_one_that_nobody_struck_was_not_to_die(self):
        self.assertFalse(self.dies()[0].wanted)

    def test_one_that_was_asked_to_end_has_drained(self):
        death, _ = self.dies(struck_with=signal.SIGTERM, status=0, after_ms=300)
        self.assertTrue(death.wanted and 300 <= death.drained_ms < 400)

    def test_a_database_may_give_up_for_a_while_after_a_crash(self):
        self.assertTrue(self.dies("postgres", status=1, struck_with=signal.SIGKILL, after_ms=14_000)[0].wanted)
        death, life = self.dies("postgres", status=1, struck_with=signal.SIGKILL, after_ms=16_000)
        self.assertEqual((death.wanted, life.waits_for), (False, None))

    def test_when_all_ends_no_death_counts(self):
        self.suite.is_ending = True
        with self.assertRaises(IndexError):
            self.dies()


class Processes(unittest.TestCase):
    def test_the_second_of_each_service_is_of_the_other_version(self):
        for others, second in (({}, "/new"), ({"others": "/old"}, "/old")):
            suite = chaos_suite.ChaosSuite("/new", **others)
            suite.links.loop.close()
            for name, service in chaos_suite.INSTANCES.items():
                folder = second if name.endswith("-b") else "/new"
                self.assertEqual(suite.program(service, name), f"{folder}/{service}")

    def test_one_stands_still_with_its_children_and_goes_on(self):
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
    @staticmethod
    def audits(*processes):
        """What is read from the scrapes of coordinators, as pairs of their beginning and their audits."""
        kept = [mock.Mock(**{"scrape.return_value": [("process_start_time_seconds", "", float(one[0])), ("sightscreen_pushes_total", "{x}", 70.0)] + [
            ("sightscreen_audits_total", "", float(audits)) for audits in one[1:]] if one else []}) for one in processes]
        for letter, each in zip("abc", kept):
            each.name = f"la-coordinator-{letter}"
        suite = mock.Mock(**{"of.return_value": kept})
        return chaos_schedule.Schedule(suite, mock.Mock(), *[None] * 3).audits()

    def test_a_count_of_audits_begins_anew_with_its_process(self):
        for before, after, grown in (
                # The first goes on, the second came back, and the third does not answer.
                (((1, 30), (2, 20), (3, 10)), ((1, 34), (9, 2), ()), 6), (((1, 30),), ((1, 30),), 0),
                # These have made none.
                (((1,),), ((1,), (1,), (1,)), 0)):
            self.assertEqual(chaos_schedule.grown(self.audits(*before), self.audits(*after)), grown)

    def test_a_line_of_the_log_is_read(self):
        line = {"seq": 7, "receivedAt": T, "environment": "production", "connection": 1, "token": "aa", "headers": {
            "apns-expiration": "99"}, "verdict": {"status": 410, "reason": "Unregistered", "timestamp": 5}, "fault": "answer"}
        payload = ('{"aps":{"alert":{"body":"b","title":"t"},"attributes":{"startId":"s"},"content-state":{"version":4},'
                   '"event":"start","timestamp":12}}')
        read = read_push(json.dumps(line, separators=(",", ":"))[:-1].encode() + b',"payload":' + payload.encode() + b"}\n")
        self.assertEqual((read.at_ms, read.token, read.event, read.stamp, read.version), (T, "aa", "start", 12, 4))
        self.assertEqual((read.alert, read.start_id, read.expiration), (("t", "b"), "s", 99))
        self.assertEqual((read.status, read.reason, read.dead_since, read.fault), (410, "Unregistered", 5, "answer"))
        self.assertEqual((read.verdict, read.payload, read.seq, read.tells), (None, payload, 7, False))
        # One to an app.
        line |= {"deviceVerdict": "handled", "payloadText": "x"}
        self.assertEqual(read_push(json.dumps(line).encode()).payload, "x")


if __name__ == "__main__":
    unittest.main()
