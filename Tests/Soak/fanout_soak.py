"""What `deploy/soak fanout` runs: the real la-coordinator in front of the real apns-simulator, and everything that may
happen to both in the middle of an alert. A line of JSON for each goal, and one for all."""

import argparse
import json
import random
import sys
import time

import fanout_alerts
import fanout_renewals
import fanout_secrets
import fanout_troubles
from fanout_fixture import Failed
from harness import HarnessError, say

GOALS = {
    "kills": fanout_alerts.kills, "newer": fanout_alerts.newer, "handover": fanout_alerts.handover,
    "freeze": fanout_alerts.freeze, "renewals": fanout_renewals.renewals, "goaways": fanout_troubles.goaways,
    "resets": fanout_troubles.resets, "storms": fanout_troubles.storms,
    "invented": fanout_troubles.invented, "secrets": fanout_secrets.secrets,
}


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return number


def some(known):
    def parse(text):
        names = text.split(",")
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"there is no {unknown[0]} among {', '.join(known)}")
        return names

    return parse


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--goals", type=some(GOALS), default=list(GOALS))
    parser.add_argument("--phones", type=positive, default=100_000)
    parser.add_argument("--kills", type=positive, default=50)
    parser.add_argument("--rounds", type=positive, default=10)
    parser.add_argument("--freezes", type=positive, default=3)
    parser.add_argument("--freeze-seconds", type=positive, default=40)
    parser.add_argument("--goaways", type=positive, default=1_000)
    parser.add_argument("--resets", type=positive, default=1_000)
    parser.add_argument("--answer-delay", type=positive, default=fanout_troubles.ANSWER_DELAY_MS, metavar="MS")
    parser.add_argument("--storms", type=some(fanout_troubles.STORMS), default=list(fanout_troubles.STORMS))
    parser.add_argument("--storm-seconds", type=positive, default=20)
    return parser.parse_args()


def main():
    chosen = options()
    met = True
    for name in chosen.goals:
        say(f"{name}, seed {chosen.seed} …")
        begun = time.monotonic()
        try:
            line = GOALS[name](chosen, random.Random(f"{chosen.seed} {name}")).line()
        except Failed as failure:
            line = {"goal": name, "met": False, "problems": [str(failure)]}
        line |= {"seed": chosen.seed, "tookSeconds": round(time.monotonic() - begun)}
        met = met and line["met"]
        print(json.dumps(line, separators=(",", ":")), flush=True)
    print(json.dumps({"soak": "fanout", "met": met}, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"soak fanout: {error}")
        sys.exit(70)
