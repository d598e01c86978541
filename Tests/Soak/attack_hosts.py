"""The goals of `deploy/soak attack` about a host that does refuse us: our topic goes wrong, was never right, or is another one's
after a restart; and one in trouble beside bad tokens."""

import time

from attack_alerts import Pages
from attack_suite import THREADS, Sampler
from attack_topic import Attack, Fans
from fanout_alerts import Verdict
from harness import HarnessError, now_ms, wait_until

REASON = "DeviceTokenNotForTopic"
# From the ball that finds the topic wrong to the stop.
STOPPED_WITHIN = 10.0
# A stopped host is asked once a minute by each thread's updates, and by what is sent once. One more of each at the edges.
PROBES_A_MINUTE = 2 * (THREADS + 1)
# After APNs is right again: the longest wait for a probe, and what it takes to push to all.
STARTS_AGAIN_WITHIN = 80.0
# Rows that back off: how often each is tried in a minute at most (10, 20, 40 s), and the share of the rate of the first seconds
# that is left in the last third of the time.
TRIES_A_MINUTE, RATE_LEFT_MAX = 4, 0.5
PAGED_WITHIN = 60.0
# Rows back off up to 10 s, and repetitions are few until the host has shown that it takes them. A stop for the topic is a minute.
TROUBLE_SECONDS, RESUMES_WITHIN = 10.0, 30.0
# `DevelopmentSecrets.bundleID`, and that of a beta build.
OUR_BUNDLE, OTHER_BUNDLE = "com.sightscreen.ios", "com.sightscreen.ios.beta"


def refusals(suite, since):
    return [push for push in suite.pushes[since:] if push.reason == REASON]


def judge_rows(fans, verdict, name):
    ended, tokenless = fans.lost()
    verdict.require(ended == 0, f"{name}: {ended} rows were ended")
    verdict.require(tokenless == 0, f"{name}: {tokenless} phones lost a token")
    return {"rowsEnded": ended, "tokensLost": tokenless}


def first_ball_5xx(fans, options):
    """The first ball after a restart finds APNs down for ten seconds, and bad tokens are due beside the phones."""
    verdict, suite = Verdict("first-ball-5xx"), fans.suite
    fans.settle(fans.match.before_wicket())
    attack = Attack(suite, fans.match, 5, 10, "otherApp")
    suite.restart_coordinator()
    attack.begin(3.0)
    time.sleep(4.0)
    suite.fault({"reason": "ServiceUnavailable", "status": 503}, forMs=int(TROUBLE_SECONDS * 1_000))
    version = fans.match.wicket()
    time.sleep(TROUBLE_SECONDS)
    begun = time.monotonic()
    try:
        fans.settle(version, within=6 * RESUMES_WITHIN)
    except HarnessError as error:
        verdict.require(False, str(error))
    seconds = time.monotonic() - begun
    verdict.require(seconds <= RESUMES_WITHIN, f"the last phone had the ball {seconds:.0f} s after APNs was there again")
    attack.stop()
    verdict.figures |= {"badTokens": len(attack.phones), "resumedAfterSeconds": round(seconds, 1)}
    verdict.figures |= judge_rows(fans, verdict, "first-ball-5xx")
    return verdict


