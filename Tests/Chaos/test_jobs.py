"""The jobs of a random-fault run and the sum of what they find: jobs are real processes here, and suites are not."""

import contextlib
import io
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from good import T, call, good

import chaos_tally
from chaos_jobs import Prefixed, run_jobs
from chaos_records import Strike
from harness import HarnessError, wait_until

OUTCOME = {"seed": 0, "isControl": False, "judged": {}, "broken": {}, "faults": {}, "inside": {}, "alerts": {}, "sizes": {},
           "backMs": [], "convergedMs": None}
# A job that plays at once, and says which seeds in the sizes.
PLAYER = f"""
import json, sys
for seed in map(int, sys.stdin):
    print(json.dumps({OUTCOME!r} | {{"seed": seed, "judged": {{"I1": 1}}, "backMs": [seed]}}), flush=True)
print(json.dumps({{"unclean": ["x"], "errors": [["event-bus", "no", 2]]}}))
"""
# One that says which process it is, and plays for ever.
SLEEPER = """
import os, sys, time
open(sys.argv[1] + "-new", "w").write(str(os.getpid()))
os.rename(sys.argv[1] + "-new", sys.argv[1])
time.sleep(600)
"""


def python(text, *arguments):
    return [sys.executable, "-B", "-c", text, *arguments]


def is_alive(pid):
    # One that has not been waited for yet is dead as well.
    with contextlib.suppress(OSError):
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


class Jobs(unittest.TestCase):
    def setUp(self):
        self.tally = chaos_tally.Tally()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.note = pathlib.Path(folder.name) / "pid"

    def sleeper(self):
        """The process of a job that has begun."""
        wait_until("the job has begun", self.note.exists)
        return int(self.note.read_text())

    def test_every_seed_is_played_once_and_all_is_summed_up(self):
        run_jobs([python(PLAYER)] * 3, self.tally.seeds(5, 20), self.tally)
        self.assertEqual((self.tally.schedules, self.tally.judged["I1"]), (20, 20))
        self.assertEqual(sorted(self.tally.back), list(range(5, 25)))
        self.assertEqual(self.tally.broken["I20 restarts"], 3)
        self.assertEqual(self.tally.errors, {("event-bus", "no"): 6})

    def test_one_that_cannot_go_on_or_ends_in_the_middle_ends_all(self):
        # It ends when the other one has begun.
        failing = f"import os, time\nwhile not os.path.exists({str(self.note)!r}): time.sleep(0.01)\nraise SystemExit(70)"
        with self.assertRaisesRegex(HarnessError, "job 2 has ended with status 70"):
            run_jobs([python(SLEEPER, str(self.note)), python(failing)], iter([1, 2]), self.tally)
        self.assertFalse(is_alive(self.sleeper()))

    def test_one_that_ends_in_the_middle_has_not_done_its_part(self):
        with self.assertRaisesRegex(HarnessError, "status 0"):
            run_jobs([python("input()")], iter([1, 2]), self.tally)

    def test_a_signal_ends_all(self):
        run = f"""
import sys
sys.path[:0] = {sys.path!r}
from chaos_jobs import run_jobs
from harness import ending_on_signals
with ending_on_signals():
    run_jobs([{python(SLEEPER, str(self.note))!r}], iter([1]), None)
"""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            self.note.unlink(missing_ok=True)
            process = subprocess.Popen(python(run))
            pid = self.sleeper()
            process.send_signal(number)
            process.wait(30)
            # A run that is killed cannot wait for its jobs.
            wait_until("the job is gone", lambda: not is_alive(pid))
            self.assertEqual(process.returncode, -9 if number == signal.SIGKILL else 128 + number)

    def test_each_line_of_a_job_says_whose_it_is(self):
        out = io.StringIO()
        both = [Prefixed(f"job {number}: ", out) for number in (1, 2)]
        print("one", end=" ", file=both[0])
        print("two\nthree", file=both[1], flush=True)
        print("line", file=both[0])
        self.assertEqual(out.getvalue(), "job 2: two\njob 2: three\njob 1: one line\n")


class Tally(unittest.TestCase):
    KINDS = ["kill", "clock"]

    @staticmethod
    def outcome(case=None, **changes):
        return json.loads(json.dumps(chaos_tally.judged(case or good())[0])) | changes

    def total(self, outcomes, schedules=None):
        tally = chaos_tally.Tally()
        for outcome in outcomes:
            tally.add(outcome)
        return tally, tally.sum(schedules or len(outcomes), self.KINDS)

    def test_schedules_are_judged_by_every_rule_and_summed_up(self):
        case, control = good(), good()
        case.strikes = [Strike("kill", "a", T, T, inside=3), Strike("kill", "a", T, T), Strike("clock", "a", T, T, inside=3)]
        case.sizes, case.converged_ms = [("c", "fds", 50), ("d", "fds", 40)], None
        control.is_control, control.strikes = True, []
        tally, total = self.total([self.outcome(case), self.outcome(control)])
        self.assertEqual(set(tally.judged), set(chaos_tally.INVARIANTS))
        self.assertEqual((total["schedules"], total["withoutFaults"]), (2, 1))
        self.assertEqual((total["faults"], total["insideAlert"]), ({"kill": 2, "clock": 1}, {"kill": 1, "clock": 1}))
        self.assertEqual((tally.alerts["wanted"], tally.control_alerts["wanted"]), (2, 2))
        self.assertEqual(dict(tally.sizes), {"fds": 50, "rss": 40 << 20})
        self.assertEqual((tally.converged, tally.back), ([4_000], [949, 949]))
        # The first one has not become what it should.
        lines = {line["invariant"]: line for line in tally.lines()}
        self.assertEqual([name for name, line in lines.items() if not line["met"]], ["L1"])
        self.assertEqual((total["violations"], total["met"], tally.bad), (1, False, 1))

    def test_it_is_met_when_all_were_played_each_rule_judged_and_each_kind_came_into_alerts(self):
        bad = good()
        bad.calls.append(call("ann", "follow", T, status=500))
        fine, rules = self.outcome(), set(chaos_tally.INVARIANTS)
        unjudged, judged = (fine | {"judged": dict.fromkeys(names, 1)} for names in (rules - {"metrics"}, rules))
        # Of so many schedules each kind of fault must have come into 30 alerts.
        soak = [judged | {"inside": {"kill": 1, "clock": number < 30}} for number in range(500)]
        seldom = [judged | {"inside": {"kill": 1}}] + soak[1:]
        for outcomes, schedules, found, met in (
                ([fine], 1, [], True), ([fine, self.outcome(bad)], 2, [], False), ([fine], 2, [], False),
                ([unjudged] * 19, 19, [], True), ([unjudged] * 20, 20, [], False),
                (soak, 500, [], True), (seldom, 500, ["clock"], False), (seldom[:499], 499, [], True)):
            _, total = self.total(outcomes, schedules)
            self.assertEqual((total["insideTooSeldom"], total["met"]), (found, met), len(outcomes))

    def test_no_more_is_played_when_much_is_bad(self):
        tally = chaos_tally.Tally()
        for _ in tally.seeds(1, 100):
            tally.add(self.outcome(broken={"I1": 1}))
        self.assertEqual(tally.schedules, chaos_tally.BAD_MAX)


if __name__ == "__main__":
    unittest.main()
