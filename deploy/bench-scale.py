"""What `deploy/bench scale` runs: what a push costs when one la-coordinator has all phones and when two share them, in turns.
The real executables, a real PostgreSQL, apns-simulator."""

import argparse
import json
import sys

import bench_coordinators
from children import LabError
from fanout_ground import say

# Two coordinators may cost so much more for a push than one.
COORDINATOR_RATIO_MAX = 1.05


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--phones", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    say(f"{chosen.phones} phones, one coordinator and two in turns …")
    line = bench_coordinators.measure(chosen.binaries, chosen.phones, chosen.rounds)
    met = line["coordinatorRatio"] <= COORDINATOR_RATIO_MAX and line["toldTwice"] == 0
    print(json.dumps({"bench": "scale", "phones": chosen.phones, **line, "met": met}, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        say(f"bench-scale: {error}")
        sys.exit(70)
