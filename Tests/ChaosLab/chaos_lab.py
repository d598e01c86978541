"""What `deploy/chaos` runs: random faults over two or three of everything during a match that is played fast, judged by the
invariants. A line of JSON for each of them, and one for all."""

import argparse
import collections
import dataclasses
import json
import pathlib
import subprocess
import sys
import time

import chaos_alerts
import chaos_house
import chaos_invariants
from chaos_draw import HOST_KINDS, KINDS, draw, places_of
from chaos_hosts import ADDRESSES, Hosts
from chaos_logs import LogScan
from chaos_schedule import Schedule, show
from chaos_suite import Session, Suite
from chaos_watch import Commits, Deliveries
from children import ENVIRONMENT, EndedTooSoon, LabError, say

INVARIANTS = {
    "I1": chaos_invariants.acknowledged_is_kept, "I2": chaos_invariants.no_follower_is_lost,
    "I3": chaos_invariants.one_start_at_a_time, "I4": chaos_invariants.stamps_grow,
    "I5": chaos_invariants.newest_state_is_shown, "I6": chaos_invariants.versions_never_go_back,
    "I7": chaos_alerts.alerts_at_most_once, "I8": chaos_alerts.alerts_come, "I9": chaos_invariants.nothing_after_the_end,
    "I10": chaos_invariants.dead_tokens_stay_dead, "I12": chaos_invariants.trouble_kills_no_token,
    "I13": chaos_invariants.nothing_after_an_unfollow, "I13 ends": chaos_invariants.ends_follow,
    "I14": chaos_invariants.tokens_have_one_owner, "I15": chaos_invariants.one_writer,
    "I16": chaos_house.sizes_are_bounded, "I17": chaos_house.payloads_are_good, "I18": chaos_house.few_provider_tokens,
    "I20 secrets": chaos_house.nothing_leaks, "I20 restarts": chaos_house.processes_come_back,
    "D2": chaos_house.answers_are_known, "L1": chaos_house.converges, "audit": chaos_house.audits_find_nothing,
    "metrics": chaos_alerts.metrics_count,
}
TAPES = ["1304076", "1256724", "1270836", "1426299"]
MATCHES = pathlib.Path(__file__).resolve().parent.parent / "Fixtures" / "matches"
# With so many schedules each invariant must have had something to judge.
ENOUGH = 20
# A suite that goes wrong so often is not worth more time.
BAD_MAX = 10


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, choices=(1, len(ADDRESSES)), default=1)
    parser.add_argument("--keep")
    chosen = parser.parse_args()
    if chosen.schedules < 1 or chosen.seed < 0:
        parser.error("--schedules is at least 1, --seed not negative")
    return chosen


