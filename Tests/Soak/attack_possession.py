"""The goals of `deploy/soak attack` about whose phone it is: a thief who knows a phone's tokens, and a phone that has another user.

Every case is a generator that yields when its hour is over; all cases of a goal go through the same hours side by side, and an
hour passes by moving back what the tables say of claims, nonces and silent pushes."""

import contextlib
import secrets
import time

from attack_phones import FORCE_QUIT, ONLINE, UNINSTALLED, Phone
from attack_suite import Account, LiveMatch
from fanout_alerts import Verdict
from harness import HarnessError, now_ms, say, wait_until

STATES = (ONLINE, FORCE_QUIT, UNINSTALLED)
HOLDERS_TAPE, THIEFS_TAPE = "1304076", "1270836"
# From the app's contact, while a push of that hour is left.
HELD_WITHIN = 60.0
# To one token with a nonce. And the hours that a case may take: one lost to a force quit, one to others, and a good one.
PUSHES_AN_HOUR, HOURS_MAX = 3, 3
# How often an app that runs registers again while it waits.
CONTACTS_EVERY = 15.0
STARTED_WITHIN = 20.0
# A thief asks as often as a phone may, for longer than the phone takes to answer.
ASKS_EVERY, ASKS_FOR = 1.0, 6.0
# What a push takes to leave, when none is to.
LEAVES_WITHIN = 5.0
# All that the tables remember of claims and silent pushes, whatever it is called.
HOUR_LATER = """
    DO $$ DECLARE c record; BEGIN
        FOR c IN SELECT table_name, column_name, data_type FROM information_schema.columns
            WHERE table_schema = 'public'
                AND (table_name ~ '^(device|phone)_' OR table_name = 'devices' AND column_name LIKE 'reconcile%')
                AND (data_type = 'timestamp with time zone' OR udt_name = '_timestamptz')
        LOOP
            IF c.data_type = 'ARRAY' THEN
                EXECUTE format('UPDATE %1$I SET %2$I = ARRAY(SELECT t - interval ''61 minutes'' FROM unnest(%2$I)
                    WITH ORDINALITY AS u (t, n) ORDER BY n) WHERE %2$I IS NOT NULL', c.table_name, c.column_name);
            ELSE
                EXECUTE format('UPDATE %1$I SET %2$I = %2$I - interval ''61 minutes'' WHERE %2$I IS NOT NULL',
                    c.table_name, c.column_name);
            END IF;
        END LOOP;
    END $$"""


class Thief:
    """An account that has learnt a phone's tokens. It registers them as those of a phone of its own, and echoes what the
    answers tell it, were they to tell anything."""

    def __init__(self, suite, account, **more):
        self.suite = suite
        self.account = account
        self.name = f"thief-{secrets.token_hex(8)}"
        # What it says of its phone besides.
        self.more = more

    def claim(self, token):
        """A device token, once."""
        _, answer = self.call("POST", "/devices", {
            "deviceId": self.name, "platform": "ios", "deviceToken": token, "osVersion": "18.4", **self.more})
        for text in texts(answer):
            self.call("POST", "/devices/confirm", {"nonce": text, "deviceId": self.name})

    def claim_all(self, phone, match):
        """The other tokens too, and a match whose start it wants there."""
        self.claim(phone.device_token)
        self.start(phone.start_token)
        self.call("POST", "/user/follow/match", {"matchId": str(match.id)})
        for cards in list(phone.cards.values()):
            self.call("POST", f"/matches/{match.id}/activity-token", {
                "activityToken": cards[-1], "deviceId": self.name, "activityId": f"activity-{secrets.token_hex(8)}"})

    def start(self, token):
        self.call("POST", "/devices/push-to-start-token", {"pushToStartToken": token, "deviceId": self.name})

    def keep_claiming(self, token):
        """In a thread of its own."""
        return self.suite.attackers.submit(self.claim_on, token)

    def claim_on(self, token):
        until = time.monotonic() + ASKS_FOR
        while time.monotonic() < until:
            self.claim(token)
            time.sleep(ASKS_EVERY)

    def call(self, method, path, body):
        return self.account.call(method, path, body)


