"""A la-coordinator or several of them in front of an apns-simulator, all of them real, and a match whose followers are rows of a
table."""

import collections
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import time
import urllib.parse

from harness import HarnessError, Process, Suite

MATCH = 1304076
SHARDS = 64
# What a loop of la-coordinator claims an alert for at once, unless one shard alone has more (`FanOutLoop.claimedMax`).
CLAIMED = 1_000
THREADS = 2
# What a connection carries: as many bytes of pushes as APNs lets it have on their way.
WINDOW = 65_535
# The simulator remembers so many requests, with 130 bytes each.
LOG_LINES = 4_000_000


class Failed(Exception):
    """The fan-out did not do what it must: a finding, not a fault of the harness."""


def token(number):
    return hashlib.md5(f"update{number}".encode()).hexdigest() * 5


def tokens(phones):
    return [token(number) for number in range(1, phones + 1)]


def seed_sql(phones):
    return f"""
        INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name, home_code,
            away_id, away_name, away_code)
        VALUES ({MATCH}, 10, 'Indian Premier League', 'twenty20', '1st Innings', clock_timestamp(), 1, 'Rajasthan Royals',
            'RR', 2, 'Kolkata Knight Riders', 'KKR');
        INSERT INTO active_matches (match_id, display_state, went_live_at) VALUES ({MATCH}, 'live', clock_timestamp());
        CREATE TEMPORARY TABLE phones AS
        SELECT n, md5('user' || n)::uuid::text AS user_id, md5('phone' || n)::uuid::text AS device_id,
            hashtextextended('phone' || n, 0) & 9223372036854775807 AS route
        FROM generate_series(1, {phones}) AS n;
        INSERT INTO devices (user_id, device_id, route, shard) SELECT user_id, device_id, route, route >> 57 FROM phones;
        INSERT INTO match_follows (user_id, match_id) SELECT user_id, {MATCH} FROM phones;
        INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, start_attempts,
            update_token, token_at, activated_at)
        SELECT {MATCH}, user_id, device_id, 1, route, route >> 57, 'active', 1, repeat(md5('update' || n), 5),
            clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 hour'
        FROM phones;
        ANALYZE;
        """


def content_state(version):
    return json.dumps({
        "schema": 1, "version": version, "matchDisplayState": "live", "matchSentiment": "neutral",
        "compactLeading": {"teamAbbr": "RR", "score": f"{version}/3"},
        "compactTrailing": {"overs": "12.3", "runRate": "6.96"},
        "expanded": {
            "title": "RR v KKR", "subtitle": "IPL · Match 12", "innings": [], "recentBalls": ["1", "W", "4", "6"],
            "batters": [{"name": "Jos Buttler", "score": "45 (32)", "strikeRate": "140.6", "onStrike": True}],
        },
    }, separators=(",", ":"), ensure_ascii=False)


def alert_sql(title, event_at):
    words = {"title": title, "body": "soak", "kind": "wicket", "sound": True, "isKey": True, "eventAt": event_at}
    return quoted(json.dumps(words)) + "::jsonb"


Version = collections.namedtuple("Version", "number stamp at_ms title event_at")
Push = collections.namedtuple("Push", "seq at_ms connection token status verdict fault stamp version alert state")


class Simulator:
    """The real apns-simulator and its control port."""

    def __init__(self, suite):
        self.process = suite.processes["apns-simulator"]
        self.port = urllib.parse.urlsplit(suite.endpoints["apns"]).port
        self.control = urllib.parse.urlsplit(suite.endpoints["apnsControl"]).netloc
        self.connection = None

    def request(self, method, path, body=None):
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.control, timeout=120)
        try:
            self.connection.request(method, path, body)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.connection = None
            raise HarnessError(f"apns-simulator, {method} {path}: {error!r}\n{self.process.last_lines()}") from error
        if answer.status >= 300:
            raise HarnessError(f"apns-simulator, {method} {path}: {answer.status} {content[:200]!r}")
        return content

    def register(self, tokens, kind="update"):
        kind = {"kind": kind, "environment": "production"} | ({"match": MATCH} if kind == "update" else {})
        self.request("POST", "/tokens", "\n".join(json.dumps({"token": each} | kind) for each in tokens).encode())

    def counts(self):
        return json.loads(self.request("GET", "/counts"))

    def fault(self, what, **match):
        self.request("POST", "/faults", json.dumps({"match": {"event": "update", **match}, **what}))

    def faults(self):
        return json.loads(self.request("GET", "/faults"))

    def clear_faults(self):
        self.request("DELETE", "/faults")

    def delete(self, token):
        self.request("DELETE", f"/tokens/{token}")

    def newest(self):
        """How many requests it has seen."""
        return sum(line["count"] for line in self.counts()["pushes"])

    def log(self, since):
        """What it has seen after number `since`, oldest first."""
        payloads = {}
        with contextlib.closing(http.client.HTTPConnection(self.control, timeout=300)) as connection:
            connection.request("GET", f"/deliveries?since={since}")
            answer = connection.getresponse()
            if answer.status != 200:
                raise HarnessError(f"the log after {since} is not there: {answer.read()[:200]!r}")
            for line in answer:
                head, _, payload = line.partition(b',"payload":')
                if payload not in payloads:
                    aps = json.loads(payload[:-2])["aps"]
                    state = aps.get("content-state") or {}
                    payloads[payload] = (
                        aps["timestamp"], state.get("version"), (aps.get("alert") or {}).get("title"), state)
                head = json.loads(head + b"}")
                yield Push(
                    head["seq"], head["receivedAt"], head["connection"], head["token"], head["verdict"]["status"],
                    head.get("deviceVerdict"), head.get("fault"), *payloads[payload])

    def connections(self, coordinator):
        """TCP connections that this coordinator has to it."""
        port, sockets = f":{self.port:04X}", set()
        for file in pathlib.Path(f"/proc/{coordinator.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(file))
        rows = (line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:])
        return sum(row[2].endswith(port) and row[3] == "01" and f"socket:[{row[9]}]" in sockets for row in rows)


