"""What `deploy/soak blackouts` runs: six blackouts of an operator's night, each on a suite of its own, and a night without one.
A real Prometheus with the shipped rules says when it is paged and when it is quiet again. A line of JSON for each, and one for
all."""

import argparse
import collections
import json
import pathlib
import re
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "DeployTests"))
import metrics  # noqa: E402
from blackout_night import Crowd, Night
from fanout_alerts import Verdict
from fanout_fixture import Failed
from fanout_soak import some
from harness import EndedTooSoon, HarnessError, say

PAGED_WITHIN, QUIET_WITHIN = 60.0, 60.0
# Before a fault, so that nothing is new to Prometheus or to a coordinator; and looked at after it was quiet again.
WARM_UP, WATCHED_AFTER = 60.0, 90.0
INSPECTED_EVERY = 5.0
# What a machine tells of itself that is busy with other work; it counts in the night without a blackout alone.
OF_THE_MACHINE = {"SightscreenDatabaseSlow", "SightscreenFlaps", "SightscreenGatewaySlow", "SightscreenStalled"}
HEALTHY_SECONDS, LAG_MAX = 300.0, 2.0

# `page`: the alert that names it. `inspect` and `log`: what an operator reads meanwhile.
Blackout = collections.namedtuple("Blackout", "name seconds begin end page inspect log crowds")

FINDING = re.compile(r" *(version|shards|channel|fan-out|MISSING|TOO|BEHIND|nothing|\S* is behind)")
MIXED = [Crowd(tokens=100), Crowd(listeners=40)]
# For longer than a version takes.
BEHIND = r"BEHIND +for (\d\d+ s|\d+ min)"
STUCK = "Phones lack a version, and APNs accepts nothing for them"
BLACKOUTS = [
    Blackout("apns-silent", 180, lambda night: night.fault({"mute": True, "delivered": False}), Night.end_faults,
             "SightscreenFanOutStuck", BEHIND, STUCK, MIXED),
    Blackout("channel-throttled", 150, lambda night: night.fault({"status": 429, "reason": "TooManyRequests"}, call="publish"),
             Night.end_faults, "SightscreenChannelRests", r"rests for", "APNs throttles a channel: it rests", MIXED),
    Blackout("apns-unreachable", 210, lambda night: night.processes["apns-simulator"].kill(),
             lambda night: night.processes["apns-simulator"].start(), "SightscreenAPNsUnreachable", BEHIND,
             r"APNs cannot be reached.*refused", [Crowd(listeners=40), Crowd(listeners=40)]),
    Blackout("tokens-unreadable", 150, Night.change_key, Night.give_key, "SightscreenTokenKeyMissing",
             rf"MISSING +.*key|{BEHIND}", "Push tokens cannot be read", MIXED),
    Blackout("half-stopped", 180, Night.stop_half, Night.start_half, "SightscreenHalfDown",
             r"64 of 64 held by 1 la-coordinator", "Stopped", MIXED),
    Blackout("disk-full", 150, Night.fill_disk, Night.empty_disk, "SightscreenDatabaseDiskFull",
             r"version +\d+, stamp .* ([3-9]\d s|\d\d\d s|\d min) ago", "Versions cannot be committed.*53100", MIXED),
]
# Three phones in ten do not count: of a match whose pushes are held, with tokens that APNs throttles, or infrequent.
HEALTHY = [Crowd(tokens=120, infrequent=14, throttled=14), Crowd(tokens=120, infrequent=14, throttled=14),
           Crowd(tokens=120, listeners=40, infrequent=12, throttled=12), Crowd(tokens=52, is_held=True)]
HEALTHY_NAME = "healthy"
NAMES = [each.name for each in BLACKOUTS] + [HEALTHY_NAME]


def findings(said):
    """The lines of `inspect` that say how it goes."""
    return [" ".join(line.split()) for line in said.splitlines() if FINDING.match(line)]


def asked_series():
    """The series that rules and dashboard ask for, but those of the proxy and of the alerts themselves."""
    return sorted({series for place, series in metrics.asked_for(metrics.selectors_in)
                   if not place.endswith(".md") and not re.match("haproxy_|ALERTS", series)})


def warm_up(night, verdict):
    say(f"  {WARM_UP:.0f} s of play …")
    begun = time.time()
    time.sleep(WARM_UP)
    before = {alert for alert in night.prometheus.first(begun, time.time()) if alert[0] not in OF_THE_MACHINE}
    verdict.require(not before, f"alerts before the fault: {before}")
    said = night.inspect()
    verdict.require(not re.search(f"{BEHIND}|MISSING", said), f"inspect before the fault: {findings(said)}")