def topic_lost(fans, options):
    """Every push is refused from now on, to phones that were pushed to before: a stop, a probe now and then, and all by itself
    when APNs takes pushes again."""
    verdict, suite = Verdict("topic-lost"), fans.suite
    fans.settle(fans.match.before_wicket())
    suite.fault({"reason": REASON})
    with Sampler(lambda: suite.metric("sightscreen_apns_stopped")) as stopped:
        version = fans.match.wicket()
        since = len(suite.pushes)
        time.sleep(max(0.0, version.at_ms / 1_000 + STOPPED_WITHIN - time.time()))
        after = len(suite.pushes)
        time.sleep(options.watch)
    first = next((at for at, value in stopped.values if value > 0), None)
    seconds = None if first is None else (first - version.at_ms) / 1_000
    probes = len(refusals(suite, after))
    allowed = PROBES_A_MINUTE * max(1, -(-int(options.watch) // 60))
    verdict.require(seconds is not None and seconds <= STOPPED_WITHIN, "the host was not stopped within 10 s")
    verdict.require(probes <= allowed, f"{probes} pushes went to the stopped host in {options.watch:.0f} s")
    verdict.figures |= {
        "phones": len(fans.phones), "stoppedAfterSeconds": seconds, "refusedUntilThen": after - since, "probes": probes,
        "probesAllowed": allowed, "watchedSeconds": options.watch}
    verdict.figures |= judge_rows(fans, verdict, "topic-lost")
    suite.tell_simulator("DELETE", "/faults")
    if not options.short:
        begun = time.monotonic()
        try:
            fans.settle(version, within=2 * STARTS_AGAIN_WITHIN)
        except HarnessError as error:
            verdict.require(False, str(error))
        seconds = time.monotonic() - begun
        verdict.require(seconds <= STARTS_AGAIN_WITHIN, f"all had the newest state {seconds:.0f} s after APNs was right again")
        wait_until("the host goes on", lambda: suite.metric("sightscreen_apns_stopped") == 0, within=STARTS_AGAIN_WITHIN)
        verdict.figures["startsAgainAfterSeconds"] = round(seconds, 1)
    return verdict


def judge_backing_off(verdict, suite, since, phones, began_ms, seconds):
    """Pushes a second, of rows that APNs refuses: at first, and later on."""
    at = [(push.at_ms - began_ms) / 1_000 for push in refusals(suite, since)]
    third = seconds / 3
    rates = [sum(a <= each < b for each in at) / (b - a) for a, b in ((0, min(20.0, third)), (2 * third, seconds))]
    # One for an update or a start, and one for the device token.
    allowed = TRIES_A_MINUTE * 2 * phones * max(1.0, seconds / 60)
    verdict.require(at, "no push was refused")
    verdict.require(rates[1] <= RATE_LEFT_MAX * rates[0], f"{rates[0]:.1f} pushes a second at first, {rates[1]:.1f} later")
    verdict.require(len(at) <= allowed, f"{len(at)} pushes were refused, of {allowed:.0f} at most")
    return {"refused": len(at), "refusedAllowed": round(allowed), "pushesASecond": [round(rate, 2) for rate in rates]}


def topic_never(suite, options):
    """A deployment whose topic was never right: not one push is taken. Half of the phones have cards of their own making."""
    verdict = Verdict("topic-never")
    with Pages(suite, options.pages) as pages:
        since = len(suite.pushes)
        fans = Fans(suite, options.never_phones, app=OTHER_BUNDLE)
        fans.follow()
        for phone in fans.phones[::2]:
            phone.report(fans.match.id, phone.new_card(fans.match.id))
        wait_until("a push is refused", lambda: refusals(suite, since), within=30)
        began_ms = refusals(suite, since)[0].at_ms
        seconds = options.never_seconds
        while now_ms() < began_ms + seconds * 1_000:
            fans.match.step()
            time.sleep(5)
    line = {"phones": len(fans.phones), "seconds": seconds}
    line |= judge_backing_off(verdict, suite, since, len(fans.phones), began_ms, seconds)
    line |= judge_rows(fans, verdict, "topic-never")
    if options.pages:
        fired = pages.fired(began_ms + int(PAGED_WITHIN * 1_000))
        line |= {"pages": fired, "pagedWithinSeconds": PAGED_WITHIN}
        verdict.require(fired, "it is not paged within 60 s")
    verdict.figures |= line
    return verdict


def new_bundle(fans, options):
    """Another bundle id in the settings and a restart: of the old app's tokens, all proven, none is for the new topic."""
    verdict, suite = Verdict("new-bundle"), fans.suite
    fans.settle(fans.match.before_wicket())
    suite.stop_listening()
    simulator = suite.processes["apns-simulator"]
    simulator.stop()
    simulator.description = simulator.description | {"settings": {"APNS_BUNDLE_ID": OTHER_BUNDLE}}
    simulator.start()
    simulator.wait_until("apns-simulator is ready", simulator.answers)
    suite.listen()
    for phone in fans.phones:
        phone.register_again(bundle=OUR_BUNDLE)
    since = len(suite.pushes)
    suite.restart_coordinator("stop", {"APNS_BUNDLE_ID": OTHER_BUNDLE})
    began_ms = now_ms()
    with Sampler(lambda: suite.metric("sightscreen_apns_stopped")) as stopped:
        fans.match.wicket()
        time.sleep(options.never_seconds)
    line = {"phones": len(fans.phones), "seconds": options.never_seconds, "threadsStopped": int(stopped.most)}
    line |= judge_backing_off(verdict, suite, since, len(fans.phones), began_ms, options.never_seconds)
    line |= judge_rows(fans, verdict, "new-bundle")
    verdict.figures |= line
    return verdict