class Coordinator(Process):
    """One la-coordinator process under a name."""

    def holds(self):
        """Shards whose lease it has."""
        return int(self.suite.sql(
            "SELECT count(*) FROM leases WHERE name LIKE 'shard:%' AND expires_at > clock_timestamp() "
            f"AND holder LIKE '{self.name}/%'")[0][0])

    def wait_for_shards(self, count=SHARDS):
        self.wait_until(f"{self.name} has {count} shards", lambda: self.holds() >= count, within=60)

    def wait_until_up(self):
        socket = self.suite.folder / "run" / "la-coordinator" / f"{self.name}.sock"
        self.wait_until(f"{self.name} is up", socket.exists, within=60)


class FanOut(Suite):
    """`settings` are the coordinators', `simulator` the simulator's, on top of our own."""

    PREFIX = "ss-fan-"
    kind = Coordinator

    def __init__(self, binaries, phones, settings=None, simulator=None, registered=None):
        """`registered`: how many of the phones APNs knows; all if None."""
        super().__init__(binaries, [{"name": "apns-simulator", "settings": {
            "APNS_SIMULATOR_DELIVERIES": str(LOG_LINES), "LOG_LEVEL": "warning", **(simulator or {})}}])
        self.phones = phones
        self.registered = phones if registered is None else registered
        self.settings = settings or {}
        self.version = 0
        self.coordinators = []
        self.names = 0

    def set_up(self, stack):
        self.sql(seed_sql(self.phones))
        self.sql("CHECKPOINT")
        # Of the phones that there are at first. Asked once: a signal must not wait for the answer.
        self.largest_shard = int(self.sql("""
            SELECT coalesce(max(count), 0) FROM (SELECT count(*) FROM live_activities GROUP BY shard) AS shards""")[0][0])
        self.simulator = Simulator(self)
        if self.registered:
            self.simulator.register(tokens(self.registered))

    # Coordinators.

    def start(self, name=None):
        """A new process; under a name of its own unless one is given."""
        if name is None:
            self.names += 1
            name = f"c{self.names}"
        coordinator = self.begin(name, "la-coordinator", settings={
            "APNS_SANDBOX_URL": self.endpoints["apns"], "PUSH_THREADS": str(THREADS), **self.settings})
        self.coordinators.append(coordinator)
        return coordinator

    def wait_for_shards(self, coordinators):
        """All shards are theirs."""
        coordinators[0].wait_until(
            "all shards are taken", lambda: sum(one.holds() for one in coordinators) >= SHARDS, within=60)

    def stop_coordinators(self):
        for coordinator in self.coordinators:
            coordinator.stop()
        self.coordinators = []

    # The match.

    def commit(self, title=None, priority=5):
        """The next version, as event-bus commits it (`MatchStore.commit`): the stamp is the second it is in, and at most
        one second ahead."""
        number = self.version + 1
        event_at = int(time.time())
        alert = "NULL"
        if title:
            priority = 10
            alert = alert_sql(title, event_at)
        state = quoted(content_state(number))
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            rows = self.sql(f"""
                WITH written AS (
                    UPDATE active_matches SET version = version + 1, content_state = {state},
                        stamp = greatest(stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint)
                    WHERE match_id = {MATCH} AND version = {self.version}
                        AND stamp < floor(extract(epoch FROM clock_timestamp()))::bigint + 1
                    RETURNING version, stamp
                )
                INSERT INTO match_updates (match_id, version, stamp, content_state, priority, alert)
                SELECT {MATCH}, version, stamp, {state}, {priority}, {alert} FROM written
                RETURNING version, stamp, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
                """)
            if rows:
                self.version = number
                return Version(number, int(rows[0][1]), int(rows[0][2]), title, event_at)
            time.sleep(0.05)
        raise HarnessError(f"version {number} could not be committed")

    def add_starters(self, count):
        """Phones that wait for the push that starts their activity, as the orchestrator makes them. Returns their tokens."""
        numbers = range(1, count + 1)
        found = {hashlib.md5(f"start{number}".encode()).hexdigest() * 5 for number in numbers}
        self.simulator.register(found, "start")
        self.sql(f"""
            CREATE TEMPORARY TABLE starters AS
            SELECT n, md5('starter' || n)::uuid::text AS user_id, md5('its phone' || n)::uuid::text AS device_id,
                hashtextextended('its phone' || n, 0) & 9223372036854775807 AS route
            FROM generate_series(1, {count}) AS n;
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
            SELECT user_id, device_id, route, route >> 57, repeat(md5('start' || n), 5),
                clock_timestamp() - interval '1 hour'
            FROM starters;
            INSERT INTO match_follows (user_id, match_id) SELECT user_id, {MATCH} FROM starters;
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard)
            SELECT {MATCH}, user_id, device_id, 1, route, route >> 57 FROM starters""")
        return found

    def add_invented(self, accounts, each):
        """Activities of accounts that made up their tokens, each on phones of its own. Returns the tokens."""
        numbers = range(1, accounts * each + 1)
        self.sql(f"""
            CREATE TEMPORARY TABLE inventors AS
            SELECT n, md5('inventor' || n % {accounts})::uuid::text AS user_id, md5('no phone' || n)::uuid::text AS device_id,
                hashtextextended('no phone' || n, 0) & 9223372036854775807 AS route
            FROM generate_series(1, {numbers[-1]}) AS n;
            INSERT INTO devices (user_id, device_id, route, shard) SELECT user_id, device_id, route, route >> 57 FROM inventors;
            INSERT INTO match_follows (user_id, match_id) SELECT DISTINCT user_id, {MATCH} FROM inventors;
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, start_attempts,
                update_token, token_at, activated_at)
            SELECT {MATCH}, user_id, device_id, 1, route, route >> 57, 'active', 1, repeat(md5('invented' || n), 5),
                clock_timestamp(), clock_timestamp()
            FROM inventors""")
        return {hashlib.md5(f"invented{number}".encode()).hexdigest() * 5 for number in numbers}

    def active(self):
        """Tokens of activities that run, as the table has them."""
        return {row[0] for row in self.sql("SELECT update_token FROM live_activities WHERE status = 'active'")}

    def start_tokens(self):
        """That the table has."""
        return {row[0] for row in self.sql("SELECT push_to_start_token FROM devices WHERE push_to_start_token IS NOT NULL")}

    def tokens_below(self, shard):
        """Of the phones of the shards before this one."""
        return {row[0] for row in self.sql(f"SELECT update_token FROM live_activities WHERE shard < {shard}")}

    # What the phones show.

    def told(self, title, counts=None):
        """Phones that showed the alert."""
        return sum(line["devices"] for line in (counts or self.simulator.counts())["alerts"] if line["title"] == title)

    def behind(self, version, counts=None):
        """Phones that live and show an older state than this version."""
        match = (counts or self.simulator.counts())["matches"][0]
        current = sum(line["devices"] for line in match["stamps"] if line.get("stamp", 0) >= version.stamp)
        return match["devices"] - match["deleted"] - current

    def wait_until_told(self, title, count, within=60.0):
        """Until so many phones showed the alert, or it goes on no more. Returns how many did."""
        deadline, told = time.monotonic() + within, 0
        while told < count and time.monotonic() < deadline:
            told = self.told(title)
            time.sleep(0.03)
        return told

    def wait_until_newest(self, version, within=60.0):
        """Until every phone that lives shows this version. Returns the seconds it took."""
        begun = time.monotonic()
        while (behind := self.behind(version)) > 0:
            if time.monotonic() - begun > within:
                raise Failed(f"{behind} phones did not come to version {version.number} within {within:g} s")
            time.sleep(0.05)
        return time.monotonic() - begun

    def wait_until_quiet(self, quiet=1.0, within=30.0):
        """Until nothing has reached the simulator for a while."""
        deadline = time.monotonic() + within
        newest, since = self.simulator.newest(), time.monotonic()
        while time.monotonic() - since < quiet and time.monotonic() < deadline:
            time.sleep(0.1)
            if (now := self.simulator.newest()) != newest:
                newest, since = now, time.monotonic()

    def warm_up(self, name=None):
        """A coordinator that has every shard, and phones that all show the newest state."""
        coordinator = self.start(name)
        coordinator.wait_for_shards()
        self.wait_until_newest(self.commit(), within=120)
        return coordinator

    def told_twice(self):
        """Over all alerts: phones that showed one again, and pushes that carried one again to a phone."""
        counts = self.simulator.counts()
        return sum(line["devicesAgain"] for line in counts["alerts"]), sum(line["pushesAgain"] for line in counts["alerts"])

    def check_states(self, since, version):
        """By the simulator's log from `since` on: the last state that each phone took is the committed one, to the letter.
        Returns how many are not."""
        expected = json.loads(content_state(version.number))
        last = {}
        for push in self.simulator.log(since):
            if push.status == 200 and push.verdict == "handled":
                last[push.token] = push.state
        return sum(state != expected for state in last.values()) + self.phones - len(last)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"
