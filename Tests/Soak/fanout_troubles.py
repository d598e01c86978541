"""Goals of `deploy/soak fanout` about an APNs in trouble: connections that end, and storms of refusals."""

import collections
import time

from fanout_alerts import CONVERGENCE_MAX, Verdict
from fanout_fixture import Failed, FanOut, tokens
from harness import say

# Answers come so much later than their pushes, so that there are pushes under way to be lost.
ANSWER_DELAY_MS = 50
IN_FLIGHT_MIN = 100
# Of a connection, as apns-simulator and la-coordinator have it.
STREAMS = 1_000
ADDED_DELAY_MAX = 1.0
# Each costs all that is under way on its connection, up to a thousand pushes: with more of them there would be as many
# repetitions as phones, and the last state would be late for want of processor.
PUSHES_PER_FAULT = 5_000
CLEAN_VERSIONS = 4
AMPLIFICATION_MAX = 1.1
# Share of the tokens that are deleted.
GONE_SHARE = 0.1
# The longest that a coordinator holds back by itself is a minute, and a token that waits then up to another one.
AFTER_STORM_MAX = 180.0

# That wait for a start, at most: more than it takes to tell a mistake from a few bad tokens.
STARTERS = 1_000

# Beside honest phones: accounts, the tokens that each of them invents, and how many of the phones' own die.
ACCOUNTS = 1_000
INVENTED_EACH = 3
DEAD = 10
TAKEN = (1, 8)
NEW_DEPLOYMENT_SECONDS = 90
PARTIAL_SECONDS = 150
RETIRED_WITHIN = 60

# By name: a reason and the share of the updates that it befalls. "gone" deletes tokens instead; "bad-start-tokens" befalls
# starts.
STORMS = {
    "gone": None,
    "bad-start-tokens": ("BadDeviceToken", 1.0),
    "expired-provider-token": ("ExpiredProviderToken", 1.0),
    "invalid-provider-token": ("InvalidProviderToken", 1.0),
    "too-many-requests": ("TooManyRequests", 1.0),
    "some-too-many-requests": ("TooManyRequests", 0.2),
    "server-error": ("InternalServerError", 1.0),
    "some-server-errors": ("InternalServerError", 0.5),
    "unavailable": ("ServiceUnavailable", 1.0),
    "some-unavailable": ("ServiceUnavailable", 0.2),
    "bad-device-token": ("BadDeviceToken", 1.0),
    "some-bad-device-tokens": ("BadDeviceToken", 0.3),
}


def goaways(options, dice):
    """GOAWAYs at random pushes, with the push as the last that was processed or as the first that was not."""
    return cut_off(
        options, dice, "goaways", options.goaways,
        lambda: {"goaway": "Shutdown", "processed": dice.random() < 0.5})


def resets(options, dice):
    """Connections cut at random pushes, which were taken in or not."""
    return cut_off(options, dice, "resets", options.resets, lambda: {"close": True, "delivered": dice.random() < 0.5})


