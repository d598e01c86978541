"""What `deploy/bench recovery` runs: every follower of a match from nothing to a pending activity that a coordinator sees,
beside one plain INSERT … SELECT of the same rows by psql, in turns on one PostgreSQL that loses nothing."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

from bench_suite import Database
from harness import say

MATCH = 1304076
RATIO_MAX = 2
PEAK_MAX_MIB = 256
CLAIMED_MAX = 1_000
# Ten minutes of passes, one each 30 seconds, and what they may cost PostgreSQL where there is nothing to do.
IDLE_PASSES = 20
IDLE_SECONDS_MAX = 8
# The followers that a channel is worth: all who want every alert have one, or none has. The other levels and the sandbox have no
# followers.
CHANNEL_FOLLOWERS = {"channel": 200, "noChannel": 10_000_000}
# What should exist: the follows of the match, and the phones a push can start an activity on.
SHOULD = f"""
    FROM match_follows AS f JOIN devices AS d USING (user_id)
    WHERE f.match_id = {MATCH} AND d.live_activities_enabled AND d.push_to_start_token IS NOT NULL"""
PLAIN = f"""
    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
    SELECT f.match_id, d.user_id, d.device_id, 1, d.route, d.shard {SHOULD}"""
# One row says how many are right, absent, too many or not as they should be.
VERIFY = f"""
    SELECT count(*) FILTER (WHERE e.should AND h.rows = 1 AND h.good), count(*) FILTER (WHERE h.rows IS NULL),
        count(*) FILTER (WHERE e.should IS NULL), count(*) FILTER (WHERE h.rows > 1 OR NOT h.good)
    FROM (SELECT d.user_id, d.device_id, true AS should {SHOULD}) AS e
    FULL JOIN (
        SELECT user_id, device_id, count(*) AS rows, bool_and(status = 'pending' AND generation = 1) AS good
        FROM live_activities WHERE match_id = {MATCH} GROUP BY user_id, device_id
    ) AS h ON h.user_id = e.user_id AND h.device_id = e.device_id"""
# Every phone has answered: what a match in full swing looks like.
ACTIVATE = """
    UPDATE live_activities SET status = 'active', start_attempts = 1, starts_sent = 1, start_sent_at = clock_timestamp(),
        update_token = repeat(md5(device_id), 5), token_at = clock_timestamp(), activated_at = clock_timestamp()"""


class Bench:
    def __init__(self, database, users):
        self.database, self.users = database, users
        self.lab = database.binaries / "recovery-lab"
        self.processes = []
        self.verified = True

    def prepare(self):
        subprocess.run([self.lab, "seed", "--database", self.database.database_url, "--users", str(self.users)], check=True)
        self.database.sql("VACUUM ANALYZE")

    def start(self, command, *arguments):
        process = subprocess.Popen(
            [self.lab, command, "--database", self.database.database_url, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, bufsize=1)
        self.processes.append(process)
        return process

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()

    def fresh(self):
        """An empty table, and nothing left of the turn before that this one would pay for."""
        self.database.sql("TRUNCATE live_activities")
        self.database.settle("match_follows", "devices")

    def ours(self):
        """The orchestrator's pass in a process, and a coordinator in another, which looks when a notification comes for the first
        time, and when all are there."""
        self.fresh()
        coordinator = self.start("coordinate")
        expect(coordinator, "ready")
        server = self.database.server_seconds()
        orchestrator = self.start("pass")
        expect(orchestrator, "began")
        began = time.monotonic()
        expect(orchestrator, "notified")
        first = self.claim(coordinator)
        first_seconds = time.monotonic() - began
        line = "notified\n"
        while line == "notified\n":
            line = orchestrator.stdout.readline()
        result = json.loads(line)
        last = self.claim(coordinator)
        seconds = time.monotonic() - began
        server = self.database.server_seconds() - server
        coordinator.stdin.close()
        if orchestrator.wait() != 0 or coordinator.wait() != 0:
            sys.exit("recovery-lab failed")
        self.verify(first["claimed"], last["claimed"])
        result |= {"seconds": seconds, "firstSeconds": first_seconds, "serverSeconds": server,
                   "claimSeconds": max(first["seconds"], last["seconds"])}
        return self.report("ours", seconds, f"orchestrator {result['processorSeconds']:.2f} s, PostgreSQL {server:.1f} s "
                           f"of processor time, first starts claimed after {first_seconds:.2f} s, claims "
                           f"{first['seconds']:.2f} and {last['seconds']:.2f} s, peak {result['peakKiB'] / 1024:.0f} MiB",
                           result)

    @staticmethod
    def claim(coordinator):
        coordinator.stdin.write("\n")
        return json.loads(coordinator.stdout.readline() or sys.exit("the coordinator could not claim"))

    def psql(self):
        self.fresh()
        server = self.database.server_seconds()
        began = time.monotonic()
        self.database.sql(PLAIN)
        seconds = time.monotonic() - began
        server = self.database.server_seconds() - server
        return self.report("psql", seconds, f"PostgreSQL {server:.1f} s", {"seconds": seconds, "serverSeconds": server})

    def verify(self, first, last):
        good, absent, strange, wrong = map(int, self.database.sql(VERIFY)[0])
        is_good = good == self.users and absent == strange == wrong == 0 and first > 0 and last == CLAIMED_MAX
        if not is_good:
            say(f"  WRONG: {good} as they should be, {absent} absent, {strange} strange, {wrong} wrong; {first} and {last} claimed")
        self.verified &= is_good

    def report(self, name, seconds, more, result):
        load = pathlib.Path("/proc/loadavg").read_text().split()[0]
        say(f"  {name:5} {seconds:7.2f} s  {self.users / seconds:8.0f} rows/s   {more}   load {load}")
        return result

    def rest(self):
        """Every phone shows the match, and nothing happens."""
        self.database.sql(ACTIVATE)
        # As autovacuum would do soon.
        self.database.sql("VACUUM ANALYZE live_activities")
        return {name: self.idle(name, followers) for name, followers in CHANNEL_FOLLOWERS.items()}

    def idle(self, name, followers):
        """Ten minutes of passes that find nothing to do, with channels switched on: one look at everything, in parts, and one
        for what has had its time. The first pass of a process, which looks at everything, comes before them."""
        self.database.sql("TRUNCATE broadcast_channels")
        self.database.settle()
        process = self.start("pass", "--before", "1", "--passes", str(IDLE_PASSES), "--channel-followers", str(followers))
        expect(process, "began")
        server = self.database.server_seconds()
        result = json.loads(process.stdout.readline())
        process.wait()
        result["serverSeconds"] = self.database.server_seconds() - server
        say(f"  idle, {name}  {result['seconds']:7.2f} s for {IDLE_PASSES} passes   "
            f"PostgreSQL {result['serverSeconds']:.2f} s of processor time")
        if self.database.sql("SELECT count(*) FROM live_activities WHERE status = 'active'") != [[str(self.users)]]:
            self.verified = False
        channels = self.database.sql("SELECT environment, class FROM broadcast_channels")
        if channels != ([["production", "0"]] if name == "channel" else []):
            self.verified = False
        return result


def expect(process, line):
    answer = process.stdout.readline().strip()
    if answer != line:
        sys.exit(f"recovery-lab said {answer!r}, not {line!r}")


def median(rows, key):
    return statistics.median(row[key] for row in rows)


def run(bench, rounds):
    say(f"{bench.users} followers' phones …")
    bench.prepare()
    ours, psql = [], []
    for turn in range(rounds):
        say(f"Round {turn + 1} of {rounds}")
        # Who comes first changes from round to round.
        for measure, results in [(bench.psql, psql), (bench.ours, ours)][:: 1 if turn % 2 == 0 else -1]:
            results.append(measure())
    idle = bench.rest()
    ratio = statistics.median(o["seconds"] / p["seconds"] for o, p in zip(ours, psql))
    peak = max(row["peakKiB"] for row in ours) / 1024
    met = ratio <= RATIO_MAX and peak < PEAK_MAX_MIB and bench.verified and all(
        row["serverSeconds"] <= IDLE_SECONDS_MAX for row in idle.values())
    return {
        "bench": "recovery", "ratio": round(ratio, 2),
        "rowsPerSecond": round(bench.users / median(ours, "seconds")),
        "psqlRowsPerSecond": round(bench.users / median(psql, "seconds")), "rssMiB": round(peak, 1),
        "cpu": {
            "orchestrator": round(median(ours, "processorSeconds"), 2),
            "postgres": round(median(ours, "serverSeconds"), 1), "psqlPostgres": round(median(psql, "serverSeconds"), 1),
        },
        "firstClaimedAfterSeconds": round(median(ours, "firstSeconds"), 2),
        "claimSeconds": round(median(ours, "claimSeconds"), 2),
        "idleTenMinutes": {
            "passes": IDLE_PASSES,
            **{name: {"seconds": round(row["seconds"], 2), "orchestrator": round(row["processorSeconds"], 2),
                      "postgres": round(row["serverSeconds"], 2)} for name, row in idle.items()},
        },
        "users": bench.users, "rounds": rounds, "verified": bench.verified, "met": met,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with Database(arguments.binaries) as database:
        bench = Bench(database, arguments.users)
        try:
            line = run(bench, arguments.rounds)
        finally:
            bench.stop()
    print(json.dumps(line, separators=(",", ":")), flush=True)
    sys.exit(0 if line["met"] else 1)


if __name__ == "__main__":
    main()
