"""One schedule of deploy/chaos: a fresh match on the warm suite, its faults, the quiet after them, and the records of it all."""

import contextlib
import dataclasses
import re
import time

from chaos_alerts import alerts, mark_inside
from chaos_draw import BALLS, CHANNEL_KIND, PLAY, REPLICAS, SPEED
from chaos_faults import Striker
from chaos_invariants import acknowledged_is_kept, ends_follow, newest_state_is_shown, no_follower_is_lost
from chaos_listeners import heard_within_ms, left_without_end, newest_is_heard
from chaos_phones import Fleet
from chaos_records import Case, Strike
from chaos_lives import size, stacks
from chaos_watch import read_rows
from harness import HarnessError, call, now_ms, say, wait_until

KNOWN_WITHIN, RUNNING_WITHIN = 20.0, 30.0
# L1, and how long it is looked at beyond that, to say what became of it.
CONVERGED_WITHIN, WATCHED_FOR = 15.0, 45.0
# When the match is over everything ends; an end that died with its sender is tried again when its lease is over.
ENDED_WITHIN = 45.0
SETTLED_WITHIN = 10.0
# For so long channels are waited for, and what is asked of APNs about them is in trouble.
OPEN_WITHIN, OPENING_MS = 8.0, 5_000
OPENINGS = {
    # Made, and the answer is lost.
    "createLost": {"match": {"call": "create", "count": 2, "forMs": OPENING_MS}, "close": True},
    "unavailable": {"match": {"call": "management", "forMs": OPENING_MS}, "reason": "ServiceUnavailable"},
}
HEARD_BEYOND_MS, ORPHANS_WITHIN = 15_000, 5.0
# Nothing more comes.
QUIET_MS = 700
LABEL = re.compile(r"^S\d+ [\d.]+ (\d+/\d+)$")


