"""The whole suite for `deploy/soak attack`: every service and stand-in, calls of the API of which every answer is kept, and live
matches that go on by single frames."""

import collections
import concurrent.futures
import contextlib
import http.client
import json
import re
import threading
import time
import urllib.parse
import uuid

from chaos_watch import Deliveries, ms
from fanout_fixture import Simulator
from harness import SERVICES, STAND_INS, HarnessError, Suite, call, now_ms, wait_until

# Calls under way at a time; the gateway takes 256 connections of one address.
WORKERS, ATTACKERS = 16, 64
THREADS = 2
# The frames come when we step, so polls are only to be soon; a dead coordinator's shards are free after two seconds.
SETTINGS = {
    "ORCHESTRATOR_INTERVAL": "1s", "POLL_INTERVAL": "300ms", "MARQUEE_POLL_INTERVAL": "300ms", "LEASE_DURATION": "2s",
    "PUSH_THREADS": str(THREADS),
}
SCORE = re.compile(r"^(S\d) [\d.]+ \d+/(\d+)$")
KNOWN_WITHIN, COMMITTED_WITHIN, QUIET_SECONDS = 30.0, 20.0, 2.0
OTHER_APP = "com.example.other"

Version = collections.namedtuple("Version", "number at_ms title")


class Account:
    """One user and what the user's app shows as a bearer token."""

    def __init__(self, suite):
        self.suite = suite
        self.id = str(uuid.uuid4())
        self.bearer = suite.bearer(self.id)

    def call(self, method, path, body=None):
        return self.suite.gateway.call(self, method, path, body)


class Gateway:
    """The API. Every answer is kept: none may name what only a push may bring."""

    def __init__(self, url):
        self.host = urllib.parse.urlsplit(url).netloc
        self.local = threading.local()
        self.answers = []

    def call(self, account, method, path, body=None):
        """(status, JSON or None)."""
        headers = {"Authorization": f"Bearer {account.bearer}"}
        if body is not None:
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        for attempt in (1, 2):
            connection = getattr(self.local, "connection", None) or http.client.HTTPConnection(self.host, timeout=30)
            self.local.connection = connection
            try:
                connection.request(method, path, body, headers)
                answer = connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                # One that was not used for a while is closed.
                connection.close()
                self.local.connection = None
                if attempt == 2:
                    raise HarnessError(f"api-gateway, {method} {path}: {error!r}") from error
        self.answers.append(content)
        if answer.status >= 500:
            raise HarnessError(f"api-gateway, {method} {path}: {answer.status} {content[:200]!r}")
        return answer.status, json.loads(content) if content[:1] in (b"{", b"[") else None


