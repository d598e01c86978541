#!/usr/bin/env python3
"""No acknowledged write is lost when PostgreSQL is killed under load.

Clients follow, unfollow, register phones and tokens, rotate and dismiss, as many users one after the other, while the
postmaster gets SIGKILL at random moments and is started again. Each keeps a ledger, which is compared with the database
at the end. Ends with one line of JSON; its status is 0 when nothing was lost and no answer was wrong.
"""

import collections
import http.client
import json
import random
import secrets
import threading
import time
import uuid

import checks
from harness import say
from scenario import LATER_MATCH, LIVE_MATCH, Scenario, options
from ledger import MatchLedger, MatchState, ValueLedger, change_alerts, dismiss, follow, register, unfollow

ALLOWED = {200, 201, 204, 404, 409, 429, 503}
# Seconds that a whole request may take.
ANSWER_MAX = 15
ALERTS = ["all", "key", "none"]


class User:
    """Somebody with one phone, who is there for a few dozen calls."""

    def __init__(self, pools):
        self.sub = str(uuid.uuid4())
        self.bearer = pools.made_up(self.sub)
        self.device = f"phone-{secrets.token_hex(8)}"
        self.matches = {match: MatchLedger() for match in (LIVE_MATCH, LATER_MATCH)}
        self.version = ValueLedger()
        self.start_token = ValueLedger()


class Client(threading.Thread):
    """One connection, one call after the other."""

    def __init__(self, scenario, seed):
        super().__init__(daemon=True)
        self.scenario = scenario
        self.random = random.Random(seed)
        self.statuses = collections.Counter()
        self.acknowledged = 0
        self.without_retry_after = 0
        self.slowest = 0.0
        self.odd = []
        self.users = []
        self.stopping = threading.Event()
        self.connection = None

    def run(self):
        while not self.stopping.is_set():
            user = User(self.scenario.pools)
            self.users.append(user)
            self.call_register(user)
            self.call_start_token(user)
            for _ in range(self.random.randint(2, 30)):
                if self.stopping.is_set():
                    return
                self.random.choices(
                    [
                        self.call_follow, self.call_token, self.call_unfollow, self.call_dismiss, self.call_alerts,
                        self.call_start_token, self.call_register,
                    ],
                    [6, 8, 2, 1, 2, 2, 2],
                )[0](user)

    # The calls, each noted in the user's ledger.

    def call_register(self, user):
        version = secrets.token_hex(6)
        body = {"deviceId": user.device, "platform": "ios", "appVersion": version}
        user.version.note(version, self.send(user, "POST", "/devices", body) is not None)

    def call_start_token(self, user):
        token = secrets.token_hex(32)
        body = {"deviceId": user.device, "pushToStartToken": token}
        user.start_token.note(token, self.send(user, "POST", "/devices/push-to-start-token", body) is not None)

    def call_follow(self, user):
        match, alerts = self.random.choice([LIVE_MATCH, LIVE_MATCH, LATER_MATCH]), self.random.choice(ALERTS)
        if self.random.random() < 0.5:
            answer = self.send(user, "POST", "/user/follow/match", {"matchId": str(match), "alerts": alerts})
        else:
            answer = self.send(user, "POST", f"/matches/{match}/follow", {"alerts": alerts})
        user.matches[match].note(follow(alerts), answer)

    def call_alerts(self, user):
        match, alerts = self.random.choice([LIVE_MATCH, LATER_MATCH]), self.random.choice(ALERTS)
        answer = self.send(user, "PATCH", f"/user/follow/match/{match}", {"alerts": alerts}, means={404: False})
        user.matches[match].note(change_alerts(alerts), answer)

    def call_unfollow(self, user):
        match = self.random.choice([LIVE_MATCH, LATER_MATCH])
        if self.random.random() < 0.5:
            answer = self.send(user, "DELETE", f"/user/follow/match/{match}")
        else:
            answer = self.send(user, "POST", f"/matches/{match}/unfollow")
        user.matches[match].note(unfollow, answer)

    def call_token(self, user):
        token = secrets.token_hex(32)
        body = {"deviceId": user.device, "activityToken": token}
        # A token of a match that is not followed is refused, and nothing changes for the user.
        answer = self.send(user, "POST", f"/matches/{LIVE_MATCH}/activity-token", body, means={404: False})
        user.matches[LIVE_MATCH].note(register(token), answer)

    def call_dismiss(self, user):
        answer = self.send(user, "POST", f"/matches/{LIVE_MATCH}/activity-dismissed", {"deviceId": user.device})
        user.matches[LIVE_MATCH].note(dismiss, answer)

    def send(self, user, method, path, body=None, means=None):
        """The answer's JSON when it is good, or what its status `means`; None: nobody knows what happened."""
        headers = {"Authorization": f"Bearer {user.bearer}"}
        if body is not None:
            body = json.dumps(body)
            headers["Content-Type"] = "application/json"
        begun = time.monotonic()
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.scenario.port, timeout=30)
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            self.connection = None
            self.odd.append(f"{method} {path}: {error!r}")
            self.statuses["none"] += 1
            return None
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.statuses[answer.status] += 1
        if answer.status not in ALLOWED:
            self.odd.append(f"{method} {path}: {answer.status} {content[:200]!r}")
        if 200 <= answer.status < 300:
            self.acknowledged += 1
            return json.loads(content) if content else {}
        if answer.status == 503:
            seconds = answer.getheader("Retry-After", "")
            self.without_retry_after += not (seconds.isdigit() and int(seconds) > 0)
        if answer.status in (429, 503):
            # Sooner than it was asked to: there is to be load while the database comes back.
            time.sleep(self.random.uniform(0.02, 0.2))
        return (means or {}).get(answer.status)