def blackout(shape, binaries):
    verdict = Verdict(shape.name)
    with Night(binaries, shape.crowds, has_small_disk=shape.begin is Night.fill_disk) as night:
        warm_up(night, verdict)
        marks, inspected, said = night.log_marks(), None, ""
        shape.begin(night)
        begun = time.time()
        say(f"  it begins, for {shape.seconds} s …")
        while time.time() < begun + shape.seconds:
            time.sleep(INSPECTED_EVERY)
            said = night.inspect()
            if inspected is None and (found := re.search(f".*(?:{shape.inspect}).*", said)):
                inspected = (round(time.time() - begun, 1), " ".join(found[0].split()))
                say(f"  inspect after {inspected[0]} s: {inspected[1]}")
        logs = night.logged(marks)
        ended = time.time()
        shape.end(night)
        say("  it ends …")
        time.sleep(WATCHED_AFTER)
        alerts = night.prometheus.first(begun, ended)
        quiet_after, last = night.prometheus.last(ended, OF_THE_MACHINE)
        after = night.inspect()
        judge(verdict, shape, alerts, (quiet_after, last), inspected, said, logs, after)
        # 5 s and more are scrapes that failed: then a machine was too slow to say anything of the rules.
        verdict.figures["slowestScrapeSeconds"] = night.prometheus.most("scrape_duration_seconds", time.time() - begun)
        if night.ball_trouble:
            raise HarnessError(f"balls: {night.ball_trouble}")
    return verdict


def judge(verdict, shape, alerts, quiet, inspected, said, logs, after):
    paged = alerts.get((shape.page, "page"))
    verdict.require(paged is not None and paged <= PAGED_WITHIN, f"{shape.page} pages after {paged} s; all: {alerts}")
    verdict.require(inspected is not None, f"inspect does not say /{shape.inspect}/: {findings(said)}")
    lines = [(name, found[0].strip()) for name, text in logs.items() if (found := re.search(f".*(?:{shape.log}).*", text))]
    if not lines:
        warned = [line for text in logs.values() for line in text.splitlines() if " warning " in line or " error " in line]
        verdict.require(False, f"no log says /{shape.log}/; but: {warned[:12]}")
    verdict.require(quiet[0] <= QUIET_WITHIN, f"{quiet[1]} fires {quiet[0]} s after the end")
    verdict.require(not re.search(f"{BEHIND}|MISSING", after), f"inspect after the end: {findings(after)}")
    verdict.figures |= {
        "page": shape.page, "pagedAfterSeconds": paged,
        "alerts": {f"{name} ({severity})": at for (name, severity), at in sorted(alerts.items(), key=lambda each: each[1])},
        "inspect": inspected, "log": lines[0] if lines else None, "quietAfterSeconds": quiet[0]}


def healthy(binaries):
    verdict = Verdict(HEALTHY_NAME)
    with Night(binaries, HEALTHY) as night:
        warm_up(night, verdict)
        begun = time.time()
        while time.time() < begun + HEALTHY_SECONDS:
            time.sleep(30)
            lag = night.prometheus.most("sightscreen_fanout_lag_seconds", time.time() - begun)
            say(f"  after {time.time() - begun:.0f} s: lag {lag:.1f} s at most")
        alerts = night.prometheus.first(begun, time.time())
        left_out = int(night.prometheus.value("sum(max_over_time(sightscreen_phones_left_out[1m]))"))
        said = night.inspect()
        series = asked_series()
        absent = night.prometheus.absent(series, time.time() - begun)
        verdict.require(not absent, f"rules or dashboard ask for what no service has: {absent}")
        verdict.require(not alerts, f"alerts: {alerts}")
        verdict.require(lag < LAG_MAX, f"the lag was {lag:.1f} s")
        verdict.require(not re.search(BEHIND, said), f"inspect: {findings(said)}")
        wanted = sum(crowd.left_out for crowd in HEALTHY)
        verdict.require(left_out >= 0.9 * wanted, f"{left_out} phones are left out, and not {wanted}")
        verdict.figures |= {"phones": sum(crowd.tokens + crowd.listeners for crowd in HEALTHY), "leftOut": left_out,
                            "seconds": HEALTHY_SECONDS, "lagSecondsMax": lag, "alerts": sorted(alerts), "seriesAskedFor": len(series),
                            "slowestScrapeSeconds": night.prometheus.most("scrape_duration_seconds", HEALTHY_SECONDS)}
    return verdict


def tell(line):
    print(json.dumps(line, separators=(",", ":"), ensure_ascii=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--only", type=some(NAMES), default=NAMES, help=f"some of {', '.join(NAMES)}")
    chosen = parser.parse_args()
    begun, met = time.monotonic(), True
    for name in chosen.only:
        say(f"{name} …")
        since = time.monotonic()
        try:
            shape = next((each for each in BLACKOUTS if each.name == name), None)
            line = (blackout(shape, chosen.binaries) if shape else healthy(chosen.binaries)).line()
        except (Failed, EndedTooSoon, HarnessError) as failure:
            line = {"goal": name, "met": False, "problems": [str(failure)]}
        met = met and line["met"]
        tell(line | {"tookSeconds": round(time.monotonic() - since)})
    tell({"soak": "blackouts", "tookSeconds": round(time.monotonic() - begun), "met": met})
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"soak blackouts: {error}")
        sys.exit(70)
