"""What `deploy/bench broadcast` runs: what a channel costs beside tokens. The real la-coordinator and PostgreSQL, and an
apns-simulator. No phone is subscribed there: followers are rows of a table."""

import argparse
import base64
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time
import uuid

from bench_suite import memory
from fanout_fixture import MATCH, SHARDS, Failed, FanOut, alert_sql, content_state, quoted, token
from harness import EndedTooSoon, HarnessError, processor_seconds, say, wait_until

# From the commit of a thousand versions to the last of four thousand accepted publishes, in seconds.
PUBLISHES_MAX = 1.0
# A version on a channel with a million followers, of one with a thousand; and the processor time of either.
FOLLOWERS_RATIO_MAX, VERSION_MS_MAX = 1.1, 2.0
MATCHES = 1_000
# Classes of followers that have a channel of each match: environment and alert level ("all", "key").
CLASSES = [(environment, level) for environment in ("production", "sandbox") for level in (0, 1)]
# Answers come so much later, but where a million pushes go out: a PING is answered at once, and by it the engine decides on the
# number of its connections.
DELAY_MS = 50
# A channel takes a version without an alert every 5 s.
PACE_SECONDS = 6
# Versions of a turn of `followers`, and how many a second: more than a match has, so that they stand out from what the process
# does anyway.
VERSIONS, VERSIONS_A_SECOND = 200, 8
# Seconds after a start until the phone has registered its token.
TOKEN_AFTER = 1
WRITTEN = """
    SELECT sum(n_tup_ins + n_tup_upd), (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
        pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')
    FROM pg_stat_user_tables"""
LEASES = "SELECT name, epoch FROM leases WHERE expires_at > clock_timestamp()"


def channel(match, environment="production", level=0):
    return base64.b64encode(hashlib.md5(f"{match}/{environment}/{level}".encode()).digest()).decode()