class Schedule:
    """The threads that see what happens call `received` and `committed` of the schedule of now."""

    def __init__(self, suite, plan, session, commits, scan):
        self.suite = suite
        self.plan = plan
        self.session = session
        self.scan = scan
        self.case = Case(seed=plan.seed, is_control=plan.is_control)
        self.commits = commits
        self.fleet = self.striker = self.opening = None

    # From the threads that watch.

    def received(self, push):
        fleet = self.fleet
        if fleet and push.channel and not push.token:
            if push.channel in fleet.channels:
                self.case.publishes.append(push)
        elif fleet and any(push.token in known for known in (fleet.by_start, fleet.by_token, fleet.by_device_token)):
            self.case.pushes.append(push)
            fleet.receive(push)
            if self.striker:
                self.striker.pushed(push)

    def committed(self, version, alerts):
        if self.striker:
            self.striker.committed(version, alerts)

    # The schedule.

    def run(self):
        try:
            self.prepare()
            self.play()
            self.converge()
            self.hear()
            self.measure()
            self.end()
            self.gather()
        finally:
            if self.fleet:
                self.fleet.close()
        return self.case

    def prepare(self):
        """A match that is on, and phones that follow it."""
        suite, plan, case = self.suite, self.plan, self.case
        wait_until("all services are ready", lambda: not suite.troubled(), within=60, pause=0.2)
        suite.take_deaths()
        self.before = self.settled_metrics() if plan.is_control else self.metrics()
        self.audits_before = self.audits()
        position = suite.control("POST", f"tapes/{plan.tape}/load", {
            "paused": True, "speed": SPEED, "variant": plan.variant, "seed": plan.seed})
        case.match = int(position["matchId"])
        begin = suite.control("POST", f"matches/{case.match}/seek", {
            "cursor": max(1, min(int(plan.place * position["frames"]), position["frames"] - BALLS))})
        self.begun_at = begin["cursor"]
        self.commits.follow(case.match)
        self.fleet = Fleet(suite, plan, case.match)
        case.phones = self.fleet.phones
        wait_until("the match is known", lambda: self.session.rows(
            f"SELECT 1 AS one FROM active_matches WHERE match_id = {case.match} AND version > 0"), within=KNOWN_WITHIN)
        if plan.listens:
            self.open_channels()
        self.fleet.begin()
        if not plan.early:
            wait_until("the activities run", lambda: self.fleet.running() >= self.fleet.expected, within=RUNNING_WITHIN)
        time.sleep(self.fleet.change_early())

    def open_channels(self):
        """Some phones follow first, so that there are channels when the others do."""
        # What an earlier schedule was refused holds for an hour.
        self.suite.sql("DELETE FROM broadcast_stops")
        # Nor is it of this one, what others have left.
        self.no_orphans()
        self.suite.orphans |= set(self.case.orphans)
        control, first = self.suite.endpoints["apnsControl"], self.fleet.first()
        if self.plan.opening:
            call(control, "POST", "/faults", OPENINGS[self.plan.opening])
            self.opening = Strike(CHANNEL_KIND, "apns", now_ms(), now_ms() + OPENING_MS, self.plan.opening)
        self.fleet.begin({index for found in first.values() for index in found})
        with contextlib.suppress(HarnessError):
            # While they cannot be made, phones get tokens.
            wait_until("the channels are open", lambda: len(self.session.rows(
                f"SELECT 1 AS one FROM broadcast_channels WHERE match_id = {self.case.match} AND channel_id IS NOT NULL"
            )) >= len(first), within=OPEN_WITHIN)

    def play(self):
        suite, case = self.suite, self.case
        self.striker = Striker(suite, self.commits, self.plan.faults, self.fleet.channels)
        todo = sorted([*self.fleet.deeds(), *self.striker.times()], key=lambda pair: pair[0])
        suite.control("POST", f"matches/{case.match}/play")
        begun = time.monotonic()
        for at, deed in [*todo, (PLAY, lambda: None)]:
            time.sleep(max(0.0, begun + at - time.monotonic()))
            deed()
        position = suite.control("POST", f"matches/{case.match}/pause")
        case.played = (self.begun_at, position["cursor"], position["frames"])
        self.striker.wait()
        suite.simulator.clear_faults()
        strikes = self.striker.strikes + ([self.opening] if self.opening else [])
        case.strikes = sorted(strikes, key=lambda strike: strike.begun_ms)
        case.last_fault_ms = max([strike.ended_ms for strike in case.strikes], default=now_ms())

    # What it comes to.

    def read(self):
        rows = read_rows(self.session, self.case.match, self.fleet.users)
        with self.fleet.guard:
            self.case.calls = list(self.fleet.calls)
            self.case.killed, self.case.moved = set(self.fleet.killed), list(self.fleet.moved)
        return rows

    def converge(self):
        deadline = self.case.last_fault_ms + WATCHED_FOR * 1_000
        while True:
            try:
                self.case.rows = self.read()
                waiting = self.waiting_for()
            except HarnessError as error:
                waiting = [str(error)]
            if now_ms() - self.case.last_fault_ms <= CONVERGED_WITHIN * 1_000 or not self.case.waiting_for:
                self.case.waiting_for = waiting
            if not waiting:
                self.case.converged_ms = now_ms()
                return
            if now_ms() > deadline:
                return self.look_into()
            time.sleep(0.25)

    def hear(self):
        """All who listen show the newest state."""
        case = self.case
        if not self.plan.listens:
            return
        while True:
            with contextlib.suppress(HarnessError):
                case.rows = self.read()
                # What has not come right for so long will not do so meanwhile.
                if not newest_is_heard(case)[1] and not (case.converged_ms and self.waiting_for()):
                    case.heard_ms = now_ms()
                    return
                if now_ms() > case.last_fault_ms + heard_within_ms(case) + HEARD_BEYOND_MS:
                    return
            time.sleep(0.25)

    def look_into(self):
        """Where the processes stand that are not ready so long after the last fault; it goes to their logs."""
        for name in self.suite.troubled():
            process = self.suite.processes[name]
            if process.is_running:
                with open(process.log.with_suffix(".stacks"), "a") as file:
                    print(f"process {process.pid}", stacks(process.pid), sep="\n", file=file)

    def waiting_for(self):
        """What is not yet as it should be, in words; first what costs least to find out."""
        case = self.case
        if not self.fleet.is_idle:
            return ["calls that are not answered"]
        if names := self.suite.troubled():
            return [f"{name} is not ready" for name in names]
        newest = max((push.at_ms for push in case.pushes), default=0)
        if now_ms() - newest < QUIET_MS:
            return ["pushes still come"]
        # The ends that are owed by now.
        now = dataclasses.replace(case, after=case.rows, is_control=False)
        found = [problem for judge in (acknowledged_is_kept, no_follower_is_lost, newest_state_is_shown, ends_follow)
                 for problem in judge(now)[1]]
        position = self.suite.control("GET", f"matches/{case.match}")
        label = LABEL.match(position["label"])
        if label and self.plan.variant == "clean" and case.rows.updates:
            newest = case.rows.updates[-1]["content_state"]
            if f'"score":"{label[1]}"' not in newest:
                found.append(f"the score {label[1]} is not committed")
        return found

    def end(self):
        """The result, at once: every activity ends."""
        suite, match = self.suite, self.case.match
        with contextlib.suppress(HarnessError):
            self.case.after = self.case.rows
            frames = suite.control("GET", f"matches/{match}")["frames"]
            suite.control("POST", f"matches/{match}/seek", {"cursor": frames})
            wait_until("the activities are ended", self.is_over, within=ENDED_WITHIN, pause=0.25)
            self.case.over_ms = now_ms()
        suite.control("POST", f"matches/{match}/stop")

    def is_over(self):
        rows = self.read()
        self.case.after = rows
        # An end whose answer was lost is tried again after its lease: it is not waited for. These rows are what is judged: one
        # that waits for an update under way is given back meanwhile, and for a moment nobody has claimed it.
        return all(row["status"] == "ended" and (
            row["end_push"] != "due" or row["end_attempts"] > 0 and (row["end_lease_until"] or 0) > rows.now_ms + 5_000)
            for row in rows.activities) and not left_without_end(self.case)

    def gather(self):
        case, suite = self.case, self.suite
        case.leases, case.provider_tokens = list(self.commits.leases), sorted(self.commits.provider_tokens)
        case.deaths = suite.take_deaths()
        for process in suite.of(*REPLICAS):
            with contextlib.suppress(OSError):
                case.sizes += [(process.name, what, value) for what, value in size(process.pid).items()]
        secrets = {f"push token {token[:8]}": token for phone in case.phones for token in [phone.start_token, *phone.tokens]
                   if token not in {shown.id for shown in phone.activities}}
        secrets |= {f"device token of {device}": token for device, token in self.fleet.device_tokens.items()}
        secrets |= {f"bearer {number}": bearer[-60:] for number, bearer in enumerate(self.fleet.bearers)}
        case.leaks, case.log_bytes = self.scan(secrets)
        if self.plan.listens:
            with contextlib.suppress(HarnessError):
                # One that is being made is written down or deleted soon.
                wait_until("channels are named", self.no_orphans, within=ORPHANS_WITHIN, pause=0.5)
            suite.orphans |= set(case.orphans)
        mark_inside(case)

    def no_orphans(self):
        _, listed = call(self.suite.endpoints["apnsControl"], "GET", "/channels")
        named = {row["channel_id"] for row in self.session.rows(
            "SELECT channel_id FROM broadcast_channels WHERE channel_id IS NOT NULL")}
        self.case.orphans = sorted({each["id"] for each in listed} - named - self.suite.orphans)
        return not self.case.orphans

    def measure(self):
        """What the metrics have counted until now, beside what there was to count."""
        case, after = self.case, self.settled_metrics() if self.case.is_control else self.metrics()
        if case.is_control:
            case.rows = self.read()
        case.metrics = {name: after[name] - self.before[name] for name in after if name != "mismatches"}
        case.metrics["mismatches"] = after["mismatches"]
        case.metrics["audits"] = grown(self.audits_before, self.audits())

    def settled_metrics(self):
        """When they have come to rest: they are brought up to date with each pass, twice a second."""
        found, before = self.metrics(), None
        deadline = time.monotonic() + SETTLED_WITHIN
        while found != before and time.monotonic() < deadline:
            time.sleep(1.0)
            found, before = self.metrics(), found
        return found

    def metrics(self):
        """Sums over all processes that answer."""
        found = {"updates": 0, "versions": 0, "alertsLost": 0, "mismatches": 0}
        for process in self.suite.of("la-coordinator", "event-bus"):
            for name, labels, value in process.scrape():
                if name == "sightscreen_pushes_total" and 'kind="update"' in labels and "accepted" in labels:
                    found["updates"] += value
                elif name == "sightscreen_versions_total":
                    found["versions"] += value
                elif name == "sightscreen_alerts_lost_total":
                    found["alertsLost"] += value
                elif name == "sightscreen_roster_mismatches_total":
                    found["mismatches"] += value
        return found

    def audits(self):
        """How many each coordinator that answers has made: by its name and its beginning, as the count ends with its process."""
        found = {}
        for process in self.suite.of("la-coordinator"):
            counts = {name: value for name, labels, value in process.scrape() if not labels}
            found[process.name, counts.get("process_start_time_seconds")] = int(counts.get("sightscreen_audits_total", 0))
        return found


def grown(before, after):
    """What counters have counted meanwhile, by process: who is new began with nothing, who is gone took his count along."""
    return sum(count - before.get(process, 0) for process, count in after.items())


def heard_by(case):
    if not case.listeners:
        return ""
    took = f"heard after {(case.heard_ms - case.last_fault_ms) / 1_000:.1f} s" if case.heard_ms else "NOT HEARD"
    return f"{len(case.publishes)} publishes to {len(case.listeners)} cards, {took}, "


def show(case):
    """One line about it, for people."""
    inside = sum(strike.inside is not None for strike in case.strikes)
    took = (case.converged_ms - case.last_fault_ms) / 1_000 if case.converged_ms else None
    say(f"  seed {case.seed}{' (no faults)' if case.is_control else ''}: match {case.match}, {len(case.phones)} phones,"
        f" frames {case.played[0]} to {case.played[1]}, {len(case.rows.updates)} versions, {len(alerts(case))} alerts,"
        f" {len(case.pushes)} pushes, {heard_by(case)}{len(case.strikes)} faults, {inside} inside an alert;"
        f" {'as it should be after ' + format(took, '.1f') + ' s' if took is not None else 'NOT CONVERGED'}")