def cut_off(options, dice, goal, wanted, trouble):
    verdict = Verdict(goal)
    simulator = {
        "APNS_SIMULATOR_ANSWER_DELAY": f"{options.answer_delay}ms", "APNS_SIMULATOR_CONNECTION_WINDOW": "1048576",
    }
    with FanOut(options.binaries, options.phones, {}, simulator) as fanout:
        fanout.warm_up()
        clean = Delays()
        for number in range(1, CLEAN_VERSIONS + 1):
            run_version(fanout, verdict, clean, f"{goal}, clean {number}", options.answer_delay)
        faulty = Delays()
        at_once = max(2, options.phones // PUSHES_PER_FAULT)
        missed, versions = [], 0
        while faulty.counted < wanted and versions < 4 * wanted // at_once + 10:
            versions += 1
            for _ in range(min(at_once, wanted - faulty.counted + 5)):
                fanout.simulator.fault(trouble(), after=dice.randrange(options.phones))
            title = f"{goal} {versions}"
            missed.append(run_version(fanout, verdict, faulty, title, options.answer_delay))
            # Those that no push reached.
            fanout.simulator.clear_faults()
            say(f"  {title}: {faulty.counted} of {wanted} with {IN_FLIGHT_MIN} and more in flight, {missed[-1]} missed it")
        devices, pushes = fanout.told_twice()
    added = faulty.p99() - clean.p99()
    verdict.require(devices == 0, f"{devices} phones were alerted twice")
    verdict.require(pushes == 0, f"{pushes} pushes carried an alert to a phone that had been sent it")
    verdict.require(faulty.counted >= wanted, f"only {faulty.counted} came with {IN_FLIGHT_MIN} and more in flight")
    verdict.require(added <= ADDED_DELAY_MAX, f"the slowest hundredth waited {added:.2f} s longer than without faults")
    # A GOAWAY says what was not processed.
    allowed = 0 if goal == "goaways" else faulty.unseen_most()
    verdict.require(sum(missed) <= allowed, f"{sum(missed)} phones missed an alert, of {allowed} at most")
    verdict.figures |= {
        "phones": options.phones, "faults": faulty.faults, "withManyInFlight": faulty.counted, "versions": versions,
        "inFlightMedian": faulty.median_in_flight(), "alertedTwice": devices, "pushedTwice": pushes, "missed": sum(missed),
        "missedAllowed": allowed,
        "cleanP99Seconds": round(clean.p99(), 2), "p99Seconds": round(faulty.p99(), 2), "addedP99Seconds": round(added, 2),
    }
    return verdict


class Delays:
    """From commits to deliveries, and what was under way when a connection ended."""

    def __init__(self):
        self.seconds = []
        self.in_flight = []

    @property
    def faults(self):
        return len(self.in_flight)

    @property
    def counted(self):
        return sum(count >= IN_FLIGHT_MIN for count in self.in_flight)

    def median_in_flight(self):
        return sorted(self.in_flight)[len(self.in_flight) // 2] if self.in_flight else 0

    def unseen_most(self):
        """Phones that may miss an alert when these connections are cut.

        What was in flight by the log was taken in, and its phones were told. Lost is what the sender had handed to the
        connection and the simulator never read, and the push that the fault befell, if it was not taken in. How many bytes
        of that the kernel holds on loopback has no bound worth the name (its buffers grow to megabytes when the simulator is
        slow, and it was seen with 700 pushes); but each such push is an open stream of its connection, as is each one that
        was read and not answered. So they are at most the streams that a connection has, less those in flight: two resets
        with 205 and 387 in flight cost 1,406 phones their alert, of 1,408."""
        return sum(max(1, STREAMS - count) for count in self.in_flight)

    def p99(self):
        self.seconds.sort()
        return self.seconds[int(len(self.seconds) * 0.99)] if self.seconds else 0.0

    def read(self, pushes, version, answer_delay_ms):
        seen = set()
        # Those of a connection that were received and not yet answered.
        under_way = collections.defaultdict(collections.deque)
        for push in pushes:
            waiting = under_way[push.connection]
            while waiting and waiting[0] <= push.at_ms - answer_delay_ms:
                waiting.popleft()
            if push.fault:
                self.in_flight.append(len(waiting))
            waiting.append(push.at_ms)
            is_news = push.version == version.number and push.token not in seen
            if is_news and push.status == 200 and push.verdict == "handled":
                seen.add(push.token)
                self.seconds.append((push.at_ms - version.at_ms) / 1_000)


def run_version(fanout, verdict, delays, title, answer_delay_ms):
    """One alert to everybody; returns the number of phones that missed it."""
    since = fanout.simulator.newest()
    version = fanout.commit(title)
    try:
        fanout.wait_until_newest(version, CONVERGENCE_MAX)
    except Failed as failure:
        verdict.require(False, f"{title}: {failure}")
    delays.read(fanout.simulator.log(since), version, answer_delay_ms)
    return fanout.phones - fanout.told(title)


def storms(options, dice):
    """Refusals of every kind for a while, with versions in between. No token is lost by mistake, none that is dead is tried
    again, few requests are made beyond what was needed, and afterwards all come to the newest state."""
    verdict = Verdict("storms")
    alive = set(tokens(options.phones))
    lines = []
    with FanOut(options.binaries, options.phones) as fanout:
        fanout.warm_up()
        for name in options.storms:
            begun = time.monotonic()
            if name == "bad-start-tokens":
                lines.append(starts(fanout, verdict, name, options) | {"seconds": round(time.monotonic() - begun)})
                say(f"  {lines[-1]}")
                continue
            since = fanout.simulator.newest()
            if STORMS[name] is None:
                alerted, dead = delete_some(fanout, verdict, name, dice, alive)
                alive -= dead
            else:
                alerted = weather(fanout, verdict, name, options.storm_seconds)
            line = account(fanout, verdict, name, since, alerted, alive)
            lines.append(line | {"seconds": round(time.monotonic() - begun)})
            say(f"  {lines[-1]}")
        devices, pushes = fanout.told_twice()
    verdict.require(devices == 0, f"{devices} phones were alerted twice")
    verdict.require(pushes == 0, f"{pushes} pushes carried an alert to a phone that had been sent it")
    verdict.figures |= {
        "phones": options.phones, "alertedTwice": devices, "pushedTwice": pushes,
        "amplificationMost": max((line.get("amplification", 0) for line in lines), default=0), "storms": lines,
    }
    return verdict


def invented(options, dice):
    """Accounts invent tokens, and a few phones' own tokens die meanwhile. Those are gone within a minute, and no other that
    is good. None is gone where APNs calls all of them bad, though it took them before (the address of the other
    environment, for all phones or for half of them), where it refuses our key, and where it has never taken any or only a
    few developers' phones (a new deployment)."""
    verdict = Verdict("invented")
    good = set(tokens(options.phones))
    retired_within, innocent = None, {}
    with FanOut(options.binaries, options.phones) as fanout:
        fanout.warm_up()
        made_up = fanout.add_invented(ACCOUNTS, INVENTED_EACH)
        fanout.commit()
        time.sleep(5)
        dead = set(dice.sample(sorted(good), DEAD))
        for token in dead:
            fanout.simulator.fault({"reason": "BadDeviceToken"}, tokenPrefix=token, count=0)
        begun = time.monotonic()
        while time.monotonic() - begun < RETIRED_WITHIN:
            fanout.commit()
            time.sleep(3)
            if retired_within is None and not dead & fanout.active():
                retired_within = round(time.monotonic() - begun)
        active = fanout.active()
        gone, kept = len(good - dead - active), len(made_up & active)
        for cause, reason in (("wrongKey", "InvalidProviderToken"), ("otherEnvironment", "BadDeviceToken")):
            innocent[cause] = all_refused(fanout, reason)
    # Nothing is proven; or a few developers' phones are all that the other environment's host takes.
    for taken in (0, *TAKEN):
        with FanOut(options.binaries, options.phones, registered=taken) as fanout:
            fanout.start().wait_for_shards()
            innocent[f"newDeployment{taken}"] = lost_in(fanout, NEW_DEPLOYMENT_SECONDS)
    with FanOut(options.binaries, options.phones) as fanout:
        fanout.warm_up()
        for digit in "01234567":
            fanout.simulator.fault({"reason": "BadDeviceToken"}, tokenPrefix=digit, count=0)
        innocent["halfOnTheOtherHost"] = lost_in(fanout, PARTIAL_SECONDS)
    verdict.require(retired_within is not None, f"of {DEAD} dead tokens some are not retired after {RETIRED_WITHIN} s")
    verdict.require(gone == 0, f"{gone} good tokens are gone beside invented ones")
    verdict.require(kept < len(made_up), "no invented token was retired")
    for cause, lost in innocent.items():
        verdict.require(lost == 0, f"{cause}: {lost} tokens were retired that are good")
    verdict.figures |= {
        "phones": options.phones, "accounts": ACCOUNTS, "invented": len(made_up), "inventedRetired": len(made_up) - kept,
        "dead": DEAD, "retiredWithinSeconds": retired_within, "goodRetired": gone, "innocentRetired": innocent,
    }
    return verdict


def lost_in(fanout, seconds):
    """How many tokens are retired while versions go out for so long."""
    before, until = fanout.active(), time.monotonic() + seconds
    while time.monotonic() < until:
        fanout.commit()
        time.sleep(3)
    return len(before - fanout.active())


def all_refused(fanout, reason):
    """How many tokens are retired while APNs gives this answer to every update of some versions."""
    fanout.simulator.clear_faults()
    fanout.simulator.fault({"reason": reason}, count=0)
    before = fanout.active()
    refused = fanout.simulator.newest()
    # Phones that were called bad, and a host that refused our key, are left alone for up to a minute.
    deadline, versions = time.monotonic() + 90, 0
    while versions < 4 or fanout.simulator.newest() == refused:
        if time.monotonic() > deadline:
            raise Failed(f"nothing was sent while APNs answered {reason}")
        fanout.commit()
        versions += 1
        time.sleep(3)
    return len([token for token in before - fanout.active() if token in set(tokens(fanout.phones))])


def starts(fanout, verdict, name, options):
    """Other phones wait for a push that starts their activity, and APNs calls all of their tokens bad. None of these is gone
    afterwards, and each phone that has its own is started when the storm is over."""
    reason, share = STORMS[name]
    since = fanout.simulator.newest()
    # A state that starts can show; it has a stamp of its own then.
    fanout.commit()
    fanout.simulator.fault({"reason": reason}, event="start", forMs=options.storm_seconds * 1_000, share=share)
    until = time.monotonic() + options.storm_seconds
    waiting = fanout.add_starters(min(options.phones, STARTERS))
    time.sleep(max(0, until - time.monotonic()))
    refused = {push.token for push in fanout.simulator.log(since) if push.token in waiting and push.status == 400}
    kept = waiting & fanout.start_tokens()
    # One try each; the next one is a minute later.
    deadline, started = time.monotonic() + AFTER_STORM_MAX, set()
    while kept - started and time.monotonic() < deadline:
        time.sleep(2)
        started = {push.token for push in fanout.simulator.log(since) if push.status == 200 and push.verdict == "handled"}
    requests = collections.Counter(push.token for push in fanout.simulator.log(since) if push.token in waiting)
    kept &= fanout.start_tokens()
    # Their apps never report a token: no more starts in the storms to come.
    fanout.sql("DELETE FROM live_activities WHERE status = 'pending'")
    lost, unstarted = len(waiting - kept), len(kept - started)
    verdict.require(len(refused) > len(waiting) // 2, f"{name}: only {len(refused)} of {len(waiting)} starts were refused")
    verdict.require(lost == 0, f"{name}: {lost} start tokens are gone that are good")
    verdict.require(unstarted == 0, f"{name}: {unstarted} phones were not started after the storm")
    return {
        "storm": name, "phones": len(waiting), "refused": len(refused), "requests": sum(requests.values()),
        "startTokensGone": lost, "notStarted": unstarted,
    }


def weather(fanout, verdict, name, seconds):
    """A storm with an alert at its beginning and routine versions behind it. Returns the alerts' versions."""
    reason, share = STORMS[name]
    until = time.monotonic() + seconds
    fanout.simulator.fault({"reason": reason}, forMs=seconds * 1_000, share=share)
    alert = newest = fanout.commit(f"storm {name}")
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, max(1.0, seconds / 5)))
        newest = fanout.commit()
    settle(fanout, verdict, name, newest)
    return {alert.number}


def delete_some(fanout, verdict, name, dice, alive):
    """Tokens are deleted while an alert is on its way; then two more versions, and another process that knows only what is
    in the tables."""
    gone = dice.sample(sorted(alive), int(len(alive) * GONE_SHARE))
    for token in gone[: len(gone) // 2]:
        fanout.simulator.delete(token)
    alert = fanout.commit(f"storm {name}")
    for token in gone[len(gone) // 2:]:
        fanout.simulator.delete(token)
    settle(fanout, verdict, name, alert)
    for _ in range(2):
        settle(fanout, verdict, name, fanout.commit())
    fanout.stop_coordinators()
    fanout.start().wait_for_shards()
    settle(fanout, verdict, name, fanout.commit())
    return {alert.number}, set(gone)


def settle(fanout, verdict, name, version):
    try:
        fanout.wait_until_newest(version, AFTER_STORM_MAX)
    except Failed as failure:
        verdict.require(False, f"{name}: {failure}")
    fanout.wait_until_quiet(1.0)


def account(fanout, verdict, name, since, alerted, alive):
    """Requests beside those that were needed: one for each phone and version that was sent to it at all; one more where the
    version had an alert and was repeated with a later stamp, as it is a minute after each alert."""
    requests, answers, again = 0, collections.Counter(), 0
    stamps, dead = collections.defaultdict(set), set()
    for push in fanout.simulator.log(since):
        requests += 1
        answers[push.status] += 1
        stamps[push.token, push.version].add(push.stamp)
        # One push at a time is under way to a phone: the next one has heard of the answer to the one before.
        again += push.token in dead
        if push.status == 410:
            dead.add(push.token)
    needed = sum(min(len(found), 2 if version in alerted else 1) for (_, version), found in stamps.items())
    amplification = round(requests / max(1, needed), 3)
    active = fanout.active()
    retired, kept = len(alive - active), len(active - alive)
    verdict.require(retired == 0, f"{name}: {retired} tokens were retired that are good")
    verdict.require(kept == 0, f"{name}: {kept} dead tokens are still active in the table")
    verdict.require(again == 0, f"{name}: {again} pushes to tokens that were known to be dead")
    verdict.require(amplification <= AMPLIFICATION_MAX, f"{name}: {amplification} requests for each that was needed")
    return {
        "storm": name, "requests": requests, "needed": needed, "amplification": amplification, "retiredWrongly": retired,
        "answers": {str(status): count for status, count in sorted(answers.items())},
    }