class Broadcast(FanOut):
    """Matches from `MATCH` on whose channels the simulator knows from the beginning; followers are added."""

    def __init__(self, binaries, matches=1, classes=CLASSES[:1], delay_ms=0):
        super().__init__(binaries, 0, simulator={"APNS_SIMULATOR_ANSWER_DELAY": f"{delay_ms}ms"})
        # No checkpoint but those between the measurements.
        self.description["postgres"] = ["shared_buffers=256MB", "max_wal_size=8GB", "checkpoint_timeout=1h"]
        self.matches = range(MATCH, MATCH + matches)
        self.classes = classes
        self.registered_tokens = 0

    def prepare(self, stack):
        folder = self.folder / "channels"
        folder.mkdir()
        (folder / "channels.ndjson").write_text("".join(
            json.dumps({"id": channel(match, environment, level), "environment": environment, "policy": 0}) + "\n"
            for match in self.matches for environment, level in self.classes))
        self.description["instances"][0]["settings"]["APNS_SIMULATOR_STATE_DIR"] = folder

    def set_up(self, stack):
        super().set_up(stack)
        self.sql(f"""
            INSERT INTO active_matches (match_id, display_state, went_live_at)
            SELECT n, 'live', clock_timestamp() FROM generate_series({self.matches[0]}, {self.matches[-1]}) AS n
            ON CONFLICT DO NOTHING""")

    def open_channels(self, matches=None):
        rows = [f"({match}, '{environment}', {level}, 1, ({match} + 21 * {level}) % {SHARDS}, "
                f"'{channel(match, environment, level)}', clock_timestamp())"
                for match in matches or self.matches for environment, level in self.classes]
        self.sql("INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at) VALUES "
                 + ",".join(rows))

    def add(self, count, match=MATCH, matches=1, listens=False):
        """Followers with an activity, of so many matches from this one on; with tokens that the simulator knows, or on the first
        channel of their match."""
        if not count:
            return
        name = f"{'listener' if listens else 'follower'} of {match} "
        self.sql(f"""
            CREATE TEMPORARY TABLE phones AS
            SELECT n, {match} + n % {matches} AS match_id, md5('{name}' || n)::uuid::text AS user_id,
                md5('phone of {name}' || n)::uuid::text AS device_id,
                hashtextextended('phone of {name}' || n, 0) & 9223372036854775807 AS route
            FROM generate_series(1, {count}) AS n;
            INSERT INTO devices (user_id, device_id, route, shard, broadcast)
            SELECT user_id, device_id, route, route >> 57, {listens} FROM phones;
            INSERT INTO match_follows (user_id, match_id) SELECT user_id, match_id FROM phones;
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, start_attempts,
                update_token, channel_id, token_at, activated_at)
            SELECT match_id, user_id, device_id, 1, route, route >> 57, 'active', 1,
                CASE WHEN NOT {listens} THEN repeat(md5('update' || {self.registered_tokens} + n), 5) END,
                CASE WHEN {listens} THEN '{channel(match)}' END,
                CASE WHEN NOT {listens} THEN clock_timestamp() - interval '1 hour' END, clock_timestamp() - interval '1 hour'
            FROM phones""")
        if not listens:
            first = self.registered_tokens + 1
            self.registered_tokens += count
            self.simulator.register(token(number) for number in range(first, self.registered_tokens + 1))

    def start(self, name="c1"):
        """With an APNs host for each environment."""
        self.sql("VACUUM ANALYZE")
        self.sql("CHECKPOINT")
        coordinator = self.begin(name, "la-coordinator", settings={"LOG_LEVEL": "warning"})
        self.coordinators.append(coordinator)
        coordinator.wait_for_shards()
        return coordinator

    def warm_up(self, name="c1"):
        """A coordinator that has brought everything to the first version."""
        # The channel of a match that has no version, and no fixture, is ended.
        self.commit_all(self.matches)
        coordinator = self.start(name)
        self.wait_until_accepted()
        time.sleep(PACE_SECONDS)
        return coordinator

    def commit_all(self, matches, title=None):
        """The next version of these matches in one transaction, with the notifications of `MatchStore.commit`. Returns when that
        was, in milliseconds since 1970."""
        rows = self.sql(f"""
            WITH written AS (
                UPDATE active_matches SET version = version + 1,
                    content_state = replace({quoted(content_state(0))}, '"version":0', '"version":' || version + 1),
                    stamp = greatest(stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint)
                WHERE match_id BETWEEN {matches[0]} AND {matches[-1]} RETURNING match_id, version, stamp, content_state
            ), logged AS (
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, alert)
                SELECT match_id, version, stamp, content_state, {10 if title else 5},
                    {alert_sql(title, int(time.time())) if title else "NULL"}
                FROM written RETURNING match_id, version, stamp
            )
            SELECT count(pg_notify('match_updates', match_id || ' ' || version || ' ' || stamp)) FROM logged;
            SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint""")
        return int(rows[-1][0])

    def wait_until_accepted(self, within=300):
        """Until every push of each match's newest version is accepted, as the coordinator tells it."""
        behind = """
            SELECT count(*) FROM active_matches AS m LEFT JOIN fanout_progress AS p USING (match_id)
            WHERE m.version > 0 AND (p.version = m.version AND p.targeted > 0 AND p.accepted >= p.targeted) IS NOT TRUE"""
        wait_until("all is accepted", lambda: self.sql(behind) == [["0"]], within, pause=0.25)

    def lines(self):
        """How many the simulator's log has."""
        counts = self.simulator.counts()
        return sum(line["count"] for line in counts["pushes"] + counts["broadcast"]["publishes"])

    def wire_bytes(self):
        """Of all connections to APNs, both ways."""
        found = subprocess.run(["ss", "-Htin", f"dport = :{self.simulator.port}"], check=True, capture_output=True, text=True)
        return sum(map(int, re.findall(r"bytes_(?:sent|received):(\d+)", found.stdout)))

    def postgres_memory(self):
        """MiB of all its processes, what they share counted once."""
        total = 0
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                pid, parent = int(path.parent.name), int(path.read_text().rsplit(")", 1)[1].split()[1])
                if self.postgres.pid in (pid, parent):
                    total += int(re.search(r"^Pss:\s+(\d+)", (path.parent / "smaps_rollup").read_text(), re.MULTILINE)[1])
        return round(total / 1024)


def spent(process):
    """Processor time of a process in seconds, finer than the kernel's ticks."""
    return time.clock_gettime(~process.pid << 3 | 2)


def idle_cores(process):
    """What it uses when nothing happens."""
    before = spent(process)
    time.sleep(5)
    return (spent(process) - before) / 5


