"""What `deploy/bench detection` runs: one frame on the clock, then 50 live matches through the real executables."""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

TAPES = pathlib.Path("Tests/Fixtures/matches")
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
TICKS = os.sysconf("SC_CLK_TCK")


def say(text):
    print(text, file=sys.stderr, flush=True)


def frame_cost(lab):
    """The lab's measurement of single frames, and Python's own reader beside it on the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "frame.json")
        line = subprocess.run([lab, "bench-frame", "--frame-out", path], check=True, capture_output=True, text=True).stdout
        text = pathlib.Path(path).read_bytes()
    begun = time.process_time()
    for _ in range(50):
        json.loads(text)
    python = (time.process_time() - begun) * 1000 / 50
    return json.loads(line), python


class Suite:
    """The whole of Sightscreen at real speed, without phones."""

    def __init__(self, binaries):
        self.state = tempfile.mkdtemp(prefix="ss-bench-", dir="/tmp")
        # PostgreSQL runs as a user of its own when we are root, and has to pass through.
        os.chmod(self.state, 0o711)
        self.log = open(os.path.join(self.state, "up.log"), "wb")
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "SIGHTSCREEN_STATE_DIR": self.state, "LOG_LEVEL": "warning"}
        command = [f"{binaries}/sightscreen", "up", "--headless", "--port", "0", "--speed", "1", "--tapes", str(TAPES)]
        self.process = subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)
        self.endpoints = self.wait_for_endpoints()

    def wait_for_endpoints(self):
        path = pathlib.Path(self.state, "endpoints.json")
        for _ in range(1200):
            if path.exists():
                return json.loads(path.read_text())
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.stop()
        sys.exit(f"the suite did not start; its log is in {self.state}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def control(self, path, body):
        request = urllib.request.Request(
            f"{self.endpoints['provider']}/control/{path}", json.dumps(body).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def load(self, tape, label):
        match = self.control(f"tapes/{tape}/load", {"paused": True})["matchId"]
        self.control(f"matches/{match}/seek", {"label": label})
        return match

    def number(self, query):
        psql = shutil.which("psql") or "/usr/lib/postgresql/15/bin/psql"
        output = subprocess.run(
            [psql, "--no-psqlrc", "-At", "-c", query, self.endpoints["databaseURL"]], check=True, capture_output=True, text=True)
        return int(output.stdout.strip() or 0)

    def polls(self):
        """Answers that score-poller could use, so far."""
        with urllib.request.urlopen(f"{self.endpoints['health']['score-poller']}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        counts = [line.split()[-1] for line in lines if line.startswith("sightscreen_polls_total{") and '"ok"' in line]
        return round(sum(float(count) for count in counts))

    def process_of(self, service):
        return Process(int(pathlib.Path(self.state, "run", f"{service}.pid").read_text()))


class Process:
    def __init__(self, pid):
        self.pid = pid

    def seconds(self):
        """Processor time so far, its own and that of the children it waited for."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(int(field) for field in fields[11:15]) / TICKS

    def memory(self, name):
        """`VmRSS` or `VmHWM`, MiB."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) // 1024
        return 0


def play(suite, matches, seconds):
    """Steps one match in eight before each poll, and measures meanwhile."""
    poller, bus = suite.process_of("score-poller"), suite.process_of("event-bus")
    versions = suite.number("SELECT count(*) FROM match_updates")
    polls = suite.polls()
    before = (poller.seconds(), bus.seconds())
    begun = time.monotonic()
    steps = rounds = 0
    while time.monotonic() - begun < seconds:
        # 50 in eight rounds: six or seven each time.
        for match in matches[rounds % CHANGED_PER_POLL :: CHANGED_PER_POLL]:
            suite.control(f"matches/{match}/step", {})
            steps += 1
        rounds += 1
        time.sleep(max(0, begun + rounds * POLL_SECONDS - time.monotonic()))
        say(f"{round(time.monotonic() - begun)} s: {steps} balls, poller {poller.seconds() - before[0]:.2f} s, "
            f"bus {bus.seconds() - before[1]:.2f} s of processor time")
    elapsed = time.monotonic() - begun
    after = (poller.seconds(), bus.seconds())
    # A service that died meanwhile was started again under another id, and its time is lost: not a measurement.
    if suite.process_of("score-poller").pid != poller.pid or suite.process_of("event-bus").pid != bus.pid:
        sys.exit(f"a service ended during the measurement; logs: {suite.state}/logs")
    return {
        "seconds": round(elapsed),
        "cores": round((sum(after) - sum(before)) / elapsed, 3),
        "pollerCores": round((after[0] - before[0]) / elapsed, 3),
        "busCores": round((after[1] - before[1]) / elapsed, 3),
        "pollerMiB": poller.memory("VmRSS"), "pollerPeakMiB": poller.memory("VmHWM"),
        "busMiB": bus.memory("VmRSS"), "busPeakMiB": bus.memory("VmHWM"),
        "polls": suite.polls() - polls,
        "balls": steps,
        "versions": suite.number("SELECT count(*) FROM match_updates") - versions,
    }


def live_load(binaries, seconds):
    suite = Suite(binaries)
    try:
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
            sys.exit(f"not every match had a version after 180 s; logs: {suite.state}/logs")
        # The second look at each, which confirms what the first one showed, is not what a poll costs either.
        time.sleep(4 * POLL_SECONDS)
        result = play(suite, matches, seconds)
    finally:
        suite.stop()
    # Logs are of use only when something went wrong.
    shutil.rmtree(suite.state, ignore_errors=True)
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
