"""What `deploy/bench fanout` runs: a wicket to all phones of a match by the engine of la-coordinator (without the
database and its books: see BENCHMARKS.md), beside h2load sending the same requests to the same apns-simulator, in turns."""

import argparse
import base64
import collections
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import bench_roster
from harness import Suite, processor_seconds, say

# Pushes per processor second of the engine against h2load's.
CPU_RATIO_MIN = 0.5
# Processor time of a push, this commit's by another's; where the middle half of the other's own turns is wider, that is allowed for.
AGAINST_MAX = 1.03
# Pushes a second with answers after 50 ms and windows of 64 KiB, with the same connections and streams.
RATIO_MIN = 0.5
CONNECTIONS, STREAMS = 4, 500
KEY_ID, TEAM, BUNDLE = "KEYID00001", "TEAMID0001", "dev.sightscreen.app"
# h2load reads its targets from a file and goes through it again and again.
TARGETS = 100_000


def run(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def provider_token(folder):
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    signed = ".".join(encode(json.dumps(part, separators=(",", ":")).encode()) for part in (
        {"alg": "ES256", "kid": KEY_ID}, {"iss": TEAM, "iat": int(time.time())}))
    der = subprocess.run(
        ["openssl", "dgst", "-sha256", "-sign", f"{folder}/secrets/apns.p8"], input=signed.encode(), check=True,
        capture_output=True).stdout
    # SEQUENCE { INTEGER r, INTEGER s } to r and s of 32 bytes each.
    length = der[3]
    numbers = der[4:4 + length], der[6 + length:]
    return signed + "." + encode(b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in numbers))


class Bench(Suite):
    """A simulator that is started anew for each measurement: alerts are told once."""

    PREFIX = "ss-bench-"

    def __init__(self, binaries, phones):
        super().__init__(binaries)
        self.phones = phones

    def set_up(self, stack):
        self.port = str(urllib.parse.urlsplit(self.endpoints["apns"]).port)
        self.certificate = f"{self.folder}/secrets/apns-certificate.pem"
        with open(f"{self.folder}/tokens", "wb") as file:
            subprocess.run(
                [self.binaries / "fanout-lab", "tokens", "--devices", str(self.phones)], check=True, stdout=file)
        self.targets = f"{self.folder}/targets"
        with open(f"{self.folder}/tokens") as tokens, open(self.targets, "w") as file:
            for _, line in zip(range(TARGETS), tokens):
                file.write(f"https://localhost:{self.port}/3/device/{json.loads(line)['token']}\n")

    @contextlib.contextmanager
    def simulator(self, **settings):
        """One that knows all tokens."""
        process = self.begin("apns-simulator", settings={
            "LOG_LEVEL": "warning", "APNS_KEY_ID": KEY_ID, "APNS_TEAM_ID": TEAM, "APNS_BUNDLE_ID": BUNDLE, **settings})
        process.wait_until("apns-simulator is ready", process.answers)
        with open(f"{self.folder}/tokens", "rb") as body:
            self.control("tokens", body)
        yield process
        process.stop()

    def control(self, path, body=None):
        headers = {"Content-Length": str(os.path.getsize(body.name))} if body else {}
        request = urllib.request.Request(f"{self.endpoints['apnsControl']}/{path}", body, headers)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return answer.read()

    def counts(self):
        return json.loads(self.control("counts"))

    def request(self):
        """What every push of the references carries: header fields, and a file with the payload."""
        now = int(time.time())
        headers = {
            "authorization": f"bearer {provider_token(self.folder)}", "apns-topic": f"{BUNDLE}.push-type.liveactivity",
            "apns-push-type": "liveactivity", "apns-priority": "10", "apns-expiration": str(now + 60),
        }
        payload = f"{self.folder}/payload"
        pathlib.Path(payload).write_text(json.dumps({"aps": {
            "timestamp": now, "event": "update", "content-state": {"filling": "x" * 850}, "alert": {"title": f"h2load {now}"}}}))
        return [f"{name}: {value}" for name, value in headers.items()], payload

    def libcurl(self, connections, streams):
        """The same requests by libcurl's multi interface; fewer, for it takes its time."""
        program = f"{self.folder}/bench_multi"
        if not os.path.exists(program):
            run(["cc", "-O2", "-o", program, str(pathlib.Path(__file__).with_name("bench_multi.c")), "-lcurl"])
        headers, payload = self.request()
        return json.loads(run([
            program, self.targets, payload, self.certificate, str(min(self.phones, TARGETS)), str(connections),
            str(streams), *headers]))

    def h2load(self, connections, streams):
        """The same requests by a program that keeps no books."""
        headers, payload = self.request()
        command = ["h2load", "-n", str(self.phones), "-c", str(connections), "-m", str(streams), "-t", "1", "-i", self.targets,
                   "-d", payload, *(part for field in headers for part in ("-H", field))]
        before, begun = os.times(), time.monotonic()
        output = run(command)
        after, seconds = os.times(), time.monotonic() - begun
        accepted = int(re.search(r"status codes: (\d+) 2xx", output)[1])
        # It opens up to 100 streams before it has read that there is one until the first good provider token.
        if accepted < self.phones - 100 * connections:
            sys.exit(f"h2load was refused:\n{output}")
        spent = after.children_user + after.children_system - before.children_user - before.children_system
        return {"perSecond": accepted / seconds, "microseconds": spent * 1e6 / accepted}

    def wicket(self, connections, streams, phones=None, beside=0, binaries=None):
        phones = phones or self.phones
        command = [
            f"{binaries or self.binaries}/fanout-lab", "wicket", "--port", self.port, "--ca", self.certificate,
            "--key", f"{self.folder}/secrets/apns.p8", "--phones", str(phones), "--beside", str(beside), "--streams", str(streams)]
        if connections:
            command += ["--connections", str(connections)]
        output = run(command).strip().splitlines()
        result = json.loads(output[-1])
        for line in output[:-1]:
            say(f"  {line}")
        for wicket in [result["wicket"], *([result["overtaking"]["wicket"]] if beside else [])]:
            if wicket["accepted"] != phones or wicket["alerted"] != phones or wicket["failed"]:
                sys.exit(f"the wicket did not reach everybody: {result}")
        return result