def find_places(binaries):
    """Where alerts are near, in a few matches."""
    places = []
    for tape in TAPES:
        done = subprocess.run(
            [pathlib.Path(binaries) / "sightscreen", "replay", MATCHES / f"{tape}.json", "--alerts"], env=ENVIRONMENT,
            capture_output=True, text=True)
        frames = [json.loads(line)["frame"] for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(frames) < 4:
            raise LabError(f"sightscreen replay of {tape}: {done.stderr.strip() or 'hardly an alert'}")
        # The last is the result, behind which there is no play.
        places += places_of(tape, frames[:-1], max(frames))
    return places


class Tally:
    """What came of all schedules."""

    def __init__(self):
        self.judged = collections.Counter()
        self.broken = collections.Counter()
        self.faults, self.inside = collections.Counter(), collections.Counter()
        self.alerts = collections.Counter()
        self.schedules = self.bad = self.controls = 0
        self.back, self.converged, self.sizes = [], [], collections.defaultdict(int)

    def add(self, case):
        self.schedules += 1
        self.controls += case.is_control
        found = {}
        for name, judge in INVARIANTS.items():
            judged, problems = judge(case)
            self.judged[name] += judged
            self.broken[name] += len(problems)
            if problems:
                found[name] = problems
        self.bad += bool(found)
        for strike in case.strikes:
            self.faults[strike.kind] += 1
            self.inside[strike.kind] += strike.inside is not None
        counts = chaos_alerts.lost_counts(case)
        self.alerts += collections.Counter({("control " if case.is_control else "") + name: count
                                            for name, count in counts.items()})
        self.back += [death.back_ms - death.at_ms for death in case.deaths if death.back_ms is not None]
        if case.converged_ms:
            self.converged.append(case.converged_ms - case.last_fault_ms)
        for _, what, value in case.sizes:
            self.sizes[what] = max(self.sizes[what], value)
        return found

    def lines(self):
        for name, judge in INVARIANTS.items():
            met = self.broken[name] == 0 and (self.judged[name] > 0 or self.schedules < ENOUGH)
            line = {"invariant": name, "what": judge.__doc__.split(": ", 1)[-1].split("\n")[0].strip(),
                    "judged": self.judged[name], "violations": self.broken[name], "met": met}
            yield line | self.figures(name)

    def figures(self, name):
        if name == "I8":
            return {"alertsWanted": self.alerts["wanted"], "lost": self.alerts["lost"],
                    "lostClaimed": self.alerts["lostClaimed"], "controlWanted": self.alerts["control wanted"],
                    "controlLost": self.alerts["control lost"]}
        if name == "I16":
            return {"largest": dict(self.sizes)}
        if name == "L1":
            return {"slowestMs": max(self.converged, default=0), "medianMs": median(self.converged)}
        if name == "I20 restarts":
            return {"slowestMs": max(self.back, default=0), "medianMs": median(self.back)}
        return {}


def median(values):
    return sorted(values)[len(values) // 2] if values else 0


def tell(case, found):
    """A violation, with what there is to understand it."""
    say(f"  VIOLATED, seed {case.seed} (deploy/chaos --replay {case.seed} draws it again): {', '.join(found)}")
    for name, problems in found.items():
        for problem in problems[:8]:
            say(f"    {name}: {problem}")
        if len(problems) > 8:
            say(f"    {name}: and {len(problems) - 8} more")
    for line in story(case):
        say(f"    {line}")


def story(case):
    """Faults, deaths and alerts in their order."""
    events = [(strike.begun_ms, f"fault {strike.short()}") for strike in case.strikes]
    events += [(death.at_ms, f"{death.at_ms}: {death.name} ended with {death.status}, back {death.back_ms}")
               for death in case.deaths]
    events += [(at_ms, f"{at_ms}: version {version} committed with {alert['title']!r}")
               for version, at_ms, alert in chaos_alerts.alerts(case)]
    yield from (line for _, line in sorted(events))
    yield f"{case.last_fault_ms}: the last fault is over; converged {case.converged_ms}"


def keep(case, folder, whole):
    """What happened in each schedule; and of one that was violated, all that is known."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "stories.txt", "a") as file:
        print(f"seed {case.seed}", *story(case), sep="\n  ", file=file)
    if whole:
        parts = dataclasses.asdict(case) | {"killed": sorted(case.killed)}
        (folder / f"schedule-{case.seed}.json").write_text(json.dumps(parts, indent=1, ensure_ascii=False))


def run(chosen):
    tally = Tally()
    places = find_places(chosen.binaries)
    names = "".join(ADDRESSES) if chosen.hosts > 1 else ""
    with Suite(chosen.binaries, MATCHES, chosen.keep, Hosts() if names else None) as suite:
        now = None

        def received(push):
            if now:
                now.received(push)

        def committed(version, alerts):
            if now:
                now.committed(version, alerts)

        deliveries, commits = Deliveries(suite.simulator, received), Commits(suite.postgres, committed)
        session = Session(suite.postgres)
        key = (suite.folder / "key.p8").read_text().splitlines()[1]
        scan = LogScan(suite.folder / "logs", {
            "API key": suite.admin_key, "provider's token": suite.provider_token, "APNs key": key})
        suite.stack.callback(session.close)
        suite.stack.callback(commits.stop)
        suite.stack.callback(deliveries.stop)
        deliveries.start()
        commits.start()
        for seed in range(chosen.seed, chosen.seed + chosen.schedules):
            now = Schedule(suite, draw(seed, places, hosts=names), session, commits, scan)
            case = now.run()
            if deliveries.trouble:
                raise LabError(f"the simulator's log is cut: {deliveries.trouble!r}")
            show(case)
            found = tally.add(case)
            if found:
                tell(case, found)
            if chosen.keep:
                keep(case, chosen.keep, whole=bool(found))
            if tally.bad >= BAD_MAX:
                say(f"  {tally.bad} schedules were violated: no more of this")
                break
        for (service, text), count in sorted(scan.lines.items(), key=lambda item: -item[1])[:20]:
            say(f"  {count} × {service}: {text}")
    for problem in suite.supervisor.unclean:
        say(f"  VIOLATED, I20 restarts: {problem}")
        tally.broken["I20 restarts"] += 1
    return tally


def main():
    chosen = options()
    begun = time.monotonic()
    tally = run(chosen)
    met = tally.schedules == chosen.schedules
    for line in tally.lines():
        met = met and line["met"]
        print(json.dumps(line, separators=(",", ":"), ensure_ascii=False), flush=True)
    kinds = HOST_KINDS if chosen.hosts > 1 else KINDS
    print(json.dumps({
        "chaos": "sightscreen", "schedules": tally.schedules, "seed": chosen.seed, "hosts": chosen.hosts,
        "withoutFaults": tally.controls,
        "faults": {kind: tally.faults[kind] for kind in kinds}, "insideAlert": {kind: tally.inside[kind] for kind in kinds},
        "violations": sum(tally.broken.values()), "tookSeconds": round(time.monotonic() - begun), "met": met,
    }, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (LabError, EndedTooSoon) as error:
        say(f"chaos: {error}")
        sys.exit(70)
