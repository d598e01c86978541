"""The goals of `deploy/soak attack` about who may stop a host: users whose tokens are not for our topic, beside honest phones."""

import contextlib
import random
import secrets
import time

from attack_phones import Phone, accounts
from attack_suite import OTHER_APP, THREADS, LiveMatch, Sampler, at_once
from chaos_records import SHOWN
from fanout_alerts import Verdict
from harness import HarnessError, now_ms, say, wait_until

FAN_TAPE = "1216517"
# What the issue asks for, from a version's commit to the last phone's alert.
HEARD_WITHIN_MS = 2_000
# How long a phone that has not heard it is waited for, to say what became of it.
WATCHED_FOR = 20.0
JOINED_WITHIN, SETTLED_WITHIN = 120.0, 150.0
# Phones of an account that has several.
PHONES_OF_ONE = 2
# An account may register 60 things a minute, and 5 tokens that are refused.
RESTLESS_EVERY = 12.0
REFUSES = "APNs refuses our key or topic"


class Fans:
    """Honest phones on one live match, each with a card that APNs has taken a push to."""

    def __init__(self, suite, count, tape=FAN_TAPE, app="ours"):
        self.suite = suite
        self.match = LiveMatch(suite, tape)
        users = accounts(suite, max(1, count * 3 // 4))
        self.phones = at_once(suite, lambda index: Phone(suite, users[index % len(users)], app), range(count))

    def follow(self):
        """All register and follow."""
        at_once(self.suite, lambda phone: phone.contact(), self.phones)
        at_once(self.suite, lambda phone: phone.follow(self.match), {
            phone.account: phone for phone in self.phones}.values())

    def join(self):
        self.follow()
        wait_until("all cards are there", lambda: len(self.tokens) == len(self.phones), within=JOINED_WITHIN, pause=0.3)
        self.settle()

    @property
    def tokens(self):
        return [phone.cards[self.match.id][-1] for phone in self.phones if phone.cards.get(self.match.id)]

    def settle(self, version=None, within=SETTLED_WITHIN):
        """Until all phones show this version, or the newest one."""
        version = version or self.match.newest()
        wait_until(f"all phones show version {version.number}", lambda: not self.behind(version), within=within, pause=0.1)
        return version

    def behind(self, version):
        return sum(phone.shown.get(token, (0, 0))[1] < version.number
                   for phone, token in zip(self.phones, self.tokens))

    def heard(self, version, since):
        """By token, the milliseconds from the version's commit to the alert."""
        tokens, found = set(self.tokens), {}
        for push in self.suite.pushes[since:]:
            if push.token in tokens and push.verdict == SHOWN and push.alert and push.alert[0] == version.title:
                found.setdefault(push.token, push.at_ms - version.at_ms)
        return found

    def listen_to_wicket(self, verdict, name):
        """A wicket falls: who hears it, and when."""
        since = len(self.suite.pushes)
        version = self.match.wicket()
        with contextlib.suppress(HarnessError):
            wait_until("all heard it", lambda: len(self.heard(version, since)) == len(self.phones), within=WATCHED_FOR)
        delays = sorted(self.heard(version, since).values())
        in_time = sum(delay <= HEARD_WITHIN_MS for delay in delays)
        verdict.require(
            in_time == len(self.phones), f"{name}: {in_time} of {len(self.phones)} phones heard the wicket within 2 s")
        return {"phones": len(self.phones), "heardWithin2s": in_time, "heardLater": len(delays) - in_time,
                "slowestMs": delays[-1] if delays else None}

    def lost(self):
        """Rows of theirs that are ended, and tokens that the table has no more."""
        users = ",".join(f"'{phone.account.id}'" for phone in self.phones)
        [[ended, tokenless]] = self.suite.sql(f"""
            SELECT (SELECT count(*) FROM live_activities WHERE user_id IN ({users}) AND match_id = {self.match.id}
                    AND status = 'ended'),
                (SELECT count(*) FROM devices WHERE user_id IN ({users})
                    AND (device_token IS NULL OR push_to_start_token IS NULL))""")
        return int(ended), int(tokenless)


class Attack:
    """Accounts whose phones register tokens that APNs refuses for our topic, spread over the time that there is.

    Ways: `otherApp`, update tokens that another app got; `ownDevice`, a phone's own device token as an update token;
    `starts`, another app's start and device tokens. A restless one unregisters and registers them again and again."""

    WAYS = ("otherApp", "ownDevice", "starts")

    def __init__(self, suite, match, users, each, way, restless=False):
        self.suite = suite
        self.match = match
        self.way = way
        self.restless = restless
        self.accounts = accounts(suite, users)
        self.phones = [(account, f"bad-{secrets.token_hex(8)}") for account in self.accounts for _ in range(each)]
        self.statuses = []
        self.is_over = False

    def begin(self, seconds):
        """Registers the first at once, the last just before the time is over."""
        for account in self.accounts:
            self.call(account, "POST", "/user/follow/match", {"matchId": str(self.match.id)})
        last = max(1, len(self.phones) - 1)
        order = random.Random(1).sample(self.phones, len(self.phones))
        self.done = [self.suite.attackers.submit(self.phone, *phone, 0.95 * seconds * index / last)
                     for index, phone in enumerate(order)]

    def phone(self, account, name, wait):
        time.sleep(wait)
        self.register(account, name)
        while self.restless and not self.pause(RESTLESS_EVERY):
            self.call(account, "DELETE", f"/devices/{name}")
            self.call(account, "DELETE", f"/user/follow/match/{self.match.id}")
            self.call(account, "POST", "/user/follow/match", {"matchId": str(self.match.id)})
            self.register(account, name)

    def pause(self, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.is_over:
            time.sleep(0.1)
        return self.is_over

    def register(self, account, name):
        def bad(kind, **more):
            token = secrets.token_hex(32)
            self.suite.register([token], kind, **more)
            return token

        device = {"deviceId": name, "platform": "ios", "osVersion": "18.4"}
        if self.way == "starts":
            self.call(account, "POST", "/devices", {**device, "deviceToken": bad("device", bundle=OTHER_APP)})
            self.call(account, "POST", "/devices/push-to-start-token", {
                "deviceId": name, "pushToStartToken": bad("start", bundle=OTHER_APP)})
            return
        self.call(account, "POST", "/devices", device)
        token = bad("update", bundle=OTHER_APP) if self.way == "otherApp" else bad("device")
        self.call(account, "POST", f"/matches/{self.match.id}/activity-token", {
            "activityToken": token, "deviceId": name, "activityId": f"activity-{secrets.token_hex(8)}"})

    def call(self, account, method, path, body=None):
        self.statuses.append(account.call(method, path, body)[0])

    def stop(self):
        """Its accounts are deleted, so that the next attack is as large as it says."""
        self.is_over = True
        for each in self.done:
            each.result()
        for account in self.accounts:
            self.call(account, "DELETE", "/user")

    @property
    def refused(self):
        return sum(status >= 400 for status in self.statuses)


class Watched:
    """A stop of the host, by the metric and by the log, while something goes on."""

    def __init__(self, suite):
        self.suite = suite
        self.sampler = Sampler(lambda: suite.metric("sightscreen_apns_stopped"))
        self.lines = self.count_lines()

    def count_lines(self):
        return self.suite.log("la-coordinator").count(REFUSES)

    def __enter__(self):
        self.sampler.__enter__()
        return self

    def __exit__(self, *problem):
        self.sampler.__exit__(*problem)

    def judge(self, verdict, name):
        stopped, lines = int(self.sampler.most), self.count_lines() - self.lines
        verdict.require(stopped == 0, f"{name}: the host was stopped for {stopped} threads")
        verdict.require(lines == 0, f"{name}: {lines} lines of the log say \"{REFUSES}\"")
        return {"threadsStopped": stopped, "refusalsLogged": lines}


def case(fans, verdict, name, quiet, attack=None, meanwhile=None):
    """Quiet, during which an attack comes up, and then a wicket."""
    suite = fans.suite
    version = fans.settle(fans.match.before_wicket())
    begun, begun_ms, since = time.monotonic(), now_ms(), len(suite.pushes)
    with Watched(suite) as watched:
        if attack:
            attack.begin(quiet)
        time.sleep(quiet / 2)
        if meanwhile:
            meanwhile()
        time.sleep(max(0.0, begun + quiet - time.monotonic()))
        if attack:
            # What was registered last is refused before the ball.
            time.sleep(1.0)
        if (newest := fans.match.newest()).number != version.number:
            raise HarnessError(f"{name}: it was not quiet: after {(newest.at_ms - begun_ms) / 1_000:.0f} s came {newest}")
        tokens = set(fans.tokens)
        refused = sum(push.reason == "DeviceTokenNotForTopic" and push.token not in tokens for push in suite.pushes[since:])
        line = {"case": name, "quietSeconds": round(time.monotonic() - begun)}
        if attack:
            verdict.require(refused > 0, f"{name}: no bad token was pushed to, which is no attack")
            line |= {"badTokens": len(attack.phones), "refusedBefore": refused}
        line |= fans.listen_to_wicket(verdict, name)
    line |= watched.judge(verdict, name)
    if attack:
        attack.stop()
        line["callsRefused"] = attack.refused
    ended, tokenless = fans.lost()
    verdict.require(ended + tokenless == 0, f"{name}: {ended} honest rows were ended, {tokenless} phones lost a token")
    suite.check_log()
    say(f"  {line}")
    return line


def topic(fans, options):
    """Each attack by itself, and none, in the same minutes of play."""
    verdict = Verdict("topic")
    cases = [("control", None), ("1 x 2, otherApp", (1, 2, "otherApp")), ("2 x 10, otherApp", (2, 10, "otherApp")),
             ("2 x 10, ownDevice", (2, 10, "ownDevice")), ("5 x 10, otherApp", (5, 10, "otherApp")),
             ("5 x 10, ownDevice", (5, 10, "ownDevice")), ("2 x 10, restless", (2, 10, "otherApp", True)),
             ("2 x 10, starts", (2, 10, "starts"))]
    if options.short:
        cases = [("2 x 10, ownDevice", (2, 10, "ownDevice"))]
    lines = []
    for name, shape in cases:
        attack = Attack(fans.suite, fans.match, *shape) if shape else None
        lines.append(case(fans, verdict, name, options.quiet, attack))
    verdict.figures |= {"accounts": len({phone.account for phone in fans.phones}), "pushThreads": THREADS, "cases": lines}
    return verdict


def takeover(fans, options):
    """The coordinator is killed in the middle of an attack. What its successor knows of proofs it has read."""
    verdict = Verdict("takeover")
    lines = []
    for way in ("otherApp",) if options.short else Attack.WAYS:
        attack = Attack(fans.suite, fans.match, 2, 10, way)
        lines.append(case(fans, verdict, f"2 x 10, {way}", options.quiet_after_takeover, attack,
                          meanwhile=fans.suite.restart_coordinator))
    verdict.figures["cases"] = lines
    return verdict