def median(rows, key, digits=2):
    return round(statistics.median(row[key] for row in rows), digits)


def delays(process):
    """Seconds from the versions' commits until it knew them, all together, and how many they are."""
    found = {name: 0 for name in ("sum", "count")}
    for name, _, value in process.scrape():
        if name.startswith("sightscreen_version_delay_seconds_") and name.rsplit("_", 1)[1] in found:
            found[name.rsplit("_", 1)[1]] += value
    return found


def load():
    return f"load {os.getloadavg()[0]:.1f}"


def publishes(binaries, _, rounds):
    """A thousand matches at once: four channels each, beside four phones with tokens each."""
    found = {}
    for kind in ("tokens", "channels"):
        with Broadcast(binaries, MATCHES, CLASSES, DELAY_MS) as suite:
            if kind == "channels":
                suite.open_channels()
            else:
                suite.add(MATCHES * len(CLASSES), matches=MATCHES)
            coordinator = suite.warm_up()
            idle = idle_cores(coordinator)
            found[kind] = []
            for turn in range(rounds):
                since, learnt, before, begun = suite.lines(), delays(coordinator), spent(coordinator), time.monotonic()
                committed = suite.commit_all(suite.matches)
                # The simulator is not asked meanwhile, and what is asked of the coordinator's database costs little.
                suite.wait_until_accepted()
                used = spent(coordinator) - before - idle * (time.monotonic() - begun)
                learnt = {what: value - learnt[what] for what, value in delays(coordinator).items()}
                times = [push.at_ms - committed for push in suite.simulator.log(since) if push.status == 200]
                if len(times) < MATCHES * len(CLASSES):
                    raise Failed(f"{len(times)} of {MATCHES * len(CLASSES)} were accepted")
                found[kind].append(row := {
                    "learntSeconds": learnt["sum"] / learnt["count"], "firstSeconds": (min(times) + DELAY_MS) / 1e3,
                    "lastSeconds": (max(times) + DELAY_MS) / 1e3, "processorSeconds": used})
                say(f"  {kind} {turn + 1} of {rounds}: versions known after {row['learntSeconds']:.2f} s, first accepted after "
                    f"{row['firstSeconds']:.2f} s, last {row['lastSeconds']:.2f} s, {used:.2f} s of processor time; {load()}")
                time.sleep(PACE_SECONDS)
            found[kind + "Idle"], found[kind + "MiB"] = idle, memory(coordinator.pid, "VmHWM")
    channels, tokens = found["channels"], found["tokens"]
    last = median(channels, "lastSeconds")
    line = {"publishes": MATCHES * len(CLASSES), "versions": MATCHES, "lastMost": max(row["lastSeconds"] for row in channels)}
    for key in ("learntSeconds", "firstSeconds", "lastSeconds", "processorSeconds"):
        line[key] = {"channels": median(channels, key), "tokens": median(tokens, key)}
    line |= {"idleCores": {kind: round(found[kind + "Idle"], 3) for kind in ("channels", "tokens")},
             "peakMiB": {kind: found[kind + "MiB"] for kind in ("channels", "tokens")},
             "limit": "learning of the versions" if median(channels, "learntSeconds") > last / 2 else "sending",
             "ratio": round(last / median(tokens, "lastSeconds"), 2)}
    return line | {"met": last <= PUBLISHES_MAX}