def texts(value):
    """Every text in an answer, wherever it stands, that could be a nonce."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [value] if isinstance(value, str) and len(value) >= 16 else []


class World:
    """What the cases share."""

    def __init__(self, suite, verdict):
        self.suite = suite
        self.verdict = verdict
        self.match, self.thiefs_match = LiveMatch(suite, HOLDERS_TAPE), LiveMatch(suite, THIEFS_TAPE)
        # By case, the hour, and the seconds from the app's contact in it.
        self.held = {}
        self.hour_began_ms = now_ms()

    def account(self):
        return Account(self.suite)

    def thief(self, **more):
        return Thief(self.suite, self.account(), **more)

    def owned(self):
        """A phone whose user has a card on it, and which APNs has taken pushes to."""
        phone = Phone(self.suite, self.account())
        phone.contact()
        phone.follow(self.match)
        wait_until("the owner has a card", lambda: phone.shown.get((phone.cards.get(self.match.id) or [""])[-1]),
                   within=STARTED_WITHIN)
        return phone

    def holder(self, token, column="device_token"):
        return {row[0] for row in self.suite.sql(f"SELECT user_id FROM devices WHERE {column} = '{token}'")}

    def require(self, holds, name, problem):
        self.verdict.require(holds, f"{name}: {problem}")

    def is_held(self, phone):
        return self.holder(phone.device_token) == {phone.account.id} and phone.contact() is None

    def await_held(self, phone, within):
        """Whether the phone is its user's by then; its app registers again while it waits."""
        began = contact_at = time.monotonic()
        while not (held := self.is_held(phone)) and time.monotonic() - began < within:
            if time.monotonic() > contact_at + CONTACTS_EVERY:
                contact_at = time.monotonic()
                phone.contact()
            time.sleep(0.5)
        return held

    def expect_start(self, name, phone):
        """The user's match starts on the phone."""
        starts = len(phone.starts)
        phone.unfollow(self.match)
        phone.follow(self.match)
        self.require(
            self.holder(phone.start_token, "push_to_start_token") == {phone.account.id}, name, "the start token is another's")
        with contextlib.suppress(HarnessError):
            wait_until("the start", lambda: self.has_started(phone, starts), within=STARTED_WITHIN)
        self.require(self.has_started(phone, starts), name, "its holder's match does not start on the phone")

    def has_started(self, phone, since):
        return any(match == self.match.id for _, match in phone.starts[since:])

    def expect_deaf(self, name, phone, thief):
        """What the thief asks for now does not reach the phone."""
        since = len(self.suite.pushes)
        thief.call("DELETE", "/user/follow/match", {"matchId": str(self.thiefs_match.id)})
        thief.call("POST", "/user/follow/match", {"matchId": str(self.thiefs_match.id)})
        time.sleep(LEAVES_WITHIN)
        for push in self.suite.pushes[since:]:
            if push.token in phone.tokens and not push.is_silent and push.event != "end":
                theirs = f'"{self.thiefs_match.id}"' in push.payload
                self.require(not theirs, name, "the phone got what the thief asked for: " + push.short())
        tables = self.suite.sql(
            f"SELECT device_token, push_to_start_token FROM devices WHERE user_id = '{thief.account.id}' UNION ALL"
            f" SELECT update_token, NULL FROM live_activities WHERE user_id = '{thief.account.id}' AND status <> 'ended'")
        self.require(not phone.tokens & {each for row in tables for each in row}, name, "the thief has a token of the phone")


