"""Phones of `deploy/soak restore`: they list their cards when they are asked or opened, and obey the answer, as the app does."""

import dataclasses
import http.client
import json
import secrets
import threading
import time

from attack_phones import FORCE_QUIT, ONLINE, TOKEN_AFTER, WAKES_AFTER
from chaos_records import SHOWN
from harness import HarnessError

# A phone that is switched off gets nothing.
OFF = "off"
# A gateway that is away, or ends, is called again.
CALLS_FOR = 30.0


@dataclasses.dataclass
class Card:
    """One Live Activity on the phone."""

    match: int
    start_id: str
    began_ms: int
    token: str
    # Of the state that the start brought.
    stamp: int
    id: str = dataclasses.field(default_factory=lambda: f"activity-{secrets.token_hex(8)}")
    is_over: bool = False
    is_reported: bool = False


class Phone:
    def __init__(self, suite, account):
        self.suite = suite
        self.account = account
        self.state = ONLINE
        self.guard = threading.Lock()
        self.name = f"phone-{secrets.token_hex(8)}"
        self.device_token, self.start_token = secrets.token_hex(32), secrets.token_hex(32)
        self.cards, self.asked_ms = [], []
        # Milliseconds and card: a start that makes a second one.
        self.second = []
        suite.receivers |= {self.device_token: self, self.start_token: self}
        suite.register([self.device_token], "device")
        suite.register([self.start_token], "start")

    def card(self, match):
        """The newest that is there."""
        with self.guard:
            return next((card for card in reversed(self.cards) if card.match == match and not card.is_over), None)

    # What the app calls.

    def call(self, method, path, body=None, expected=range(200, 300)):
        deadline = time.monotonic() + CALLS_FOR
        while True:
            try:
                status, answer = self.account.call(method, path, body)
                if status in expected:
                    return answer or {}
                trouble = f"{status} {answer}"
            except (OSError, http.client.HTTPException, HarnessError) as error:
                trouble = repr(error)
            if time.monotonic() > deadline:
                raise HarnessError(f"{method} {path}: {trouble}")
            time.sleep(0.3)

    def register(self):
        self.contact()
        self.call("POST", "/devices/push-to-start-token", {"pushToStartToken": self.start_token, "deviceId": self.name})

    def contact(self):
        """The app runs: it lists its cards, and obeys the answer."""
        with self.guard:
            cards = {card.id: card for card in self.cards if not card.is_over}
        answer = self.call("POST", "/devices", {
            "deviceId": self.name, "platform": "ios", "deviceToken": self.device_token, "osVersion": "18.4",
            "appVersion": "1.0.0", "activities": [
                {"matchId": str(card.match), "activityId": card.id, "startId": card.start_id} for card in cards.values()]})
        for each in answer.get("end") or []:
            if card := cards.get(each):
                card.is_over = True
        for each in answer.get("tokensWanted") or []:
            if card := cards.get(each):
                self.report(card)

    def open(self):
        """By the user; what the app could not report before it reports now."""
        self.state = ONLINE
        self.contact()
        with self.guard:
            unreported = [card for card in self.cards if not card.is_over and not card.is_reported]
        for card in unreported:
            self.report(card)

    def report(self, card):
        card.is_reported = True
        self.call("POST", f"/matches/{card.match}/activity-token", {
            "activityToken": card.token, "deviceId": self.name, "activityId": card.id, "startId": card.start_id},
            expected=(200, 202, 204, 404))

    def follow(self, match):
        self.call("POST", "/user/follow/match", {"matchId": str(match.id)})

    # What reaches it.

    def receive(self, push):
        if self.state == OFF or push.verdict != SHOWN:
            return
        if push.is_silent:
            self.asked_ms.append(push.at_ms)
            if self.state == ONLINE and push.token == self.device_token:
                time.sleep(WAKES_AFTER)
                self.contact()
        elif push.event == "start":
            self.began(push)
        elif push.event == "end":
            with self.guard:
                for card in self.cards:
                    card.is_over = card.is_over or card.token == push.token

    def began(self, push):
        match = int(json.loads(push.payload)["aps"]["attributes"]["matchId"])
        card = Card(match, push.start_id or "", push.at_ms, secrets.token_hex(32), push.stamp)
        with self.guard:
            if any(other.match == match and not other.is_over for other in self.cards):
                self.second.append(card)
            self.cards.append(card)
            self.suite.receivers[card.token] = self
        self.suite.register([card.token], "update", match=match, timestamp=push.stamp)
        # An app that was force-quit is not woken by a start: its token stays with the phone.
        if self.state != FORCE_QUIT:
            time.sleep(TOKEN_AFTER)
            self.report(card)
