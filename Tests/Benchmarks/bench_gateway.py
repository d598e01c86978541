"""What `deploy/bench gateway` runs: registrations of activity tokens, by the store alone and through HTTP, beside pgbench
and a call that does nothing, and with encrypted push tokens, in turns, each on a PostgreSQL that loses nothing."""

import argparse
import json
import contextlib
import os
import pathlib
import re
import statistics
import subprocess
import sys

from bench_suite import CLIENT, ISSUER, Database, memory
from harness import postgres_program, processor_seconds, say

CALLERS = 64
RATIO_MIN = 1.6
HTTP_RATIO_MIN = 0.4
P99_MAX_MS = 250
# With TOKEN_KEY_FILE, of what there is without.
ENCRYPTED_MIN = 0.9
# More users than the gateway remembers tokens of, one after the other through all turns: each token is new to it, as in a
# stampede.
USERS = 40_000
# The gateway's memory at the end against that after a third of the load.
GROWTH_MAX = 1.1
# The same row, of the same size, as a registration writes: another token for one of the phones. A registration also
# keeps the hash of the token before.
UPSERT = """\\set phone random(1, {users})
\\set round random(1000000000000, 1000000000000000)
INSERT INTO live_activities
    (match_id, user_id, device_id, generation, route, shard, status, update_token, token_at, activated_at)
VALUES (1304076, md5('user' || :phone::int)::uuid::text, md5('phone' || :phone::int)::uuid::text, 1, 0, 0, 'active',
    lpad(to_hex((:phone * 2654435761 + :round % 4294967296 * 40503) % 4294967296), 8, '0') || lpad(to_hex(:phone::int), 8, '0')
        || lpad(to_hex(:round::bigint), 16, '0') || repeat('5a', 64), clock_timestamp(), clock_timestamp())
ON CONFLICT (match_id, user_id, device_id, generation)
DO UPDATE SET update_token = excluded.update_token, token_at = excluded.token_at, changed_xid = pg_current_xact_id();
"""


# As when the match goes live: a start is out to each phone, whose app has not run for a while.
FORGET = """
UPDATE live_activities SET status = 'pending', update_token = NULL, token_at = NULL, activated_at = NULL,
    former_tokens = NULL, start_sent_at = clock_timestamp();
UPDATE devices SET last_seen_at = clock_timestamp() - interval '2 hours';
"""
# A gateway has all phones' first tokens in about that time.
COVER_SECONDS = 8
# A store has all phones' first tokens soon after that.
FIRST_SECONDS = 1.5


class Bench:
    def __init__(self, database, users, seconds, is_encrypted=False):
        self.database, self.folder, self.users, self.seconds = database, database.folder, users, seconds
        self.round = 1
        # The last user of whom the gateway has seen the token.
        self.place = 0
        self.lab = database.binaries / "registration-lab"
        self.verified = True
        self.do_lab("seed", "--users", str(self.users))
        self.key_file = database.encrypt()[0] if is_encrypted else ""
        self.do_lab("tokens", "--issuer", ISSUER, "--client", CLIENT, "--out", self.folder)
        database.sql("VACUUM ANALYZE")
        (self.folder / "upsert.sql").write_text(UPSERT.format(users=self.users))
        self.gateway = database.begin_gateway(self.key_file)

    def do_lab(self, command, *arguments):
        return subprocess.run(
            [self.lab, command, "--database", self.database.database_url, *arguments], stdout=subprocess.PIPE, text=True)

    def keys(self):
        return ["--key-file", self.key_file] if self.key_file else []

    def measure(self, what, command, **options):
        """Runs a load generator; what it prints, and processor time in microseconds for each operation."""
        self.database.settle("live_activities", "devices")
        load = pathlib.Path("/proc/loadavg").read_text().split()[0]
        pids = {"postgres": self.database.postgres.pid, "gateway": self.gateway.pid}
        before = {name: processor_seconds(pid) for name, pid in pids.items()}
        own = os.times()
        answer = subprocess.run(command, capture_output=True, text=True, **options)
        after = os.times()
        spent = {name: processor_seconds(pid) - before[name] for name, pid in pids.items()}
        spent["generator"] = after.children_user + after.children_system - own.children_user - own.children_system
        if not answer.stdout.strip():
            sys.exit(f"{what}: {answer.stderr}")
        return answer.stdout, spent, load

    def report(self, what, count, seconds, spent, load, more=""):
        each = {name: round(value * 1e6 / max(count, 1), 1) for name, value in spent.items() if value > 0}
        say(f"  {what:9} {count / seconds:8.0f}/s   µs of processor time each: {each}   load {load}{more}")
        return {"perSecond": count / seconds, "cpu": each, "cores": {k: round(v / seconds, 2) for k, v in spent.items()}}

    def pgbench(self):
        output, spent, load = self.measure("pgbench", [
            postgres_program("pgbench"), "-n", "-h", f"{self.folder}/postgres/socket", "-U", "sightscreen", "-M", "prepared",
            "-c", str(CALLERS), "-j", "2", "-T", str(self.seconds), "-f", f"{self.folder}/upsert.sql", "sightscreen"])
        count = int(re.search(r"actually processed: (\d+)", output)[1])
        # By its own reckoning, which leaves the making of connections out.
        rate = float(re.search(r"tps = ([\d.]+)", output)[1])
        return self.report("pgbench", count, count / rate, spent, load)

    def first(self):
        self.database.sql(FORGET)
        return self.store("first", FIRST_SECONDS)

    def store(self, what="store", seconds=None):
        output, spent, load = self.measure(what, [
            self.lab, "store", "--database", self.database.database_url, "--callers", str(CALLERS),
            "--seconds", str(seconds or self.seconds), "--round", str(self.round), *self.keys()])
        result = json.loads(output)
        self.round = result["lastRound"] + 1
        self.verified &= result["check"]["verified"]
        spent["generator"] = result["processorSeconds"]
        measured = self.report(
            what, result["registrations"], result["registrations"] / result["perSecond"], spent, load,
            f"   p99 {result['p99Ms']} ms")
        return measured

    def everybody(self):
        """The first tokens, through HTTP: nobody is without one afterwards."""
        first = self.http("register", max(self.seconds, COVER_SECONDS))
        while self.database.sql("SELECT count(*) FROM live_activities WHERE status = 'pending'") != [["0"]]:
            self.http("register")
        return first

    def http(self, call, seconds=None):
        acknowledged = f"{self.folder}/acknowledged.txt"
        output, spent, load = self.measure(call, [
            "wrk", "-t", "1", "-c", str(CALLERS), "-d", f"{seconds or self.seconds}s", "--latency", "--timeout", "10s",
            "-s", "Tests/Benchmarks/bench_gateway.lua", self.gateway.url, "--", call, f"{self.folder}/users.txt", str(self.round),
            str(self.place)
        ], env={"PATH": "/usr/local/bin:/usr/bin:/bin", "BENCH_OUT": acknowledged})
        result = json.loads(output.strip().splitlines()[-1])
        if call != "open":
            self.place = result["place"]
        measured = self.report(
            call, result["requests"], result["seconds"], spent, load, f"   p99 {result['p99Ms']} ms")
        measured["p99Ms"] = result["p99Ms"]
        measured["failed"] = result["refused"] + result["broken"]
        if call == "register":
            check = self.do_lab("verify", "--acknowledged", acknowledged, *self.keys())
            self.verified &= check.returncode == 0
            if check.returncode != 0:
                say(f"  NOT in the database: {check.stdout}")
            lines = pathlib.Path(acknowledged).read_text().split()
            self.round = max([self.round, *map(int, lines[2::3])]) + 1
        return measured