def sign_in(world, name, phone, state, others=()):
    """The user opens the app, signed in, on a phone that is met in one of three ways; `others` claim its token first in each hour.
    Yields at the end of an hour that was lost. Returns whether the user has the phone.

    The first hour of a force-quit app is lost: it is quit at once after it has registered. The first in which it runs may be: where
    others can use up all of its pushes, or one left before the app was opened. The next one is good."""
    known = phone.device_token
    if state == UNINSTALLED:
        phone.uninstall()
        phone.install()
    lost_hours = 1 if state == FORCE_QUIT else 0
    for hour in range(HOURS_MAX):
        for other in others:
            other.claim(known)
        began = time.monotonic()
        phone.contact()
        if hour < lost_hours:
            phone.state = FORCE_QUIT
            time.sleep(LEAVES_WITHIN)
        else:
            may_fail = hour == lost_hours and (len(others) >= PUSHES_AN_HOUR or phone.missed(world.hour_began_ms))
            held = world.await_held(phone, LEAVES_WITHIN if may_fail else HELD_WITHIN)
            if held or not may_fail:
                world.held[name] = [hour + 1, round(time.monotonic() - began, 1)]
                world.require(held, name, f"hour {hour + 1}: its holder does not have the phone a minute after the app's contact")
                if held:
                    world.expect_start(name, phone)
                return held
        yield
    raise HarnessError(f"{name}: there are more hours than {HOURS_MAX}")


# A thief is first.

def squatter_before(world, name, state):
    """The thief registers the tokens of a phone that is not registered yet; then its holder signs in."""
    phone, thief = Phone(world.suite), world.thief()
    thief.claim_all(phone, world.thiefs_match)
    yield from squatted(world, name, phone, thief, state)


def squatter_elsewhere(world, name, state):
    """The same, and it says that the phone is of the other APNs host."""
    phone, thief = Phone(world.suite), world.thief(environment="sandbox")
    thief.claim_all(phone, world.thiefs_match)
    yield from squatted(world, name, phone, thief, state)


def squatter_after_deletion(world, name, state):
    """The holder deletes the account and signs up anew; the thief registers the tokens in between."""
    phone, thief = world.owned(), world.thief()
    phone.account.call("DELETE", "/user")
    thief.claim_all(phone, world.thiefs_match)
    yield from squatted(world, name, phone, thief, state)


def squatter_after_a_week(world, name, state):
    """The holder was away for eight days; the thief registers the tokens before the app is opened again."""
    phone, thief = world.owned(), world.thief()
    world.suite.sql(
        f"UPDATE devices SET last_seen_at = last_seen_at - interval '8 days' WHERE user_id = '{phone.account.id}'")
    thief.claim_all(phone, world.thiefs_match)
    yield from squatted(world, name, phone, thief, state, phone.account)


def squatted(world, name, phone, thief, state, account=None):
    phone.account = account or world.account()
    # It knows that the holder will come.
    claiming = thief.keep_claiming(phone.device_token)
    yield from sign_in(world, name, phone, state)
    claiming.result()
    world.expect_deaf(name, phone, thief)


def theft(world, name, state):
    """The thief claims the tokens of a phone that is its user's, in this hour and the next."""
    phone, thief = world.owned(), world.thief()
    before = (phone.device_token, phone.start_token, phone.cards[world.match.id][-1])
    if state == UNINSTALLED:
        phone.uninstall()
    phone.state = state
    for _ in range(2):
        claiming = thief.keep_claiming(phone.device_token)
        thief.claim_all(phone, world.thiefs_match)
        claiming.result()
        # It waits, is told no, or, of a token that is dead, gets nothing but that.
        tables = world.suite.sql(
            f"SELECT push_to_start_token FROM devices WHERE user_id = '{thief.account.id}' UNION ALL SELECT update_token"
            f" FROM live_activities WHERE user_id = '{thief.account.id}' AND status <> 'ended'")
        world.require(not {each for row in tables for each in row} & set(before[1:]), name, "the thief has a token of the phone")
        if state != UNINSTALLED:
            world.require(world.holder(before[0]) == {phone.account.id}, name, "the owner has lost the device token")
            world.require(world.holder(before[1], "push_to_start_token") == {phone.account.id}, name, "the start token is lost")
            world.require(world.suite.sql(
                f"SELECT status FROM live_activities WHERE user_id = '{phone.account.id}' AND update_token = '{before[2]}'"
            ) == [["active"]], name, "the owner's card is lost")
        yield
    if state == ONLINE:
        world.require(len(phone.nonces) == 1, name, f"{len(phone.nonces)} silent pushes came: a refused account waits 24 h")