def followers(binaries, phones, rounds):
    """What a wicket costs on a channel with a thousand followers, on one with a million, and to a thousand tokens."""
    small, large, tokens, nothing = "thousand", "million", "tokens", "idle"
    with Broadcast(binaries, 3, delay_ms=DELAY_MS) as suite:
        suite.add(1_000, MATCH, listens=True)
        suite.add(phones, MATCH + 1, listens=True)
        suite.add(1_000, MATCH + 2)
        suite.open_channels(suite.matches[:2])
        matches = {small: suite.matches[:1], large: suite.matches[1:2], tokens: suite.matches[2:]}
        coordinator = suite.warm_up()

        def turn(what):
            """Processor seconds, and how many versions were published."""
            begun, before, since = time.monotonic(), spent(coordinator), suite.lines()
            for number in range(1, VERSIONS + 1):
                if what != nothing:
                    suite.commit_all(matches[what], f"wicket {number} of {what} at {begun}")
                time.sleep(max(0, begun + number / VERSIONS_A_SECOND - time.monotonic()))
            time.sleep(1)
            return spent(coordinator) - before, (suite.lines() - since) / (1_000 if what == tokens else 1)

        found = []
        for round_ in range(rounds):
            order = [small, large, nothing, tokens][:: 1 if round_ % 2 == 0 else -1]
            used = {what: turn(what) for what in order}
            found.append({what: (used[what][0] - used[nothing][0]) * 1e3 / used[what][1] for what in matches}
                         | {nothing: used[nothing][0] / (VERSIONS / VERSIONS_A_SECOND + 1)})
            if min(used[what][1] for what in matches) < VERSIONS / 2:
                raise Failed(f"too few versions were published: {used}")
            say(f"  {round_ + 1} of {rounds}: {found[-1][small]:.2f} ms for a version to {1_000} followers, "
                f"{found[-1][large]:.2f} ms to {phones}, {found[-1][tokens]:.1f} ms to 1000 tokens; {load()}")
        peak = memory(coordinator.pid, "VmHWM")
    ratio = round(statistics.median(row[large] / row[small] for row in found), 2)
    milliseconds = {what: median(found, what) for what in matches}
    return {"followers": phones, "ratio": ratio, "milliseconds": milliseconds, "idleCores": median(found, nothing, 3),
            "peakMiB": peak,
            "met": ratio <= FOLLOWERS_RATIO_MAX and max(milliseconds[small], milliseconds[large]) <= VERSION_MS_MAX}


