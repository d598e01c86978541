"""Part of `deploy/bench scale`: two of each service, and how long it takes until the other one does the work of the one that is
killed or told to end. Leases last as long as in production."""

import collections
import contextlib
import http.client
import signal
import statistics
import time
import uuid

from bench_suite import Feed, Replicas
from fanout_fixture import SHARDS, FanOut
from harness import call, say, wait_until

WAYS = {"killed": signal.SIGKILL, "stopped": signal.SIGTERM}
# A bus has nothing to do until a frame comes: polls are so frequent that they take no time.
TIMING = {"POLL_INTERVAL": "250ms"}
MATCHES = 8
PHONES = 2_000


def strike(replica, way):
    """Returns when it was."""
    replica.send_signal(WAYS[way])
    return time.monotonic()


def until(what, condition, since):
    wait_until(what, condition, within=60, pause=0.01)
    return time.monotonic() - since


class Takeovers:
    """Of all but the coordinators. Each strikes the one that does the work, and returns it and the seconds until it is done."""

    def __init__(self, suite):
        self.suite = suite
        self.feed = Feed(suite, MATCHES)
        for service in ("score-poller", "event-bus", "orchestrator", "api-gateway"):
            for letter in "ab":
                suite.begin_replica(service, letter)
        self.bearer = {"Authorization": f"Bearer {suite.bearer(str(uuid.uuid4()))}"}
        self.followers = 0

    def round(self, way):
        """Service, what it is about, and the seconds."""
        self.feed.rewind()
        for service, work in (("api-gateway", self.gateway), ("orchestrator", self.orchestrator),
                              ("score-poller", self.poller), ("event-bus", self.bus)):
            self.wait_until_both_work()
            victim, seconds = work(way)
            yield service, way, seconds
            victim.stop()
            since = time.monotonic()
            victim.start()
            victim.wait_until(f"{victim.name} is ready", victim.answers)
            yield service, "startedAgain", time.monotonic() - since

    def wait_until_both_work(self):
        half = MATCHES // 2
        wait_until("both are ready and have as many matches", lambda: all(each.answers() for each in self.suite.replicas)
                   and sorted(self.suite.holders("match:%").values()) == [half, half], within=60)

    def holder(self, names):
        """The one that has most of the leases like these."""
        held = self.suite.holders(names)
        return next(each for each in self.suite.replicas if each.name == max(held, key=held.get))

    def gateway(self, way):
        """A caller goes on to the next when he is not answered."""
        victim = next(each for each in self.suite.replicas if each.name == "api-gateway-a")
        since = strike(victim, way)
        return victim, until("a gateway answers", lambda: any(map(self.is_answered, self.suite.gateways)), since)

    def is_answered(self, gateway):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return call(gateway, "GET", "/matches/live", headers=self.bearer)[0] == 200
        return False

    def orchestrator(self, way):
        """A follower's phone, which nobody has told the coordinators of yet, gets its activity by a pass."""
        self.followers += 1
        name = f"follower {self.followers}"
        victim = self.holder("orchestrator")
        self.suite.sql(f"""
            INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
            VALUES ('{name}', '{name}', 0, 0, repeat(md5('{name}'), 5), clock_timestamp());
            INSERT INTO match_follows (user_id, match_id) VALUES ('{name}', {next(iter(self.feed.places))})""")
        since = strike(victim, way)
        return victim, until("the pass", lambda: self.suite.session.rows(
            f"SELECT 1 AS one FROM live_activities WHERE user_id = '{name}'"), since)

    def poller(self, way):
        return self.next_ball(self.holder("poll:%"), way)

    def bus(self, way):
        return self.next_ball(self.holder("match:%"), way)

    def next_ball(self, victim, way):
        """Until a ball that is bowled then has its version in every match."""
        before = self.feed.versions()
        since = strike(victim, way)
        self.feed.step()
        return victim, until("every match has its version", lambda: all(
            version > before[match] for match, version in self.feed.versions().items()), since)


def coordinators(fanout, way):
    """Until every phone shows a version that is committed then."""
    fanout.start()
    for each in fanout.coordinators:
        each.wait_until("they share the shards", lambda each=each: each.holds() == SHARDS // 2, within=60)
    victim, other = fanout.coordinators
    since = strike(victim, way)
    fanout.wait_until_newest(fanout.commit())
    seconds = time.monotonic() - since
    victim.stop()
    fanout.coordinators.remove(victim)
    other.wait_for_shards()
    return seconds


def measure(binaries, rounds):
    """By service and way, the median and the longest of the rounds; and from a process's start until it is ready."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))

    def note(service, what, seconds):
        found[service][what].append(seconds)
        say(f"  {service} {what}: {seconds:.2f} s")

    with Replicas(binaries, TIMING) as suite:
        takeovers = Takeovers(suite)
        for way in list(WAYS) * rounds:
            for each in takeovers.round(way):
                note(*each)
    with FanOut(binaries, PHONES) as fanout:
        fanout.warm_up()
        for way in list(WAYS) * rounds:
            note("la-coordinator", way, coordinators(fanout, way))
    return {service: {what: {"median": round(statistics.median(seconds), 2), "max": round(max(seconds), 2)}
                      for what, seconds in figures.items()} for service, figures in found.items()}
