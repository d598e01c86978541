"""What `deploy/bench detection` runs: one frame on the clock, then 50 live matches through the real executables."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from bench_suite import memory
from harness import SERVICES, STAND_INS, Suite, processor_seconds, say

# About 600 balls: the two one-day matches, late in the second innings. A tape can be loaded again under a new id.
LONG = [(match, f"S2 {over}.1") for match, overs in ((1144530, range(43, 48)), (1384429, range(33, 38))) for over in overs]
# About 240 balls: eight matches of twenty overs a side, each at five places.
SHORT = [
    (match, f"S2 {over}.1")
    for match in (392212, 1216517, 1256724, 1270836, 1273750, 1304066, 1304076, 1426299)
    for over in range(11, 16)
]
POLL_SECONDS = 5
CHANGED_PER_POLL = 8  # one match in so many
CORES_MAX = 0.5


def frame_cost(lab):
    """detection-lab's measurement of single frames, and Python's own reader beside it on the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.json")
        line = subprocess.run([lab, "bench-frame", "--frame-out", path], check=True, capture_output=True, text=True).stdout
        text = pathlib.Path(path).read_bytes()
    begun = time.process_time()
    for _ in range(50):
        json.loads(text)
    python = (time.process_time() - begun) * 1000 / 50
    return json.loads(line), python


class Bench(Suite):
    """The whole of Sightscreen at real speed, without phones."""

    PREFIX = "ss-bench-"

    def __init__(self, binaries):
        super().__init__(binaries, STAND_INS + SERVICES, {"LOG_LEVEL": "warning"})

    def load(self, tape, label):
        match = self.control("POST", f"tapes/{tape}/load", {"paused": True})["matchId"]
        self.control("POST", f"matches/{match}/seek", {"label": label})
        return match

    def number(self, query):
        return int(self.sql(query)[0][0])

    def polls(self):
        """Answers that score-poller could use, so far."""
        return round(sum(value for name, labels, value in self.processes["score-poller"].scrape()
                         if name == "sightscreen_polls_total" and '"ok"' in labels))


def play(suite, matches, seconds):
    """Steps one match in eight before each poll, and measures meanwhile."""
    poller, bus = suite.processes["score-poller"], suite.processes["event-bus"]

    def spent():
        return [processor_seconds(each.pid) for each in (poller, bus)]

    versions = suite.number("SELECT count(*) FROM match_updates")
    polls = suite.polls()
    before = spent()
    begun = time.monotonic()
    steps = rounds = 0
    while time.monotonic() - begun < seconds:
        # 50 in eight rounds: six or seven each time.
        for match in matches[rounds % CHANGED_PER_POLL :: CHANGED_PER_POLL]:
            suite.control("POST", f"matches/{match}/step")
            steps += 1
        rounds += 1
        time.sleep(max(0, begun + rounds * POLL_SECONDS - time.monotonic()))
        say(f"{round(time.monotonic() - begun)} s: {steps} balls, poller {spent()[0] - before[0]:.2f} s, "
            f"bus {spent()[1] - before[1]:.2f} s of processor time")
    elapsed = time.monotonic() - begun
    after = spent()
    # The time of a service that died meanwhile is lost: not a measurement.
    if not poller.is_running or not bus.is_running:
        sys.exit(f"a service ended during the measurement:\n{poller.last_lines()}\n{bus.last_lines()}")
    return {
        "seconds": round(elapsed),
        "cores": round((sum(after) - sum(before)) / elapsed, 3),
        "pollerCores": round((after[0] - before[0]) / elapsed, 3),
        "busCores": round((after[1] - before[1]) / elapsed, 3),
        "pollerMiB": memory(poller.pid), "pollerPeakMiB": memory(poller.pid, "VmHWM"),
        "busMiB": memory(bus.pid), "busPeakMiB": memory(bus.pid, "VmHWM"),
        "polls": suite.polls() - polls,
        "balls": steps,
        "versions": suite.number("SELECT count(*) FROM match_updates") - versions,
    }


def live_load(binaries, seconds):
    with Bench(binaries) as suite:
        matches = []
        # Mixed, so that every round steps long and short ones.
        for place, short in enumerate(SHORT):
            matches.append(suite.load(*short))
            if place % 4 == 0:
                matches.append(suite.load(*LONG[place // 4]))
        say(f"{len(matches)} matches are loaded; waiting until each has its first version")
        for _ in range(180):
            if suite.number("SELECT count(DISTINCT match_id) FROM match_updates") >= len(matches):
                break
            time.sleep(1)
        else:
            sys.exit(f"not every match had a version after 180 s:\n{suite.processes['event-bus'].last_lines()}")
        # The second look at each, which confirms what the first one showed, is not what a poll costs either.
        time.sleep(4 * POLL_SECONDS)
        result = play(suite, matches, seconds)
    return len(matches), result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--lab", required=True)
    parser.add_argument("--seconds", type=int, default=120)
    arguments = parser.parse_args()
    say("One frame, step by step …")
    frame, python = frame_cost(arguments.lab)
    say(json.dumps(frame))
    say(f"50 live matches for {arguments.seconds} s …")
    count, load = live_load(arguments.binaries, arguments.seconds)
    # Polls that came too late, or balls that led to no version: then the load was not what it says.
    is_whole = load["polls"] >= 0.9 * load["seconds"] / POLL_SECONDS and load["versions"] >= 0.8 * load["balls"]
    met = load["cores"] < CORES_MAX and is_whole and load["balls"] >= 60
    line = {
        "bench": "detection",
        "frameBytes": frame["bytes"], "frameMs": frame["frameMs"],
        "steps": {key: frame[f"{key}Ms"] for key in ("parse", "snapshot", "judge", "commit")},
        "pythonMs": round(python, 3), "jsonDecoderMs": frame["jsonDecoderMs"],
        "ratio": round(frame["frameMs"] / python, 3),
        "ratioJSONDecoder": round(frame["frameMs"] / frame["jsonDecoderMs"], 3),
        "matches": count, **load, "coresMax": CORES_MAX, "met": met,
    }
    print(json.dumps(line, separators=(",", ":")), flush=True)
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