def total(clients, name):
    return sum(getattr(client, name) for client in clients)


def kill_and_start(scenario, clients, dice):
    """One kill; then the clients must get on again. Returns how long PostgreSQL was away, and the gateway after it."""
    time.sleep(dice.uniform(0.1, 2.0))
    scenario.postgres.kill()
    killed_at = time.monotonic()
    # What was under way when it died is acknowledged within moments, or not at all.
    time.sleep(dice.choice([0.1, 0.1, 0.3, 1.0]))
    before = total(clients, "acknowledged")
    scenario.start_postgres()
    answers_at = time.monotonic()
    # Some kills come while the gateway is still finding its way back.
    wanted = dice.choice([1, 1, 50, 100])
    first_after = None
    while (gained := total(clients, "acknowledged") - before) < wanted:
        if gained and first_after is None:
            first_after = time.monotonic()
        if time.monotonic() - killed_at > 30:
            raise NotBack(f"30 s after a kill {gained} writes were acknowledged")
        time.sleep(0.02)
    return answers_at - killed_at, max((first_after or time.monotonic()) - answers_at, 0)


class NotBack(Exception):
    """PostgreSQL is there again and the gateway is not."""


def compare(scenario, users):
    """The keys whose state in the database the acknowledged writes rule out."""
    rows = scenario.sql("SELECT user_id, match_id, alerts FROM match_follows")
    follows = {(user, int(match)): alerts for user, match, alerts in rows}
    rows = scenario.sql("SELECT user_id, match_id, update_token FROM live_activities WHERE status = 'active'")
    tokens = {(user, int(match)): token for user, match, token in rows}
    rows = scenario.sql("SELECT user_id, device_id, app_version, push_to_start_token FROM devices")
    devices = {(user, device): (version or None, token or None) for user, device, version, token in rows}
    lost, keys = [], 0
    for user in users:
        for match, ledger in user.matches.items():
            state = MatchState(follows.get((user.sub, match)), tokens.get((user.sub, match)))
            keys += 1
            if ledger.contradiction:
                lost.append(f"{user.sub} {match}: {ledger.contradiction}")
            elif state not in ledger.possible:
                lost.append(f"{user.sub} {match}: {state} is none of {ledger.possible}")
        stored = devices.get((user.sub, user.device), (None, None))
        for name, value, ledger in (("version", stored[0], user.version), ("start token", stored[1], user.start_token)):
            keys += 1
            if value not in ledger.possible:
                lost.append(f"{user.sub} {name}: {value} is none of {ledger.possible}")
    return lost, keys


def main():
    parser = options(__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments = parser.parse_args()
    check = checks.Check("postgres-kill")
    dice = random.Random(arguments.seed)
    begun = time.monotonic()
    with Scenario(arguments.binaries) as scenario:
        clients = [Client(scenario, arguments.seed * 1000 + number) for number in range(arguments.clients)]
        for client in clients:
            client.start()
        outages, kills = [], 0
        try:
            for kills in range(1, arguments.kills + 1):
                outages.append(kill_and_start(scenario, clients, dice))
                if kills % 5 == 0:
                    say(f"{kills} kills, {total(clients, 'acknowledged')} writes acknowledged")
            time.sleep(1)
        except NotBack as error:
            check.expect(str(error), False)
        for client in clients:
            client.stopping.set()
        for client in clients:
            client.join(60)
        users = [user for client in clients for user in client.users]
        lost, keys = compare(scenario, users)
        statuses = sum((client.statuses for client in clients), collections.Counter())
        odd = [text for client in clients for text in client.odd]
        for text in (lost + odd)[:20]:
            say(text)
        check.expect("every client ended", not any(client.is_alive() for client in clients))
        check.expect("the gateway lived through it", scenario.gateway.is_running)
        check.expect("as many kills as were asked for", kills == arguments.kills, kills)
        check.expect("nothing acknowledged is lost", not lost, len(lost))
        check.expect("no other answer than those that are allowed", not odd, len(odd))
        check.expect("every 503 says when to try again", total(clients, "without_retry_after") == 0)
        check.expect("writes were acknowledged", total(clients, "acknowledged") > 10 * arguments.kills)
        check.expect("the kills were noticed", statuses[503] > 0)
        slowest = max(client.slowest for client in clients)
        check.expect("nobody waits longer than a request may take", slowest < ANSWER_MAX, slowest)
    return check.line(
        kills=kills, clients=len(clients), users=len(users), keys=keys, acknowledged=total(clients, "acknowledged"),
        lost=len(lost), statuses={str(status): statuses[status] for status in sorted(statuses, key=str)},
        postgresAwayMsMax=round(1000 * max((away for away, _ in outages), default=0)),
        gatewayBackMsMax=round(1000 * max((back for _, back in outages), default=0)),
        slowestAnswerMs=round(1000 * slowest),
        seed=arguments.seed, seconds=round(time.monotonic() - begun),
    )


checks.run(main)