def reference(bench):
    """libcurl, on open loopback."""
    with bench.simulator():
        multi = bench.libcurl(CONNECTIONS, 100)
    say(f"  libcurl's multi interface {multi['perSecond']:7.0f}/s {multi['microseconds']:5.1f} µs")
    return multi


def median(rows, *path):
    values = []
    for row in rows:
        for key in path:
            row = row[key]
        values.append(row)
    return statistics.median(values)


def turns(bench, rounds, connections, streams, what, **settings):
    """Both in turns."""
    with bench.simulator(**settings) as simulator:
        theirs, ours = [], []
        for turn in range(rounds):
            server = processor_seconds(simulator.pid)
            theirs.append(bench.h2load(connections, streams))
            ours.append(bench.wicket(connections, streams))
            server = (processor_seconds(simulator.pid) - server) * 1e6 / bench.phones / 3
            wicket = ours[-1]["wicket"]
            say(f"  {what} {turn + 1} of {rounds}: h2load {theirs[-1]['perSecond']:7.0f}/s {theirs[-1]['microseconds']:5.1f} µs"
                f"   engine {wicket['perSecond']:7.0f}/s {wicket['microseconds']:5.1f} µs"
                f"   first {wicket['firstSeconds'] * 1e3:.0f} ms, last {wicket['lastSeconds']:.1f} s"
                f"   simulator {server:.1f} µs")
        return theirs, ours, bench.counts()


def against(bench, other, rounds):
    """The engine of this commit and of another, on open loopback in turns; each is first in every second turn."""
    spent = {bench.binaries: [], other: []}
    with bench.simulator():
        for turn in range(rounds):
            for binaries in list(spent)[:: 1 if turn % 2 == 0 else -1]:
                spent[binaries].append(bench.wicket(CONNECTIONS, STREAMS, binaries=binaries)["wicket"]["microseconds"])
            say(f"  turn {turn + 1} of {rounds}: " + ", the other ".join(f"{turns[-1]:.2f} µs" for turns in spent.values()))
    ours, theirs = spent.values()
    ratio = statistics.median(mine / its for mine, its in zip(ours, theirs))
    first, middle, third = statistics.quantiles(theirs, n=4)
    spread = (third - first) / middle
    return {
        "bench": "fanout", "phones": bench.phones, "rounds": rounds, "ratio": round(ratio, 3), "spread": round(spread, 3),
        "microseconds": {"this": round(statistics.median(ours), 2), "other": round(statistics.median(theirs), 2)},
        "met": ratio <= max(AGAINST_MAX, 1 + spread)}


def again(counts):
    """Phones that showed one of our alerts twice, and pushes that carried one to a phone that had been sent it, whether it
    showed it or not."""
    alerts = [alert for alert in counts["alerts"] if not alert["title"].startswith("h2load")]
    if not alerts:
        sys.exit(f"no alert is in the simulator's counts: {counts['alerts']}")
    return collections.Counter(
        {key: sum(alert[key] for alert in alerts) for key in ("devicesAgain", "pushesAgain")})


