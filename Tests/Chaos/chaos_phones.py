"""Simulated phones of a schedule: they do what the app does, by the HTTP API, and try again until they are answered."""

import concurrent.futures
import http.client
import random
import secrets
import threading
import time
import uuid

from chaos_records import SHOWN, UNKNOWN, UNREACHED, Call, Phone, Shown
from harness import HarnessError, call, now_ms

WORKERS = 24
# A gateway that stands still is given up after this, and the other one asked.
PATIENCE = 3.0
# From the start of an activity to its token, as on a phone.
TOKEN_DELAY = (0.05, 0.15)
# How long a phone waits for the activity with which it is to do something.
ACTIVITY_PATIENCE = 4.0
# How often the user of a restarted phone opens the app, while the card is missing.
OPENS_EVERY = 2.0
# How often an app registers again a token that is another user's yet, and how long somebody who signed in waits for it.
REGISTERS_EVERY, PROOF_PATIENCE = 1.0, 12.0
# Phones of one class that follow first, so that there is a channel when the others follow.
FIRST = 3
# When an app that has appeared on a phone ends an older card, and when the user opens it after an unfollow.
ENDS_OLDER, OPENS_AFTER = (0.05, 0.3), (0.3, 1.5)


class Fleet:
    def __init__(self, suite, plan, match):
        self.suite = suite
        self.plan = plan
        self.match = match
        self.dice = random.Random(f"phones {plan.seed}")
        self.guard = threading.Lock()
        self.calls = []
        self.killed, self.moved = set(), []
        # Who is signed in on each phone.
        self.signed_in = [phone.user for phone in plan.phones]
        self.busy = 0
        self.is_closed = False
        self.workers = concurrent.futures.ThreadPoolExecutor(WORKERS, thread_name_prefix="phone")
        users = 1 + max(phone.user for phone in plan.phones)
        self.users = [str(uuid.uuid4()) for _ in range(users)]
        self.bearers = [suite.bearer(user) for user in self.users]
        self.phones = [
            Phone(self.users[phone.user], f"phone-{plan.seed}-{phone.user}-{phone.number}", secrets.token_hex(32), phone.alerts)
            for phone in plan.phones]
        self.device_tokens = {phone.device: secrets.token_hex(32) for phone in self.phones}
        self.by_start = {phone.start_token: index for index, phone in enumerate(self.phones)}
        self.by_token = {}
        self.by_device_token = {self.device_tokens[phone.device]: index for index, phone in enumerate(self.phones)}
        # Set when something brings a restarted phone's app to life.
        self.woken = {}
        self.following = [threading.Event() for _ in self.users]
        # Those that cards of this match are to listen to.
        self.channels = set()
        self.joined = set()
        suite.simulator.register([phone.start_token for phone in self.phones], "start")
        suite.simulator.register(self.device_tokens.values(), "device")

    # What happens, by the plan.

    def deeds(self):
        """(seconds after the beginning of play, what is done), of those that are not there from the beginning on."""
        for index, plan in enumerate(self.plan.phones):
            if plan.joins:
                yield plan.joins, lambda index=index: self.submit(self.join, index)
            for at, deed in ((plan.unfollows, self.unfollow), (plan.dismisses, self.dismiss), (plan.dies, self.die),
                             (plan.rotates, self.rotate), (plan.moves, self.move), (plan.changes, self.change)):
                if at is not None and at >= 0:
                    yield at, lambda deed=deed, index=index: self.submit(deed, index)

    def change_early(self):
        """What happens before play; and seconds until then."""
        found = {index: -plan.changes for index, plan in enumerate(self.plan.phones) if (plan.changes or 0) < 0}
        for index in found:
            self.submit(self.change, index)
        return max(found.values(), default=0)

    def begin(self, indices=None):
        """These join, or all that are there from the beginning on and have not done so."""
        for index, plan in enumerate(self.plan.phones):
            if not plan.joins and index not in self.joined and (indices is None or index in indices):
                self.joined.add(index)
                self.submit(self.join, index)

    def first(self):
        """By alert level, the phones that are to follow first, with all others of their users, so that a channel is made."""
        found = {}
        for level in {phone.alerts for phone in self.plan.phones}:
            there = [(index, plan) for index, plan in enumerate(self.plan.phones) if plan.alerts == level and not plan.joins]
            users = [plan.user for _, plan in there if plan.listens]
            if len(users) >= FIRST:
                found[level] = [index for index, plan in there if plan.user in users[:FIRST]]
        return found

    def running(self):
        """How many of those that are there from the beginning on have an activity that the server knows."""
        return sum(any(shown.registered_ms for shown in phone.activities)
                   for phone, plan in zip(self.phones, self.plan.phones) if not plan.joins)

    @property
    def expected(self):
        return sum(not plan.joins for plan in self.plan.phones)

    def join(self, index):
        phone, plan = self.phones[index], self.plan.phones[index]
        self.send(index, "device", "POST", "/devices", {
            "deviceId": phone.device, "platform": "ios", "deviceToken": self.device_tokens[phone.device],
            "osVersion": "18.4", "appVersion": "1.0.0", **self.ability(index)}, self.device_tokens[phone.device])
        self.send(index, "startToken", "POST", "/devices/push-to-start-token", {
            "pushToStartToken": phone.start_token, "deviceId": phone.device}, phone.start_token)
        if plan.number == 0:
            self.send(index, "follow", "POST", "/user/follow/match", {
                "matchId": str(self.match), "alerts": plan.alerts})
            self.following[plan.user].set()

    def ability(self, index):
        return {"broadcast": True} if self.plan.phones[index].listens else {}

    def unfollow(self, index):
        if self.following[self.plan.phones[index].user].wait(ACTIVITY_PATIENCE):
            self.send(index, "unfollow", "DELETE", "/user/follow/match", {"matchId": str(self.match)})
            # Nothing can be pushed to one that listens: its app is told when it is opened.
            for other, plan in enumerate(self.plan.phones):
                if plan.listens and plan.user == self.plan.phones[index].user:
                    self.later(self.dice.uniform(*OPENS_AFTER), self.reconcile, other)

    def change(self, index):
        """Its user's alerts. From then on one of either level is as good as the other: both may come for a while."""
        plan = self.plan.phones[index]
        if self.following[plan.user].wait(ACTIVITY_PATIENCE):
            for phone in self.phones:
                if phone.user == self.users[plan.user]:
                    phone.alerts = "all"
            self.send(index, "change", "PATCH", f"/user/follow/match/{self.match}", {"alerts": plan.changes_to})

    def dismiss(self, index):
        if shown := self.activity(index):
            if shown.channel:
                self.report_card(index, shown)
            self.end_card(shown)
            self.send(index, "dismiss", "POST", f"/matches/{self.match}/activity-dismissed", {
                "deviceId": self.phones[index].device, "activityId": shown.id}, shown.id)

    def die(self, index):
        """The phone is restarted, which takes the card away, and its token dies with it."""
        if shown := self.activity(index):
            with self.guard:
                self.killed.add(shown.tokens[-1])
            shown.ended_ms = now_ms()
            if shown.channel:
                self.end_card(shown)
            else:
                self.tell_simulator("DELETE", f"/tokens/{shown.tokens[-1]}")
            # Later than all that was seen of the card, in whole seconds.
            booted_at = shown.ended_ms // 1_000 + 1
            self.woken[index] = threading.Event()
            threading.Thread(target=self.come_back, args=(index, booted_at), name="restarted", daemon=True).start()

    def come_back(self, index, booted_at):
        """Reports what runs on the phone whenever its app is woken or opened, until another activity of it is registered.

        A report says nothing to a server that has not heard yet that the token is dead, and a silent push may be lost: one
        report is not enough. Only a report that is not answered yet keeps the schedule waiting."""
        while not self.is_closed:
            self.woken[index].wait(OPENS_EVERY)
            self.woken[index].clear()
            if self.is_closed or self.is_back(index):
                return
            done = threading.Event()
            if not self.submit(self.report, index, booted_at, done):
                return
            while not done.wait(0.5) and not self.is_closed:
                pass

    def is_back(self, index):
        """Whether a restarted phone has nothing more to ask for: its new card is known, or the match is not followed."""
        phone, user = self.phones[index], self.users[self.signed_in[index]]
        with self.guard:
            has_left = any(call.user == user and (
                call.what in ("unfollow", "dismiss") and call.is_good or call.what == "report" and call.status == 404
            ) for call in self.calls)
        return has_left or any(shown.registered_ms and not shown.ended_ms for shown in phone.activities)

    def report(self, index, booted_at, done):
        """`POST /devices` as the app does it when it comes to life."""
        try:
            if self.is_back(index):
                return
            phone = self.phones[index]
            running = [{"matchId": str(self.match), "activityId": shown.id, "startId": shown.start_id}
                       for shown in phone.activities if not shown.ended_ms]
            token = self.device_tokens[phone.device]
            self.send(index, "report", "POST", "/devices", {
                "deviceId": phone.device, "platform": "ios", "deviceToken": token, "bootedAt": booted_at,
                "activities": running}, token)
        finally:
            done.set()

    def rotate(self, index):
        if (shown := self.activity(index)) and not shown.channel:
            self.post_token(index, shown, secrets.token_hex(32))

    def move(self, index):
        """Somebody else signs in on the phone. The app takes its card off and registers the phone's tokens.

        The backend asks the phone whose it is, which answers unless a fault takes that push: then the tokens stay."""
        if shown := self.activity(index):
            phone, to = self.phones[index], self.plan.phones[index].moves_to
            if not self.following[to].wait(ACTIVITY_PATIENCE):
                return
            with self.guard:
                # Of none is it known whose it is, until the phone has shown it.
                self.moved += [(one, phone.user, None) for one in [phone.start_token, *phone.tokens]]
                self.signed_in[index] = to
            self.end_card(shown)
            # A gateway of a release that asked nobody leaves the card to whoever has it.
            if self.prove(index):
                with self.guard:
                    if any(call.what == "confirm" and call.is_good and call.device == phone.device for call in self.calls):
                        self.moved.append((shown.tokens[-1], phone.user, self.users[to]))

    def prove(self, index):
        """Registers the phone until its device token is the user's who is signed in, and then its start token."""
        phone, deadline = self.phones[index], time.monotonic() + PROOF_PATIENCE
        while not self.is_closed and time.monotonic() < deadline:
            answer = self.send(index, "device", "POST", "/devices", {
                "deviceId": phone.device, "platform": "ios", "deviceToken": self.device_tokens[phone.device],
                **self.ability(index)}, self.device_tokens[phone.device])
            if answer and not answer.get("waitsFor"):
                return bool(self.send(index, "startToken", "POST", "/devices/push-to-start-token", {
                    "pushToStartToken": phone.start_token, "deviceId": phone.device}, phone.start_token))
            time.sleep(REGISTERS_EVERY)
        return False

    def echo(self, index, nonce):
        self.send(index, "confirm", "POST", "/devices/confirm", {
            "nonce": nonce, "deviceId": self.phones[index].device}, nonce)

    def activity(self, index):
        """The one that runs on the phone and that the server knows, when there is one soon."""
        deadline = time.monotonic() + ACTIVITY_PATIENCE
        while time.monotonic() < deadline and not self.is_closed:
            for shown in self.phones[index].activities:
                if shown.registered_ms and not shown.ended_ms:
                    return shown
            time.sleep(0.05)
        return None

    # What APNs brings.

    def receive(self, push):
        """From the thread that reads the simulator's log."""
        if push.verdict != SHOWN:
            return
        if push.token in self.by_device_token:
            index = self.by_device_token[push.token]
            woken = self.woken.get(index)
            if woken and push.is_silent:
                woken.set()
            if push.is_silent and push.nonce:
                self.submit(self.echo, index, push.nonce)
            elif push.is_silent and not woken and self.plan.phones[index].listens:
                self.submit(self.reconcile, index)
            return
        if push.event == "start" and push.token in self.by_start:
            index = self.by_start[push.token]
            shown = Shown(f"activity-{secrets.token_hex(8)}", push.start_id or "", push.at_ms, channel=push.input_channel)
            # The app ends older ones that no push could end alone.
            for older in self.phones[index].activities:
                if older.channel and not older.ended_ms:
                    self.later(self.dice.uniform(*ENDS_OLDER), self.end_card, older)
            self.phones[index].activities.append(shown)
            if shown.channel:
                with self.guard:
                    shown.tokens.append(shown.id)
                    self.by_token[shown.id] = shown
                    self.channels.add(shown.channel)
                    if self.signed_in[index] != self.plan.phones[index].user:
                        self.moved.append((shown.id, self.phones[index].user, None))
                self.submit(self.listen, index, shown, push.stamp)
            else:
                self.submit(self.post_first_token, index, shown, push.stamp)
        elif push.event == "end" and push.token in self.by_token:
            shown = self.by_token[push.token]
            shown.ended_ms = shown.ended_ms or push.at_ms

    def post_first_token(self, index, shown, stamp):
        time.sleep(self.dice.uniform(*TOKEN_DELAY))
        self.post_token(index, shown, secrets.token_hex(32), stamp)

    def post_token(self, index, shown, token, stamp=None):
        self.tell_simulator("POST", "/tokens", {
            "token": token, "kind": "update", "environment": "production", "match": self.match,
            **({"timestamp": stamp} if stamp else {})})
        with self.guard:
            shown.tokens.append(token)
            self.by_token[token] = shown
            if self.signed_in[index] != self.plan.phones[index].user:
                self.moved.append((token, self.phones[index].user, None))
        answer = self.send(index, "token", "POST", f"/matches/{self.match}/activity-token", {
            "activityToken": token, "deviceId": self.phones[index].device, "activityId": shown.id,
            "startId": shown.start_id}, token, activity=shown.id)
        if answer is not None:
            shown.registered_ms = shown.registered_ms or now_ms()

    # Cards that listen to a channel.

    def listen(self, index, shown, stamp):
        if shown.ended_ms:
            return
        status, answer = call(self.suite.endpoints["apnsControl"], "POST", "/subscribers", {
            "channel": shown.channel, "environment": "production", "subscriber": shown.id, "timestamp": stamp}, timeout=30)
        if status not in (201, 404):
            raise HarnessError(f"apns-simulator, POST /subscribers: {status} {answer}")
        shown.listened_ms = now_ms() if status == 201 else None
        # The server knows of it by the start.
        shown.registered_ms = now_ms()
        if shown.ended_ms:
            self.end_card(shown)
        elif (reports := self.plan.phones[index].reports) is not None:
            self.later(reports, self.report_card, index, shown)

    def report_card(self, index, shown):
        if shown.ended_ms:
            return
        answer = self.send(index, "listen", "POST", f"/matches/{self.match}/activity", {
            "activityId": shown.id, "channelId": shown.channel, "startId": shown.start_id,
            "deviceId": self.phones[index].device}, shown.id, activity=shown.id)
        if answer and answer.get("liveActivity") == "ended":
            self.end_card(shown)

    def reconcile(self, index):
        """Says what runs on the phone, and ends what is not to."""
        phone = self.phones[index]
        cards, token = [shown for shown in phone.activities if not shown.ended_ms], self.device_tokens[phone.device]
        answer = self.send(index, "reconcile", "POST", "/devices", {
            "deviceId": phone.device, "platform": "ios", "deviceToken": token, "activities": [
                {"matchId": str(self.match), "activityId": shown.id, "startId": shown.start_id,
                 **({"channel": shown.channel} if shown.channel else {})} for shown in cards]}, token)
        for shown in cards:
            if shown.channel and shown.id in ((answer or {}).get("end") or []):
                self.end_card(shown)

    def end_card(self, shown):
        """The phone's own doing."""
        shown.ended_ms = shown.ended_ms or now_ms()
        if shown.channel:
            call(self.suite.endpoints["apnsControl"], "DELETE", "/subscribers", {
                "channel": shown.channel, "subscriber": shown.id}, timeout=30)

    def later(self, seconds, deed, *arguments):
        timer = threading.Timer(seconds, self.submit, (deed, *arguments))
        timer.daemon = True
        timer.start()

    def tell_simulator(self, method, path, body=None):
        status, answer = call(self.suite.endpoints["apnsControl"], method, path, body, timeout=30)
        if status >= 300:
            raise HarnessError(f"apns-simulator, {method} {path[:20]}: {status} {answer}")

    # Calls.

    def submit(self, deed, *arguments):
        with self.guard:
            if self.is_closed:
                return False
            self.busy += 1
        self.workers.submit(self.carry_out, deed, *arguments)
        return True

    def carry_out(self, deed, *arguments):
        try:
            deed(*arguments)
        finally:
            with self.guard:
                self.busy -= 1

    def send(self, index, what, method, path, body, value=None, activity=None):
        """Tries until a gateway has taken it or said that it cannot be; the answer, or None."""
        user = self.signed_in[index]
        attempt = index
        while not self.is_closed:
            begun_ms = now_ms()
            status, answer = UNKNOWN, None
            try:
                status, answer = call(
                    self.suite.gateways[attempt % len(self.suite.gateways)], method, path, body,
                    {"Authorization": f"Bearer {self.bearers[user]}"}, PATIENCE)
            except ConnectionRefusedError:
                status = UNREACHED
            except (OSError, http.client.HTTPException, ValueError):
                pass
            with self.guard:
                self.calls.append(Call(
                    self.users[user], self.phones[index].device, what, value, begun_ms, now_ms(), status, answer or {},
                    activity, [each["activityId"] for each in body.get("activities", [])]))
            if 200 <= status < 300:
                return answer or {}
            if status == 404 and what in ("token", "dismiss", "report", "confirm", "listen", "reconcile", "change"):
                # Not followed any more: the activity gets an end. Or the phone is not known, or the nonce too old.
                return None
            attempt += 1
            time.sleep(self.dice.uniform(0.1, 0.3))
        return None

    @property
    def is_idle(self):
        with self.guard:
            return self.busy == 0

    def close(self):
        self.is_closed = True
        for woken in list(self.woken.values()):
            woken.set()
        self.workers.shutdown(wait=True, cancel_futures=True)
