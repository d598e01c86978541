"""Phones of `deploy/soak attack`: what the app does with what reaches it, by the HTTP API and the simulator alone."""

import json
import secrets
import threading
import time

from attack_suite import Account
from chaos_records import SHOWN
from harness import HarnessError, now_ms

# Apps run, or can be woken; one that was force-quit gets no silent push until it is opened; one that was deleted has no
# tokens any more.
ONLINE, FORCE_QUIT, UNINSTALLED = "online", "forceQuit", "uninstalled"
# What a phone makes of an update that is not later than what its card shows.
DROPPED = "droppedOldTimestamp"
# From a silent push to the app's first call: iOS takes its time to wake an app.
WAKES_AFTER = 1.0
# From the start of an activity to its token.
TOKEN_AFTER = 0.05


class Phone:
    """One phone with the app on it, and who is signed in there."""

    def __init__(self, suite, account=None, app="ours"):
        self.suite = suite
        self.account = account
        self.state = ONLINE
        # The app's tokens as Apple gives them: `app` is the one they are for.
        self.more = {} if app == "ours" else {"bundle": app}
        self.guard = threading.Lock()
        # Update tokens by match, the newest last; and what each shows: (stamp, version).
        self.cards, self.shown = {}, {}
        # Silent pushes with a nonce, and whether the app was woken: (milliseconds, yes or no).
        self.nonces, self.starts, self.ends = [], [], []
        self.confirmed_ms = None
        self.install()

    def install(self):
        """Puts the app on the phone, anew if it was there: all names and tokens are new."""
        self.name = f"phone-{secrets.token_hex(8)}"
        self.device_token, self.start_token = secrets.token_hex(32), secrets.token_hex(32)
        self.suite.receivers |= {self.device_token: self, self.start_token: self}
        self.suite.register([self.device_token], "device", **self.more)
        self.suite.register([self.start_token], "start", **self.more)
        self.state = ONLINE

    def register_again(self, **more):
        """At a simulator that has forgotten all tokens."""
        self.more = more
        self.suite.register([self.device_token], "device", **more)
        self.suite.register([self.start_token], "start", **more)
        for match, found in list(self.cards.items()):
            self.suite.register(found, "update", match=match, **more)

    def uninstall(self):
        self.state = UNINSTALLED
        for token in (self.device_token, self.start_token, *(each for found in list(self.cards.values()) for each in found)):
            self.suite.tell_simulator("DELETE", f"/tokens/{token}")

    @property
    def tokens(self):
        return {self.device_token, self.start_token, *(each for found in list(self.cards.values()) for each in found)}

    # What the app calls.

    def contact(self):
        """The app is in front: it registers the phone. Returns what the device token waits for."""
        self.state = ONLINE
        answer = self.good("POST", "/devices", {
            "deviceId": self.name, "platform": "ios", "deviceToken": self.device_token, "osVersion": "18.4",
            "appVersion": "1.0.0"})
        self.good("POST", "/devices/push-to-start-token", {"pushToStartToken": self.start_token, "deviceId": self.name})
        return answer.get("waitsFor")

    def follow(self, match):
        self.good("POST", "/user/follow/match", {"matchId": str(match.id)})

    def unfollow(self, match):
        self.good("DELETE", "/user/follow/match", {"matchId": str(match.id)})

    def report(self, match, token, activity=None, start=None):
        """Tells the token of a card; returns the answer's status."""
        return self.account.call("POST", f"/matches/{match}/activity-token", {
            "activityToken": token, "deviceId": self.name, "activityId": activity or f"activity-{secrets.token_hex(8)}",
            **({"startId": start} if start else {})})[0]

    def good(self, method, path, body):
        status, answer = self.account.call(method, path, body)
        if not 200 <= status < 300:
            raise HarnessError(f"{method} {path}: {status} {answer}")
        return answer or {}

    # What reaches it.

    def receive(self, push):
        if push.is_silent:
            if push.token == self.device_token and push.nonce:
                self.nonces.append((push.at_ms, self.state == ONLINE))
                if self.state == ONLINE:
                    time.sleep(WAKES_AFTER)
                    self.echo(push.nonce)
            return
        if push.verdict == DROPPED:
            # Its card shows what is as new: the state that it began with.
            self.shown.setdefault(push.token, (push.stamp, push.version))
        if push.verdict != SHOWN:
            return
        if push.event == "start":
            self.began(push)
        elif push.version is not None:
            self.shown[push.token] = (push.stamp, push.version)
        if push.event == "end":
            self.ends.append(push)

    def began(self, push):
        match = int(json.loads(push.payload)["aps"]["attributes"]["matchId"])
        self.starts.append((push.at_ms, match))
        time.sleep(TOKEN_AFTER)
        token = self.new_card(match, push.stamp)
        self.report(match, token, start=push.start_id)

    def new_card(self, match, stamp=None):
        """An activity begins on the phone, and has a token."""
        token = secrets.token_hex(32)
        with self.guard:
            self.cards.setdefault(match, []).append(token)
            self.suite.receivers[token] = self
        self.suite.register([token], "update", match=match, **({"timestamp": stamp} if stamp else {}), **self.more)
        return token

    def missed(self, since_ms):
        """Whether a nonce came since then that no app heard of."""
        return any(at >= since_ms and not is_heard for at, is_heard in self.nonces)

    def echo(self, nonce):
        """In the name of the user who is signed in; whether that shows whose phone it is."""
        if self.account is None or self.state != ONLINE:
            return False
        status, _ = self.account.call("POST", "/devices/confirm", {"nonce": nonce, "deviceId": self.name})
        if status != 204:
            return False
        self.confirmed_ms = now_ms()
        self.contact()
        return True


def accounts(suite, count):
    """Keys are asked for once, and signing takes another process each."""
    suite.key_id
    return [each.result() for each in [suite.workers.submit(Account, suite) for _ in range(count)]]