def wicket(binaries, phones, rounds):
    """A wicket to all phones of a match: all on tokens, half of them, and none."""
    line = {"phones": phones, "toldTwice": 0}
    for kind, listening in (("tokens", 0), ("half", phones // 2), ("channels", phones)):
        with Broadcast(binaries) as suite:
            say(f"  {kind}: {phones} phones …")
            suite.add(listening, listens=True)
            suite.add(phones - listening)
            if listening:
                suite.open_channels()
            coordinator = suite.warm_up()
            found, idle = [], idle_cores(coordinator)
            for number in range(1, rounds + 1):
                since, wire, before, begun = suite.lines(), suite.wire_bytes(), spent(coordinator), time.monotonic()
                committed = suite.commit_all(suite.matches, f"wicket {number}")
                suite.wait_until_accepted()
                used = spent(coordinator) - before - idle * (time.monotonic() - begun)
                row = {"processorSeconds": used, "wireBytes": suite.wire_bytes() - wire}
                [last] = suite.simulator.log(suite.lines() - 1)
                row["lastSeconds"] = (last.at_ms - committed) / 1e3
                if listening:
                    publish = next(push for push in suite.simulator.log(since) if not push.token)
                    row["publishSeconds"] = (publish.at_ms - committed) / 1e3
                found.append(row)
                say(f"  {kind} {number} of {rounds}: last accepted after {row['lastSeconds']:.2f} s, "
                    f"{row['processorSeconds']:.2f} s of processor time, {row['wireBytes']} bytes; {load()}")
                time.sleep(PACE_SECONDS)
            line[kind] = {key: median(found, key, 3) for key in found[0]} | {"peakMiB": memory(coordinator.pid, "VmHWM")}
            line["toldTwice"] += sum(suite.told_twice())
    for key in ("lastSeconds", "processorSeconds", "wireBytes", "peakMiB"):
        line[key.replace("Seconds", "") + "Ratio"] = round(line["channels"][key] / line["tokens"][key], 6)
    return line | {"met": line["toldTwice"] == 0 and line["channels"]["lastSeconds"] <= PUBLISHES_MAX}


def starts(binaries, phones, _):
    """A match goes live with phones that follow it already: starts on a channel, beside starts on tokens."""
    line = {"phones": phones}
    for kind in ("tokens", "channels"):
        with Broadcast(binaries) as suite:
            say(f"  {kind}: {phones} phones wait for their start …")
            suite.add_starters(phones)
            if kind == "channels":
                suite.open_channels()
                suite.sql("UPDATE devices SET broadcast = true")
            else:
                suite.simulator.register(
                    hashlib.md5(str(uuid.UUID(hashlib.md5(f"starter{number}".encode()).hexdigest())).encode()).hexdigest() * 5
                    for number in range(1, phones + 1))
            line[kind] = go_live(suite, phones, registers=kind == "tokens")
            say(f"  {kind}: {line[kind]}; {load()}")
    ours, theirs = line["channels"], line["tokens"]
    for key in ("rows", "transactions", "walBytes", "seconds"):
        line[key + "Ratio"] = round(ours[key] / theirs[key], 2)
    return line | {"met": not any(each["leasesLost"] or each["startsRepeated"] for each in (ours, theirs))}


def register(suite):
    """What the gateway writes when phones report their tokens, in batches as it does."""
    suite.sql(f"""
        SET enable_seqscan = off;
        UPDATE live_activities SET status = 'active', update_token = repeat(md5(user_id), 5), token_at = clock_timestamp(),
            activated_at = clock_timestamp()
        WHERE status = 'pending' AND start_given_up_at IS NULL AND shard = ANY (ARRAY(SELECT generate_series(0, {SHARDS - 1})))
            AND start_lease_until > clock_timestamp()
            AND start_sent_at < clock_timestamp() - interval '{TOKEN_AFTER} s'""")


def go_live(suite, phones, registers):
    coordinator = suite.start()
    leases = set(map(tuple, suite.sql(LEASES)))
    before, spent_before, server = suite.sql(WRITTEN)[0], spent(coordinator), processor_seconds(suite.postgres.pid)
    begun, memories, started = time.monotonic(), [], None
    is_over = threading.Event()

    def keep_registering():
        while not is_over.wait(0.25):
            register(suite)

    registering = threading.Thread(target=keep_registering, daemon=True)
    if registers:
        registering.start()
    try:
        suite.commit_all(suite.matches)
        for second in itertools.count():
            memories.append(suite.postgres_memory())
            accepted = {labels: value for name, labels, value in coordinator.scrape() if name == "sightscreen_pushes_total"}
            if started is None and sum(value for labels, value in accepted.items() if "start" in labels) >= phones:
                started = time.monotonic() - begun
            updated = not registers or sum(value for labels, value in accepted.items() if '"update"' in labels) >= phones
            if started and updated and suite.sql("SELECT count(*) FROM live_activities WHERE status = 'pending'") == [["0"]]:
                break
            if second > 60 + phones / 500:
                raise Failed(f"the starts of {phones} phones were not over within {second} s: {accepted}")
            time.sleep(1)
    finally:
        is_over.set()
        if registers:
            registering.join()
    line = {
        "seconds": round(time.monotonic() - begun, 1), "startedSeconds": round(started, 1),
        "startsPerSecond": round(phones / started),
        "processorSeconds": {"coordinator": round(spent(coordinator) - spent_before, 1),
                             "postgres": round(processor_seconds(suite.postgres.pid) - server, 1)},
        "peakMiB": {"coordinator": memory(coordinator.pid, "VmHWM"), "postgres": max(memories)},
        "leasesLost": len(set(map(tuple, suite.sql(LEASES))) ^ leases),
        "startsRepeated": int(suite.sql("SELECT count(*) FROM live_activities WHERE starts_sent > 1")[0][0]),
    }
    # PostgreSQL's sessions hand in their last counts when they end.
    coordinator.stop()
    after = suite.sql(WRITTEN)[0]
    return line | {what: int(b) - int(a) for what, a, b in zip(("rows", "transactions", "walBytes"), before, after)}


def main():
    parts = {part.__name__: part for part in (publishes, followers, wicket, starts)}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binaries", required=True)
    parser.add_argument("--phones", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    chosen = parser.parse_args()
    goals = {}
    for name in chosen.parts:
        say(f"{name}: {parts[name].__doc__}")
        line = parts[name](chosen.binaries, chosen.phones, chosen.rounds)
        goals[name] = line["met"]
        print(json.dumps({"bench": "broadcast", "goal": name, **line}, separators=(",", ":")), flush=True)
    met = all(goals.values())
    line = {"bench": "broadcast", "phones": chosen.phones, "goals": goals, "met": met}
    print(json.dumps(line, separators=(",", ":")), flush=True)
    return 0 if met else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        say(f"bench-broadcast: {failure}")
        sys.exit(1)
    except (HarnessError, EndedTooSoon) as error:
        say(f"bench-broadcast: {error}")
        sys.exit(70)
