"""What `deploy/chaos` runs: random faults over two or three of everything during a match that is played fast, judged by the
invariants. A line of JSON for each of them, and one for all."""

import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import time

from chaos_alerts import alerts
from chaos_draw import CHANNEL_KIND, HOST_KINDS, HOSTS, KINDS, PROVIDER_KIND, draw, places_of
from chaos_hosts import Hosts
from chaos_jobs import Prefixed, run_jobs
from chaos_logs import LogScan
from chaos_schedule import Schedule, show
from chaos_suite import ChaosSuite
from chaos_tally import Tally, judged
from chaos_watch import Commits, Deliveries
from harness import ENVIRONMENT, TAPES as MATCHES, EndedTooSoon, HarnessError, Session, ending_on_signals, say

TAPES = ["1304076", "1256724", "1270836", "1426299"]
# A suite has some thirty processes, and hosts have numbers.
JOBS_MAX = 64


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--other-binaries")
    parser.add_argument("--schedules", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, choices=(1, len(HOSTS)), default=1)
    parser.add_argument("--jobs", type=int, default=1)
    # Given to a job by the run that it belongs to.
    parser.add_argument("--job", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--keep")
    chosen = parser.parse_args()
    if chosen.schedules < 1 or chosen.seed < 0 or not 1 <= chosen.jobs <= JOBS_MAX:
        parser.error(f"--schedules is at least 1, --seed not negative, --jobs 1 to {JOBS_MAX}")
    return chosen


def find_places(binaries):
    """Where alerts are near, in a few matches."""
    say(f"  looking for alerts in {len(TAPES)} tapes …")
    places = []
    for tape in TAPES:
        done = subprocess.run(
            [pathlib.Path(binaries) / "sightscreen", "replay", MATCHES / f"{tape}.json", "--alerts"], env=ENVIRONMENT,
            capture_output=True, text=True)
        frames = [json.loads(line)["frame"] for line in done.stdout.splitlines()]
        if done.returncode != 0 or len(frames) < 4:
            raise HarnessError(f"sightscreen replay of {tape}: {done.stderr.strip() or 'hardly an alert'}")
        # The last is the result, behind which there is no play.
        places += places_of(tape, frames[:-1], max(frames))
    return places


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
               for version, at_ms, alert in alerts(case)]
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


def play(chosen, seeds, report):
    """A schedule for each of these, one after the other on a warm suite; `report` takes what each came to.

    Returns what is to be said when the suite is gone."""
    places = find_places(chosen.binaries)
    hosts = Hosts(chosen.job) if chosen.hosts > 1 else None
    say("  starting the suite …")
    with ChaosSuite(chosen.binaries, chosen.keep, hosts, chosen.other_binaries) as suite:
        now = None

        def received(push):
            if now:
                now.received(push)

        def committed(version, alerts):
            if now:
                now.committed(version, alerts)

        deliveries, commits = Deliveries(suite.simulator, received), Commits(suite, committed)
        session = Session(suite)
        key = (suite.folder / "secrets" / "apns.p8").read_text().splitlines()[1]
        scan = LogScan(suite.folder / "logs", {
            "API key": suite.admin_key, "provider's token": suite.provider_token, "APNs key": key})
        suite.stack.callback(session.close)
        suite.stack.callback(commits.stop)
        suite.stack.callback(deliveries.stop)
        deliveries.start()
        commits.start()
        say("  playing: a line for each schedule that is over")
        for seed in seeds:
            # Another version need not know of channels.
            plan = draw(seed, places, hosts=HOSTS if hosts else "", channels=not chosen.other_binaries)
            now = Schedule(suite, plan, session, commits, scan)
            case = now.run()
            if deliveries.trouble:
                raise HarnessError(f"the simulator's log is cut: {deliveries.trouble!r}")
            show(case)
            outcome, found = judged(case)
            if found:
                tell(case, found)
            if chosen.keep:
                keep(case, chosen.keep, whole=bool(found))
            report(outcome)
    for problem in suite.unclean:
        say(f"  VIOLATED, I20 restarts: {problem}")
    return {"unclean": suite.unclean, "errors": [[*key, count] for key, count in scan.lines.items()]}


def work(chosen):
    """As one of several jobs: seeds come on standard input, a line each, and outcomes go to standard output."""
    sys.stderr = Prefixed(f"job {chosen.job}: ", sys.stderr)
    # What is started from here has no part in it.
    seeds, outcomes = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)

    def report(message):
        print(json.dumps(message), file=outcomes, flush=True)

    report(play(chosen, map(int, seeds), report))
    return 0


def run(chosen):
    """The whole of it."""
    tally, jobs, begun = Tally(), min(chosen.jobs, chosen.schedules), time.monotonic()
    seeds = tally.seeds(chosen.seed, chosen.schedules)
    if jobs == 1:
        tally.close(play(chosen, seeds, tally.add))
    else:
        run_jobs([command(chosen, number) for number in range(1, jobs + 1)], seeds, tally)
    if tally.schedules < chosen.schedules:
        say(f"  {tally.bad} schedules were violated: no more of this")
    for (service, text), count in tally.errors.most_common(20):
        say(f"  {count} × {service}: {text}")
    for line in tally.lines():
        tell_all(line)
    kinds = [*(HOST_KINDS if chosen.hosts > 1 else KINDS), PROVIDER_KIND,
             *([] if chosen.other_binaries else [CHANNEL_KIND])]
    total = tally.sum(chosen.schedules, kinds)
    others = {"beside": pathlib.Path(chosen.other_binaries).name} if chosen.other_binaries else {}
    tell_all({"chaos": "sightscreen", **others, "seed": chosen.seed, "hosts": chosen.hosts, "jobs": jobs,
              "tookSeconds": round(time.monotonic() - begun), **total})
    return 0 if total["met"] else 1


def command(chosen, number):
    """What starts one job."""
    options = ["--binaries", chosen.binaries, "--hosts", chosen.hosts]
    if chosen.other_binaries:
        options += ["--other-binaries", chosen.other_binaries]
    if chosen.keep:
        options += ["--keep", pathlib.Path(chosen.keep) / f"job-{number}"]
    return [sys.executable, "-B", __file__, "--job", str(number), *map(str, options)]


def tell_all(line):
    print(json.dumps(line, separators=(",", ":"), ensure_ascii=False), flush=True)


def main():
    chosen = options()
    with ending_on_signals():
        return work(chosen) if chosen.job else run(chosen)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (HarnessError, EndedTooSoon) as error:
        say(f"chaos: {error}")
        sys.exit(70)
