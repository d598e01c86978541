"""What the schedules of deploy/chaos come to: each in figures, and all of them together, whichever job played them."""

import collections

import chaos_alerts
import chaos_processes
import chaos_invariants
import chaos_listeners

INVARIANTS = {
    "I1": chaos_invariants.acknowledged_is_kept, "I2": chaos_invariants.no_follower_is_lost,
    "I3": chaos_invariants.one_start_at_a_time, "I4": chaos_invariants.stamps_grow,
    "I5": chaos_invariants.newest_state_is_shown, "I6": chaos_invariants.versions_never_go_back,
    "I7": chaos_alerts.alerts_at_most_once, "I8": chaos_alerts.alerts_come, "I9": chaos_invariants.nothing_after_the_end,
    "I10": chaos_invariants.dead_tokens_stay_dead, "I12": chaos_invariants.trouble_kills_no_token,
    "I13": chaos_invariants.nothing_after_an_unfollow, "I13 ends": chaos_invariants.ends_follow,
    "I14": chaos_invariants.tokens_have_one_owner, "I15": chaos_invariants.one_writer,
    "I16": chaos_processes.sizes_are_bounded, "I17": chaos_processes.payloads_are_good, "I18": chaos_processes.few_provider_tokens,
    "I20 secrets": chaos_processes.nothing_leaks, "I20 restarts": chaos_processes.processes_come_back,
    "D2": chaos_processes.answers_are_known, "L1": chaos_processes.converges, "audit": chaos_processes.audits_find_nothing,
    "channels": chaos_listeners.channels_are_named, "metrics": chaos_alerts.metrics_count,
}
# With so many schedules each invariant must have had something to judge.
ENOUGH = 20
# With so many each kind of fault must have come so often into the middle of an alert.
SOAK, INSIDE = 500, 30
# A suite that goes wrong so often is not worth more time.
BAD_MAX = 10


def judged(case):
    """What a schedule comes to, as it goes from a job to the run in JSON; and the violations in words, by invariant."""
    counts, found = {}, {}
    for name, judge in INVARIANTS.items():
        counts[name], problems = judge(case)
        if problems:
            found[name] = problems
    sizes = collections.defaultdict(int)
    for _, what, value in case.sizes:
        sizes[what] = max(sizes[what], value)
    return {
        "seed": case.seed, "isControl": case.is_control, "judged": counts,
        "broken": {name: len(problems) for name, problems in found.items()},
        "faults": collections.Counter(strike.kind for strike in case.strikes),
        "inside": collections.Counter(strike.kind for strike in case.strikes if strike.inside is not None),
        "alerts": chaos_alerts.lost_counts(case), "sizes": sizes,
        "backMs": [death.back_ms - death.at_ms for death in case.deaths if death.back_ms is not None],
        "convergedMs": case.converged_ms and case.converged_ms - case.last_fault_ms,
    }, found


class Tally:
    def __init__(self):
        self.judged, self.broken = collections.Counter(), collections.Counter()
        self.faults, self.inside = collections.Counter(), collections.Counter()
        self.alerts, self.control_alerts = collections.Counter(), collections.Counter()
        # Lines of level error in the services' logs, by service and text.
        self.errors = collections.Counter()
        self.schedules = self.bad = self.controls = 0
        self.back, self.converged, self.sizes = [], [], collections.defaultdict(int)

    def add(self, outcome):
        """Of one schedule."""
        self.schedules += 1
        self.controls += outcome["isControl"]
        self.bad += bool(outcome["broken"])
        for total, name in ((self.judged, "judged"), (self.broken, "broken"), (self.faults, "faults"), (self.inside, "inside"),
                            (self.control_alerts if outcome["isControl"] else self.alerts, "alerts")):
            total.update(outcome[name])
        self.back += outcome["backMs"]
        if outcome["convergedMs"] is not None:
            self.converged.append(outcome["convergedMs"])
        for what, value in outcome["sizes"].items():
            self.sizes[what] = max(self.sizes[what], value)

    def close(self, end):
        """Of a suite that is gone."""
        self.broken["I20 restarts"] += len(end["unclean"])
        for service, text, count in end["errors"]:
            self.errors[service, text] += count

    def seeds(self, first, count):
        """What is to be played, as long as it is worth it."""
        for seed in range(first, first + count):
            if self.bad >= BAD_MAX:
                return
            yield seed

    def lines(self):
        for name, judge in INVARIANTS.items():
            met = self.broken[name] == 0 and (self.judged[name] > 0 or self.schedules < ENOUGH)
            line = {"invariant": name, "what": judge.__doc__.split(": ", 1)[-1].split("\n")[0].strip(),
                    "judged": self.judged[name], "violations": self.broken[name], "met": met}
            yield line | self.figures(name)

    def figures(self, name):
        if name == "I8":
            return {"alertsWanted": self.alerts["wanted"], "bound": self.alerts["bound"], "lost": self.alerts["lost"],
                    "lostClaimed": self.alerts["lostClaimed"], "controlWanted": self.control_alerts["wanted"],
                    "controlLost": self.control_alerts["lost"]}
        if name == "I16":
            return {"largest": dict(self.sizes)}
        if name == "L1":
            return {"slowestMs": max(self.converged, default=0), "medianMs": median(self.converged)}
        if name == "I20 restarts":
            return {"slowestMs": max(self.back, default=0), "medianMs": median(self.back)}
        return {}

    def sum(self, schedules, kinds):
        """The line for all: of so many schedules that there were to be."""
        seldom = [kind for kind in kinds if self.inside[kind] < INSIDE] if self.schedules >= SOAK else []
        met = self.schedules == schedules and not seldom and all(line["met"] for line in self.lines())
        return {
            "schedules": self.schedules, "withoutFaults": self.controls,
            "faults": {kind: self.faults[kind] for kind in kinds}, "insideAlert": {kind: self.inside[kind] for kind in kinds},
            "insideTooSeldom": seldom, "violations": sum(self.broken.values()), "met": met,
        }


def median(values):
    return sorted(values)[len(values) // 2] if values else 0
