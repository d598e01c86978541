"""Part of `deploy/bench scale`: what a version costs when one event-bus has all live matches, and when two share them."""

import collections
import itertools
import statistics
import time

from bench_suite import Feed, Replicas
from harness import processor_seconds, say, wait_until

# A ball of every match in so many seconds: a poll brings it, and the next one shows it again.
POLL, EVERY = 1, 2
BALLS = 8
# A ball's versions come by then, or not at all. The next one waits for them: what no poll saw nobody can commit.
PATIENCE = 10


def turn(suite, feed, buses):
    """The same balls of all matches each time."""
    feed.rewind()
    # What confirms it is not of this turn.
    time.sleep(3 * POLL)
    before, seconds, (age, frames) = feed.versions(), spent(buses), ages(buses)
    shown, rows = play(suite, feed, before)
    seconds, (later, more) = spent(buses) - seconds, ages(buses)
    lost, doubled = compare(rows, shown)
    return {
        "us": seconds / max(1, len(rows)) * 1e6, "commitMs": (later - age) / max(1, more - frames) * 1e3,
        "perSecond": burst(rows), "versions": len(rows), "lost": lost, "doubled": doubled,
        "shares": sorted(suite.holders("match:%").values()),
    }


def spent(buses):
    return sum(processor_seconds(bus.pid) for bus in buses)


def ages(buses):
    """How old the frames were that were committed, all together and from the poll on, and how many they were."""
    found = collections.Counter()
    for bus in buses:
        for name, _, value in bus.scrape():
            found[name] += value
    return found["sightscreen_frame_age_seconds_sum"], found["sightscreen_frame_age_seconds_count"]


def play(suite, feed, before):
    """By match, the score with each ball; and the versions."""
    shown, rows = collections.defaultdict(list), []
    for ball in range(1, BALLS + 1):
        begun = time.monotonic()
        for match, score in feed.step().items():
            shown[match].append(score)
        time.sleep(max(0.0, begun + EVERY - time.monotonic()))
        rows = wait_for_versions(suite, before, ball)
    return shown, rows


def wait_for_versions(suite, before, count):
    """Those after `before`, by match and in order, when each match has so many."""
    deadline = time.monotonic() + PATIENCE
    while True:
        rows = [row for row in suite.session.rows(
            "SELECT match_id, version, content_state::json -> 'compactLeading' ->> 'score' AS score,"
            " extract(epoch FROM committed_at) AS at FROM match_updates ORDER BY match_id, version")
            if row["version"] > before[row["match_id"]]]
        counts = collections.Counter(row["match_id"] for row in rows)
        if min(counts[match] for match in before) >= count or time.monotonic() > deadline:
            return rows
        time.sleep(0.1)


def compare(rows, shown):
    """How many balls no version shows, and how many versions no ball has led to."""
    wanted = collections.Counter((match, score) for match, scores in shown.items() for score in scores)
    found = collections.Counter((row["match_id"], row["score"]) for row in rows)
    return (wanted - found).total(), (found - wanted).total()


def burst(rows):
    """Versions a second while those of one ball are committed; the median of the balls."""
    matches = [[float(row["at"]) for row in rows] for _, rows in itertools.groupby(rows, lambda row: row["match_id"])]
    balls = [sorted(ball) for ball in zip(*matches)]
    return statistics.median((len(ball) - 1) / (ball[-1] - ball[0]) for ball in balls if len(ball) > 1) if balls else 0


def measure(binaries, matches, rounds):
    """One and two buses in turns; the ratio of what a version costs is the median of the rounds' own."""
    turns = {1: [], 2: []}
    with Replicas(binaries, {"POLL_INTERVAL": f"{POLL}s"}) as suite:
        feed = Feed(suite, matches)
        suite.begin_replica("score-poller", "a")
        first = suite.begin_replica("event-bus", "a")
        # Events are announced once, and from then on every turn is alike.
        turn(suite, feed, [first])
        for round_ in range(rounds):
            for count in (1, 2) if round_ % 2 == 0 else (2, 1):
                buses = [first]
                if count == 2:
                    buses.append(suite.begin_replica("event-bus", "b"))
                    wait_until("they share the matches", lambda: is_even(suite.holders("match:%"), matches), within=60)
                found = turn(suite, feed, buses)
                if count == 2:
                    buses[1].stop()
                say(f"  {count}: {found['us']:.0f} µs a version, {found['versions']} versions, {found['perSecond']:.0f} a"
                    f" second, {found['commitMs']:.0f} ms after the poll; matches {found['shares']}")
                turns[count].append(found)
    every = turns[1] + turns[2]
    return {
        "busRatio": round(statistics.median(two["us"] / one["us"] for one, two in zip(turns[1], turns[2])), 3),
        **{f"{name}{count}": round(statistics.median(each[key] for each in turns[count]))
           for count in turns
           for name, key in (("busUs", "us"), ("versionsPerSecond", "perSecond"), ("busCommitMs", "commitMs"))},
        "matches": matches, "versions": sum(each["versions"] for each in every),
        "versionsLost": sum(each["lost"] for each in every), "versionsDoubled": sum(each["doubled"] for each in every),
        # By the turn in which they were spread worst.
        "busShares": max((each["shares"] for each in turns[2]), key=lambda shares: shares[-1] - shares[0]),
    }


def is_even(shares, matches):
    return len(shares) == 2 and sum(shares.values()) == matches and abs(max(shares.values()) - min(shares.values())) <= 1