def median(measured, *path):
    values = []
    for value in measured:
        for key in path:
            value = value.get(key, 0)
        values.append(value)
    return statistics.median(values)


def run(bench, encrypted, rounds):
    say(f"{bench.users} users with a phone each, whose first tokens come first …")
    first = bench.everybody()
    encrypted.everybody()
    names = {"pgbench": bench.pgbench, "store": bench.store, "noop": lambda: bench.http("noop"),
             "register": lambda: bench.http("register"), "open": lambda: bench.http("open"), "encrypted": lambda: encrypted.store("encrypted"),
             "encryptedRegister": lambda: encrypted.http("register")}
    measured = {name: [] for name in names}
    sizes = []
    for turn in range(rounds):
        say(f"Round {turn + 1} of {rounds}")
        for name, measure in names.items():
            measured[name].append(measure())
        sizes.append(memory(bench.gateway.pid))
    say("First tokens")
    # Last: it leaves phones that have none.
    measured["first"] = [bench.first() for _ in range(rounds)]
    # Each round's own ratio: what disturbs one round does so for both.
    def ratio_of(name, reference):
        return statistics.median(
            own["perSecond"] / other["perSecond"] for own, other in zip(measured[name], measured[reference]))
    ratio = ratio_of("store", "pgbench")
    # Against a call that every caller of the gateway could make; the one that asks nobody who he is, for information.
    http_ratio = ratio_of("register", "noop")
    encrypted_ratio, encrypted_http = ratio_of("encrypted", "store"), ratio_of("encryptedRegister", "register")
    p99 = max(r["p99Ms"] for r in [first, *measured["register"]])
    failed = sum(r["failed"] for r in [first, *measured["register"], *measured["noop"], *measured["open"],
                                       *measured["encryptedRegister"]])
    rss = {"thirdMiB": sizes[(rounds - 1) // 3], "endMiB": sizes[-1]}
    met = (ratio >= RATIO_MIN and http_ratio >= HTTP_RATIO_MIN and p99 < P99_MAX_MS and bench.verified and failed == 0
           and encrypted.verified and min(encrypted_ratio, encrypted_http) >= ENCRYPTED_MIN
           and rss["endMiB"] <= rss["thirdMiB"] * GROWTH_MAX)
    return {
        "bench": "gateway", "ratio": round(ratio, 2), "httpRatio": round(http_ratio, 2),
        "openRatio": round(ratio_of("register", "open"), 2),
        "firstRatio": round(ratio_of("first", "pgbench"), 2),
        "encryptedRatio": round(encrypted_ratio, 2), "encryptedHttpRatio": round(encrypted_http, 2), "p99Ms": p99,
        "registrationsPerSecond": round(median(measured["store"], "perSecond")),
        "pgbenchPerSecond": round(median(measured["pgbench"], "perSecond")),
        "httpPerSecond": round(median(measured["register"], "perSecond")),
        "noopPerSecond": round(median(measured["noop"], "perSecond")),
        "firstTokensPerSecond": round(first["perSecond"]), "failed": failed,
        "cpu": {name: {part: median(values, "cpu", part) for part in values[0]["cpu"]} for name, values in measured.items()},
        "rss": rss, "verified": bench.verified and encrypted.verified, "met": met,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--users", type=int, default=USERS)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        clear, encrypted = [
            Bench(stack.enter_context(Database(arguments.binaries)), arguments.users, arguments.seconds, is_encrypted)
            for is_encrypted in (False, True)]
        line = run(clear, encrypted, arguments.rounds)
    print(json.dumps(line, separators=(",", ":")), flush=True)
    sys.exit(0 if line["met"] else 1)


if __name__ == "__main__":
    main()