def by_connections(bench):
    """As on a long line: how much so many connections carry, and how many the engine makes by itself."""
    rates = {}
    with bench.simulator(APNS_SIMULATOR_ANSWER_DELAY="50ms"):
        for connections in (1, 2, 4, 8, 16, 32, 64, 128):
            # Some ten seconds each: one connection carries 1,300 a second.
            wicket = bench.wicket(connections, STREAMS, min(bench.phones, 12_000 * connections))["wicket"]
            rates[connections] = round(wicket["perSecond"])
            say(f"  {connections:3} connections {wicket['perSecond']:7.0f}/s {wicket['microseconds']:5.1f} µs")
        chosen = bench.wicket(None, STREAMS)
        wicket = chosen["wicket"]
        say(f"  {chosen['connections']:3} by itself   {wicket['perSecond']:7.0f}/s {wicket['microseconds']:5.1f} µs"
            f"   first {wicket['firstSeconds'] * 1e3:.0f} ms, last {wicket['lastSeconds']:.1f} s")
        told = again(bench.counts())
    return rates, {"connections": chosen["connections"], "perSecond": round(wicket["perSecond"]),
                   "firstMs": round(wicket["firstSeconds"] * 1e3), "lastSeconds": round(wicket["lastSeconds"], 2)}, told


def overtaking(bench):
    """A routine ball is under way to all phones, half of them of another match, when the wicket falls."""
    half = bench.phones // 2
    with bench.simulator():
        result = bench.wicket(CONNECTIONS, STREAMS, half, half)["overtaking"]
        told = again(bench.counts())
    alone, wicket = result["routineBefore"], result["wicket"]
    say(f"  wicket to {half} while a ball is under way to {bench.phones}: first {wicket['firstSeconds'] * 1e3:.0f} ms, "
        f"last {wicket['lastSeconds']:.2f} s; {alone + result['besideBefore']} routine ones before it, "
        f"{result['besideMeanwhile']} of the other match meanwhile")
    return {"phones": half, "firstMs": round(wicket["firstSeconds"] * 1e3, 1), "lastSeconds": round(wicket["lastSeconds"], 2),
            "routineBefore": alone + result["besideBefore"], "routineMeanwhile": result["besideMeanwhile"]}, told


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--phones", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.against and arguments.rounds < 2:
        parser.error("--against needs two rounds at least")
    say(f"{arguments.phones} phones …")
    if arguments.against:
        with Bench(arguments.binaries, arguments.phones) as bench:
            line = against(bench, arguments.against, arguments.rounds)
        print(json.dumps(line, separators=(",", ":")), flush=True)
        sys.exit(0 if line["met"] else 1)
    with Bench(arguments.binaries, arguments.phones) as bench:
        theirs, ours, counts = turns(bench, arguments.rounds, CONNECTIONS, STREAMS, "open loopback")
        # Of record: answers after 50 ms, windows of 64 KiB, as many connections as a million phones take in half a minute.
        slow_theirs, slow_ours, slow_counts = turns(
            bench, arguments.rounds, 32, STREAMS, "50 ms, 64 KiB ", APNS_SIMULATOR_ANSWER_DELAY="50ms")
        rates, chosen, told = by_connections(bench)
        overtaken, more = overtaking(bench)
        told = sum((again(counts), again(slow_counts), more), told)
        multi = reference(bench)
    loaded = bench_roster.measure(arguments.binaries, arguments.phones)
    cpu = statistics.median(
        t["microseconds"] / o["wicket"]["microseconds"] for t, o in zip(theirs, ours))
    ratio = statistics.median(
        o["wicket"]["perSecond"] / t["perSecond"] for t, o in zip(slow_theirs, slow_ours))
    roster = median(ours, "rosterBytes")
    line = {
        "bench": "fanout", "phones": arguments.phones, "ratio": round(ratio, 2), "cpuRatio": round(cpu, 2),
        "microseconds": {"engine": round(median(ours, "wicket", "microseconds"), 1),
                         "h2load": round(median(theirs, "microseconds"), 1),
                         "libcurl": round(multi["microseconds"], 1)},
        "perSecond": {"engine": round(median(slow_ours, "wicket", "perSecond")),
                      "h2load": round(median(slow_theirs, "perSecond"))},
        "openPerSecond": {"engine": round(median(ours, "wicket", "perSecond")),
                          "h2load": round(median(theirs, "perSecond"))},
        "firstMs": round(median(ours, "wicket", "firstSeconds") * 1e3, 1),
        "lastSeconds": round(median(ours, "wicket", "lastSeconds"), 2), "rosterBytes": roster,
        "wicketProcessorSeconds": round(median(ours, "wicket", "processorSeconds"), 2), "peakMiB": median(ours, "peakMiB"),
        "byConnections": rates, "chosen": chosen, "overtaking": overtaken, "roster": loaded, "toldTwice": told["devicesAgain"],
        "pushedTwice": told["pushesAgain"],
    }
    # Here the process holds nothing but the phones; in `loaded` also what reading them from PostgreSQL leaves behind.
    is_small = bench_roster.is_small(roster, arguments.phones)
    line["met"] = (
        ratio >= RATIO_MIN and cpu >= CPU_RATIO_MIN and is_small and loaded["met"]
        and told["devicesAgain"] == 0 and told["pushesAgain"] == 0)
    print(json.dumps(line, separators=(",", ":")), flush=True)
    sys.exit(0 if line["met"] else 1)


if __name__ == "__main__":
    main()