class AttackSuite(Suite):
    PREFIX = "ss-attack-"

    def __init__(self, binaries, settings=None, more=(), **options):
        """`more`: instances beside one of each."""
        super().__init__(
            binaries, [*({"name": name} for name in (*STAND_INS, *SERVICES)), *more], {**SETTINGS, **(settings or {})}, **options)
        # Of each push: by the token that it went to, who makes something of it.
        self.receivers = {}
        self.pushes = []
        self.deliveries = None

    def set_up(self, stack):
        self.simulator = Simulator(self)
        self.gateway = Gateway(self.processes["api-gateway"].url)
        self.workers = concurrent.futures.ThreadPoolExecutor(WORKERS, thread_name_prefix="phone")
        # Who attacks mostly waits, one phone a thread.
        self.attackers = concurrent.futures.ThreadPoolExecutor(ATTACKERS, thread_name_prefix="attacker")
        for pool in (self.workers, self.attackers):
            stack.callback(pool.shutdown, cancel_futures=True)
        stack.callback(self.stop_listening)
        self.listen()

    @property
    def coordinator(self):
        return self.processes["la-coordinator"]

    # What APNs was sent.

    def listen(self):
        """From the beginning of the simulator's log, which a restart begins anew."""
        self.deliveries = Deliveries(self.simulator, self.received)
        self.deliveries.start()

    def stop_listening(self):
        self.deliveries.stop()

    def received(self, push):
        self.pushes.append(push)
        receiver = self.receivers.get(push.token)
        if receiver and push.verdict is not None:
            with contextlib.suppress(RuntimeError):
                self.workers.submit(receiver.receive, push)

    def check_log(self):
        if self.deliveries.trouble:
            raise HarnessError(f"the simulator's log is cut: {self.deliveries.trouble!r}")

    def register(self, tokens, kind, environment="production", **more):
        """At the simulator, as by the phones that got these from Apple."""
        if tokens:
            self.tell_simulator("POST", "/tokens", [
                {"token": token, "kind": kind, "environment": environment, **more} for token in tokens])

    def tell_simulator(self, method, path, body=None):
        status, answer = call(self.endpoints["apnsControl"], method, path, body, timeout=60)
        if status >= 300:
            raise HarnessError(f"apns-simulator, {method} {path[:30]}: {status} {answer}")
        return answer

    def fault(self, what, **match):
        self.tell_simulator("POST", "/faults", {"match": {"count": 0, **match}, **what})

    # The coordinator.

    def restart_coordinator(self, end="kill", settings=None):
        """Another process of the same service, which has all shards when this returns."""
        before = self.shard_holders()
        getattr(self.coordinator, end)()
        if settings:
            self.coordinator.description = self.coordinator.description | {"settings": settings}
        self.coordinator.start()
        self.coordinator.wait_until("la-coordinator is ready", self.coordinator.answers, within=60)
        wait_until("la-coordinator has all shards", lambda: len(holders := self.shard_holders()) == 64
                   and not set(holders) & set(before), within=60, pause=0.2)

    def shard_holders(self):
        """Who has each, by process."""
        return [row[0] for row in self.sql(
            "SELECT holder || epoch FROM leases WHERE name LIKE 'shard:%' AND expires_at > clock_timestamp()")]

    def metric(self, name, **labels):
        """The sum over all series of it that have these labels; 0 when there is none."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for found, text, value in self.coordinator.scrape()
                   if found == name and all(one in (text or "") for one in wanted))


class LiveMatch:
    """A match of a tape, paused: each frame comes when we ask for it, so that nothing happens in between."""

    def __init__(self, suite, tape):
        self.suite = suite
        position = suite.control("POST", f"tapes/{tape}/load", {"paused": True})
        self.id = int(position["matchId"])
        self.wickets = list(self.find_wickets(suite.control("GET", f"matches/{self.id}/labels")))
        self.cursor = None
        self.seek(self.wickets[0])
        wait_until(f"match {self.id} is live", lambda: self.newest() is not None, within=KNOWN_WITHIN, pause=0.1)

    @staticmethod
    def find_wickets(labels):
        """Positions before a wicket that is not the innings' last; the ball before is none, nor is the innings' first."""
        before = collections.deque([None, None], 2)
        for index, label in enumerate(labels):
            found = SCORE.match(label)
            now = (found[1], int(found[2])) if found else None
            if now and before[0] and now[0] == before[0][0] and before[0] == before[1] and now[1] == before[1][1] + 1 < 10:
                yield index
            before.append(now)

    def seek(self, cursor):
        self.cursor = cursor
        self.suite.control("POST", f"matches/{self.id}/seek", {"cursor": cursor})

    def step(self):
        self.cursor += 1
        self.suite.control("POST", f"matches/{self.id}/step")

    def newest(self, alerting=False, after=0):
        """The newest version, with an alert if wanted."""
        rows = self.suite.sql(
            f"SELECT version, {ms('committed_at', 'at')}, alert->>'title' FROM match_updates WHERE match_id = {self.id}"
            f" AND version > {after} {'AND alert IS NOT NULL' if alerting else ''} ORDER BY version DESC LIMIT 1")
        return Version(int(rows[0][0]), int(rows[0][1]), rows[0][2]) if rows else None

    def await_version(self, after, alerting=False):
        found = []

        def is_there():
            found[:] = [self.newest(alerting, after)]
            return found[0] is not None

        wait_until(f"version {after + 1} of match {self.id}", is_there, within=COMMITTED_WITHIN)
        return found[0]

    def before_wicket(self):
        """The ball before the next wicket: a version that all phones come to."""
        if not self.wickets:
            raise HarnessError(f"match {self.id} has no wicket left")
        cursor = self.wickets.pop(0)
        # At first it is there already.
        if cursor != self.cursor:
            before = self.newest()
            self.seek(cursor)
            self.await_version(before.number)
        return self.await_quiet()

    def await_quiet(self):
        """The newest version, when what was skipped has brought all that it brings (an event waits for a second frame)."""
        version, since = self.newest(), time.monotonic()
        while time.monotonic() - since < QUIET_SECONDS:
            time.sleep(0.2)
            if (newest := self.newest()).number != version.number:
                version, since = newest, time.monotonic()
        return version

    def wicket(self):
        before = self.newest()
        self.step()
        return self.await_version(before.number, alerting=True)


class Sampler:
    """Reads a figure of the coordinator twice a second while something goes on."""

    EVERY = 0.5

    def __init__(self, read):
        self.read = read
        self.values = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        while not self.is_over.wait(self.EVERY):
            self.values.append((now_ms(), self.read()))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join(10)

    @property
    def most(self):
        return max((value for _, value in self.values), default=0)


def at_once(suite, deed, items):
    """Does it for each of them, a few at a time; raises what the first of them raised."""
    done = [suite.workers.submit(deed, item) for item in items]
    return [each.result() for each in done]

