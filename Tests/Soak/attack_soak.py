"""What `deploy/soak attack` runs: the whole suite, and users who try to stop the pushes of all others or to take a phone. A line
of JSON for each goal, and one for all."""

import argparse
import json
import sys
import threading
import time

import attack_hosts
import attack_possession
import attack_topic
from attack_suite import AttackSuite
from fanout_fixture import Failed
from fanout_soak import positive, some
from harness import EndedTooSoon, HarnessError, say

# On the same phones, in this order: the last leaves them with tokens of another app.
FANS = {
    "topic": attack_topic.topic, "takeover": attack_topic.takeover, "first-ball-5xx": attack_hosts.first_ball_5xx,
    "topic-lost": attack_hosts.topic_lost, "new-bundle": attack_hosts.new_bundle,
}
# On a suite of their own.
POSSESSION = {"theft": attack_possession.thefts, "change-of-user": attack_possession.changes}
GOALS = [*FANS, "topic-never", *POSSESSION]
# Not of the short form: what they look at lasts.
LONG = ("first-ball-5xx", "new-bundle")


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--goals", type=some(GOALS))
    parser.add_argument("--phones", type=positive, default=400)
    parser.add_argument("--quiet", type=positive, default=66, help="seconds without a version before a wicket")
    parser.add_argument("--short", action="store_true", help="one of each kind, side by side, in a minute")
    chosen = parser.parse_args()
    chosen.goals = chosen.goals or [name for name in GOALS if not (chosen.short and name in LONG)]
    chosen.pages = not chosen.short
    chosen.watch, chosen.never_seconds, chosen.never_phones, chosen.quiet_after_takeover = 60, 180, 100, 20
    if chosen.short:
        chosen.phones, chosen.quiet, chosen.quiet_after_takeover = min(chosen.phones, 60), 4, 5
        chosen.watch, chosen.never_seconds, chosen.never_phones = 6, 30, 20
    return chosen


class Report:
    """Lines come from several threads."""

    def __init__(self, chosen):
        self.chosen = chosen
        self.guard = threading.Lock()
        self.met = True
        self.trouble = []

    def judge(self, name, goal):
        say(f"{name} …")
        begun = time.monotonic()
        try:
            line = goal().line()
        except (Failed, EndedTooSoon, HarnessError) as failure:
            line = {"goal": name, "met": False, "problems": [str(failure)]}
        with self.guard:
            self.met = self.met and line["met"]
            print(json.dumps(line | {"tookSeconds": round(time.monotonic() - begun)}, separators=(",", ":")), flush=True)

    def fans(self):
        goals = [name for name in FANS if name in self.chosen.goals]
        if not goals:
            return
        with AttackSuite(self.chosen.binaries) as suite:
            fans = attack_topic.Fans(suite, self.chosen.phones)
            fans.join()
            for name in goals:
                self.judge(name, lambda name=name: FANS[name](fans, self.chosen))

    def never(self):
        if "topic-never" in self.chosen.goals:
            with AttackSuite(self.chosen.binaries) as suite:
                self.judge("topic-never", lambda: attack_hosts.topic_never(suite, self.chosen))

    def possession(self):
        goals = [name for name in POSSESSION if name in self.chosen.goals]
        if not goals:
            return
        with AttackSuite(self.chosen.binaries) as suite:
            for name in goals:
                self.judge(name, lambda name=name: POSSESSION[name](suite, self.chosen))

    def run(self):
        parts = [self.fans, self.never, self.possession]
        if not self.chosen.short:
            for part in parts:
                part()
            return
        threads = [threading.Thread(target=self.carry_out, args=(part,)) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.trouble:
            raise self.trouble[0]

    def carry_out(self, part):
        try:
            part()
        except Exception as error:  # noqa: BLE001: told when the others are over
            self.trouble.append(error)


def main():
    chosen = options()
    begun = time.monotonic()
    report = Report(chosen)
    report.run()
    print(json.dumps({"soak": "attack", "tookSeconds": round(time.monotonic() - begun), "met": report.met},
                     separators=(",", ":")), flush=True)
    return 0 if report.met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except HarnessError as error:
        say(f"soak attack: {error}")
        sys.exit(70)
