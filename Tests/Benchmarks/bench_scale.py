"""What `deploy/bench scale` runs: what a push and a version cost when two la-coordinators and two event-buses share the work,
beside one of each in the same run, and how long it takes until another process does the work of one that is gone. The real
executables, a real PostgreSQL, and the stand-ins."""

import argparse
import json
import sys

import bench_buses
import bench_coordinators
import bench_takeovers
from fanout_fixture import Failed
from harness import EndedTooSoon, HarnessError, say

# Two may cost so much more for a push, or for a version, than one.
COORDINATOR_RATIO_MAX = 1.05
BUS_RATIO_MAX = 1.10
# Seconds until another one does the work of one that is dead, or was told to end.
TAKEOVER_MAX = {"killed": 10.0, "stopped": 1.0}


def missed(line):
    """What is not as it should be, in words."""
    goals = {
        "coordinatorRatio": line["coordinatorRatio"] <= COORDINATOR_RATIO_MAX, "toldTwice": line["toldTwice"] == 0,
        "busRatio": line["busRatio"] <= BUS_RATIO_MAX, "versionsLost": line["versionsLost"] == 0,
        "versionsDoubled": line["versionsDoubled"] == 0,
        "busShares": len(line["busShares"]) == 2 and line["busShares"][1] - line["busShares"][0] <= 1,
        **{f"{service} {way}": figures[way]["max"] <= longest
           for service, figures in line["takeovers"].items() for way, longest in TAKEOVER_MAX.items()},
    }
    return [name for name, is_met in goals.items() if not is_met]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--phones", type=int, default=100_000)
    parser.add_argument("--matches", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    say(f"{chosen.phones} phones, one coordinator and two in turns …")
    line = bench_coordinators.measure(chosen.binaries, chosen.phones, chosen.rounds)
    say(f"{chosen.matches} live matches, one event-bus and two in turns …")
    line |= bench_buses.measure(chosen.binaries, chosen.matches, chosen.rounds)
    say("Two of each, one of them killed, then one told to end …")
    line["takeovers"] = bench_takeovers.measure(chosen.binaries, chosen.rounds)
    misses = missed(line)
    for miss in misses:
        say(f"missed: {miss}")
    print(json.dumps({"bench": "scale", "phones": chosen.phones, **line, "met": not misses}, separators=(",", ":")), flush=True)
    return 1 if misses else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        say(f"bench-scale: {failure}")
        sys.exit(1)
    except (HarnessError, EndedTooSoon) as error:
        say(f"bench-scale: {error}")
        sys.exit(70)