def detour(world, name, state):
    """APNs has taken nothing to the phone's tokens yet. The thief registers each as another kind, and then as what it is."""
    phone, thief = Phone(world.suite, world.account()), world.thief()
    phone.contact()
    thief.claim(phone.start_token)
    thief.start(phone.device_token)
    thief.claim_all(phone, world.thiefs_match)
    world.require(world.holder(phone.device_token) == {phone.account.id}, name, "the owner has lost the device token")
    world.expect_start(name, phone)
    world.expect_deaf(name, phone, thief)
    yield


# A phone that has another user.

def change_of_user(world, name, state, hostile):
    """Ann's sign-out never arrived, and Bob signs in on her phone. In each hour some who know the token claim it before him."""
    phone = world.owned()
    ann, ended = phone.account, len(phone.ends)
    others = [world.thief() for _ in range(hostile)]
    card = phone.cards[world.match.id][-1]
    phone.account, known = world.account(), phone.device_token
    held = yield from sign_in(world, name, phone, state, others)
    if held and state != UNINSTALLED:
        world.require(not world.holder(phone.device_token) & {ann.id}, name, "the user before has the phone too")
        with contextlib.suppress(HarnessError):
            wait_until("her card ends", lambda: len(phone.ends) > ended, within=STARTED_WITHIN)
        world.require(any(push.token == card for push in phone.ends[ended:]), name, "the card of the user before did not end")
        # Who was refused waits for a day.
        yield
        nonces = len(phone.nonces)
        for other in others:
            other.claim(known)
        time.sleep(LEAVES_WITHIN)
        world.require(len(phone.nonces) == nonces, name, "an account that the phone refused had it asked in the next hour")
        world.require(world.holder(phone.device_token) == {phone.account.id}, name, "the phone is lost to a claim")


def run(suite, goal, cases):
    """All cases at once, hour by hour."""
    verdict, asked_before = Verdict(goal), len(suite.gateway.answers)
    world = World(suite, verdict)
    going = {name: case(world, name, *arguments) for name, (case, *arguments) in cases.items()}
    hours = 0
    while going:
        hours += 1
        asked = {name: suite.attackers.submit(next, case, "over") for name, case in going.items()}
        for name, each in asked.items():
            try:
                if each.result() == "over":
                    del going[name]
            except (HarnessError, OSError) as error:
                verdict.require(False, f"{name}: {error}")
                del going[name]
        if going:
            world.hour_began_ms = now_ms()
            suite.sql(HOUR_LATER)
    suite.check_log()
    nonces = {push.nonce for push in suite.pushes if push.nonce}
    answers = suite.gateway.answers[asked_before:]
    told = sum(any(nonce.encode() in answer for nonce in nonces) for answer in answers)
    verdict.require(told == 0, f"{told} answers named a nonce")
    verdict.figures |= {
        "cases": len(cases), "hours": hours, "heldInHourAfterSeconds": world.held, "nonces": len(nonces),
        "answers": len(answers), "answersWithNonce": told}
    say(f"  {verdict.figures}")
    return verdict


SQUATTERS = {
    "before": squatter_before, "elsewhere": squatter_elsewhere, "afterDeletion": squatter_after_deletion, "afterAWeek": squatter_after_a_week}


def thefts(suite, options):
    """Who knows a phone's tokens does not keep its holder from it, whenever they come."""
    cases = {f"squatter {when}, {state}": (case, state) for when, case in SQUATTERS.items() for state in STATES}
    cases |= {f"theft, {state}": (theft, state) for state in STATES}
    return run(suite, "theft", cases | {f"detour, {ONLINE}": (detour, ONLINE)})


def changes(suite, options):
    """The user changes, however many others claim the phone."""
    return run(suite, "change-of-user", {
        f"{hostile} hostile, {state}": (change_of_user, state, hostile) for hostile in (0, 1, 2, 3) for state in STATES})
