#!/usr/bin/env python3
"""50 secrets go through the whole HTTP API, and are looked for in everything that the gateway wrote.

Five users have an id, an address in their token, two tokens, a phone, its two push tokens, an activity and its token each;
beside them are the administrators' key, a wrong one, an expired token, one of another pool, and the database's password.
They are sent where they belong and where they do not: paths, query, headers, damaged JSON, malformed HTTP, calls that are
limited, a database that is locked, killed and back, one that refuses a row and shows it in its error, and up to the
gateway's end by SIGTERM; once with a log of text and once of JSON, both at level trace.

Looked through, for any 12 characters of a secret in a row, also encoded: the log; /metrics and health; each answer, which may
hold the caller's own when it is a 2xx and none when it is a refusal; what is left in the run directory; and what PostgreSQL
logged on the gateway's account. The name of a parameter that there is not is told to who sent it, and nobody else. There
are no other outputs: the gateway exports no traces.

Ends with one line of JSON; exit status 0 only when nothing was found, and everything was sent.
"""

import base64
import contextlib
import http.client
import json
import re
import secrets
import socket
import threading
import time
import urllib.parse
import urllib.request
import uuid

import checks
from harness import say
from scenario import LATER_MATCH, LIVE_MATCH, Scenario, options
from traces import Traces

USERS = 5


class CanaryScenario(Scenario):
    """The database has a password, which it does not ask for."""

    password = "pw" + secrets.token_hex(16)

    @property
    def database_url(self):
        return super().database_url.replace("//sightscreen@", f"//sightscreen:{self.password}@")


class User:
    def __init__(self, number, pools):
        self.sub = str(uuid.uuid4())
        self.email = f"{secrets.token_hex(8)}@{secrets.token_hex(8)}.example"
        self.access = pools.made_up(self.sub)
        self.identity = pools.sign(pools.claims(self.sub, use="id", email=self.email, email_verified=True))
        self.device = f"phone-{secrets.token_hex(12)}"
        self.activity = str(uuid.uuid4()).upper()
        self.device_token, self.start_token, self.update_token = (secrets.token_hex(32) for _ in range(3))
        self.canaries = {f"{name} of user {number}": text for name, text in vars(self).items()}


class Callers:
    """Sends, and keeps what was sent and what came back."""

    def __init__(self, scenario, one_in):
        self.scenario = scenario
        self.one_in = one_in
        self.everything = {}
        self.sent = []
        self.leaks = []
        self.statuses = {}
        self.guard = threading.Lock()
        pools = scenario.pools
        self.users = [User(number, pools) for number in range(USERS)]
        for user in self.users:
            self.everything |= user.canaries
        self.expired = pools.made_up(str(uuid.uuid4()), expires_in=-600)
        self.strange = pools.sign(pools.claims(str(uuid.uuid4()), iss=pools.issuer + "x"))
        self.wrong_key = secrets.token_hex(32)
        self.everything |= {
            "API key": scenario.api_key, "wrong API key": self.wrong_key, "expired token": self.expired,
            "token of another pool": self.strange, "database password": scenario.password,
        }
        self.traces = Traces(self.everything)

    def note(self, what, status, text, own=None):
        """An answer: the caller's own may be in it when it is good, and as the name of a field that there is not."""
        with self.guard:
            self.sent.append(what)
            self.statuses[status] = self.statuses.get(status, 0) + 1
        mine = [] if own is None else own.canaries
        rest = re.sub(r'"field":"[^"]*"', "", text) if status >= 300 else ""
        leaks = [hit for hit in self.traces.within(text) if hit[0] not in mine] + list(self.traces.within(rest))
        if leaks:
            with self.guard:
                self.leaks.append(f"{leaks[0]}, in an answer with {status} to {what[:80]!r}")

    def send(self, method, path, body=None, token=None, user=None, headers=None, content="application/json"):
        fields = dict(headers or {})
        token = token or (user.access if user else None)
        if token:
            fields["Authorization"] = f"Bearer {token}"
        if body is not None:
            fields["Content-Type"] = content
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        what = f"{method} {path}\n{fields}\n{(body or b'').decode(errors='replace')}"
        connection = http.client.HTTPConnection("127.0.0.1", self.scenario.port, timeout=30)
        try:
            connection.putrequest(method, path)
            for name, value in fields.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            self.note(what, answer.status, f"{answer.headers}\n{answer.read().decode(errors='replace')}", user)
            return answer.status
        except (OSError, http.client.HTTPException):
            self.note(what, 0, "")
            return 0
        finally:
            connection.close()

    def raw(self, text):
        """Bytes as they are; the gateway answers or closes."""
        text = text if isinstance(text, bytes) else text.encode()
        answer = b""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.scenario.port), timeout=10) as line:
            line.sendall(text)
            line.shutdown(socket.SHUT_WR)
            while more := line.recv(65536):
                answer += more
        status = int(answer[9:12]) if answer[9:12].isdigit() else 0
        self.note(text.decode(errors="replace"), status, answer.decode(errors="replace"))

    # What is sent.

    def good(self, user):
        """A phone's day."""
        activity = {"matchId": str(LIVE_MATCH), "activityId": user.activity}
        self.send("POST", "/devices", {"deviceId": user.device, "platform": "ios", "deviceToken": user.device_token,
                                       "activities": [activity]}, user=user)
        self.send("POST", "/devices/push-to-start-token",
                  {"deviceId": user.device, "pushToStartToken": user.start_token}, user=user)
        self.send("POST", "/user/follow/match", {"matchId": str(LIVE_MATCH), "deviceId": user.device}, user=user)
        self.send("POST", f"/matches/{LATER_MATCH}/follow", user=user)
        self.send("POST", f"/matches/{LIVE_MATCH}/activity-token",
                  {"deviceId": user.device, "activityToken": user.update_token, "activityId": user.activity}, user=user)
        for path in ("/user/data", "/user/follows", "/matches", "/matches/live", f"/matches/{LIVE_MATCH}"):
            self.send("GET", path, user=user, token=user.identity)
        self.send("PATCH", f"/user/follow/match/{LIVE_MATCH}", {"alerts": "key"}, user=user)

    def goodbye(self, user):
        self.send("POST", f"/matches/{LIVE_MATCH}/activity-dismissed",
                  {"deviceId": user.device, "activityId": user.activity, "activityToken": user.update_token}, user=user)
        for name in (user.device, user.device_token, user.start_token):
            self.send("DELETE", f"/devices/{name}", user=user)
        self.send("DELETE", f"/user/follow/match/{LATER_MATCH}", user=user)

    def refused(self, user, other):
        """Where they do not belong."""
        mine = [user.device, user.device_token, user.start_token, user.update_token, user.activity, user.sub, user.email]
        for text in [*mine, user.identity][self.users.index(user) % self.one_in::self.one_in]:
            for path in (f"/devices/{text}x!", f"/matches/{text}", f"/user/follow/match/{text}", f"/{text}",
                         f"/matches?cursor={text}", f"/matches?{text}=1", f"/app/config?version={text}", f"/admin/{text}"):
                self.send("GET" if "?" in path else "DELETE", path, user=user)
            for body in ({"deviceId": text + "!", "platform": text}, {text: text},
                         {"deviceId": text, "platform": "ios", "deviceToken": text + "0"},
                         {"deviceId": [text]}, [text], text, {"deviceToken": {"deviceId": text}},
                         {"deviceId": user.device, "platform": "ios", "osVersion": text + "\n"},
                         {"pushToStartToken": "g" + text}, {"deviceId": "x" * 60 + text}):
                self.send("POST", "/devices", body, user=user)
                self.send("POST", "/devices/push-to-start-token", body, user=other)
            for damage in (b'{"deviceId":"%s"', b'{"deviceId":"%s\xff"}', b'\xef\xbb\xbf{"a":"%s"}', b'{"a":"%s","a":1}', b"%s",
                           b'{"a":"%s\x00"}', b'{"a":' + b"[" * 20 + b'"%s"', b'{"a":"%s"} trailing'):
                self.send("POST", f"/matches/{LIVE_MATCH}/activity-token", damage % text.encode(), user=user)
            self.send("POST", "/devices", {"a": text}, user=user, content=f"text/{text}")
            self.send("POST", "/devices", {"a": text}, user=user, headers={"Content-Encoding": text})
            self.send("GET", "/user/follows", user=user, headers={
                "If-None-Match": text, "X-Request-ID": f"{text}!", "User-Agent": text, "Referer": f"https://x/?{text}",
                "Cookie": f"a={text}", "X-Forwarded-For": text, "Traceparent": text, "X-HTTP-Method-Override": text})
            for credentials in (f"Bearer {text} {text}", f"Bearer {text}", f"Basic {base64.b64encode(text.encode()).decode()}",
                                text, f"Bearer {user.access}x", f"Bearer {user.identity[:-6]}AAAAAA"):
                self.send("GET", "/user/follows", headers={"Authorization": credentials})
        head, claims, _ = user.identity.split(".")
        none = base64.urlsafe_b64encode(b'{"alg":"none"}').decode().rstrip("=")
        for token in (self.expired, self.strange, f"{none}.{claims}.", f"{head}.{claims}", f"{claims}.{head}.{claims}"):
            self.send("GET", "/user/data", token=token)
        self.send("GET", "/admin/config", user=user)
        self.send("GET", "/admin/config", user=user, headers={"X-API-Key": self.scenario.api_key})
        self.send("GET", f"/admin/audit?before={self.scenario.api_key}", headers={"X-API-Key": self.scenario.api_key})

    def malformed(self, user):
        for text in (user.device_token, user.email, user.identity):
            for request in (
                f"GET /{text} HTTP/1.1\r\n\r\n", f"{text} / HTTP/1.1\r\nHost: a\r\n\r\n", f"GET / {text}\r\nHost: a\r\n\r\n",
                f"GET /{text * 60} HTTP/1.1\r\nHost: a\r\n\r\n", f"GET / HTTP/1.1\r\nHost: {text}/\r\n{text}\r\n\r\n",
                f"GET / HTTP/1.1\r\nHost: a\r\nX: {text}\r\n {text}\r\n\r\n", f"GET / HTTP/1.1\r\nHost: a\r\n{text} : x\r\n\r\n",
                f"GET / HTTP/1.1\r\nHost: a\r\nX: {text * 400}\r\n\r\n", f"GET http://{text}/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n" + f"X: {text}\r\n" * 70 + "\r\n",
                f"GET / HTTP/1.1\r\nHost: a\r\nX: {text}\0\r\n\r\n",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: {text}\r\n\r\n{text}",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: {text}\r\n\r\n{text}",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;{text}\r\nabcde\r\n{text}\r\n\r\n",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n{text}", f"{text}", f"{text}\r\n\r\n",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nExpect: {text}\r\nContent-Length: 9\r\n\r\n{text}",
                f"GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: {text}\r\nConnection: {text}\r\n\r\n", f"GET /{text}\r\n",
                f"POST /devices HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {text}\r\nContent-Length: 9000\r\n\r\n{text}",
            ):
                self.raw(request)

    def limited(self, user):
        for _ in range(40):
            self.send("POST", "/user/follow/match", {"matchId": str(LIVE_MATCH), "deviceId": user.device}, user=user)
        for _ in range(14):
            self.send("GET", "/admin/hold", headers={"X-API-Key": self.wrong_key})


class Round:
    """One life of the gateway."""

    def __init__(self, scenario, callers, check):
        self.scenario = scenario
        self.callers = callers
        self.check = check
        self.seen = {}

    def watch(self):
        """What the gateway says of itself."""
        for path in ("metrics", "health/live", "health/ready"):
            try:
                with urllib.request.urlopen(urllib.parse.urljoin(self.scenario.gateway.ready, f"/{path}"), timeout=10) as answer:
                    self.seen[path] = self.seen.get(path, "") + answer.read().decode()
            except urllib.error.HTTPError as error:
                self.seen[path] = self.seen.get(path, "") + error.read().decode()
        for path in ("/health", "/health/ready", "/app/config", "/nothing"):
            self.callers.send("GET", path)

    def run(self, ends_in_refusal):
        callers, users = self.callers, self.callers.users
        for user in users:
            callers.good(user)
        # First, as the limits of a minute are used up after the rest.
        self.expect_outage("locked", self.locked)
        self.expect_outage("killed", self.killed)
        for number, user in enumerate(users):
            callers.refused(user, users[number - 1])
        callers.malformed(users[0])
        callers.limited(users[1])
        self.watch()
        if ends_in_refusal:
            self.note_postgres()
            self.refuse_rows()
        for user in users:
            callers.goodbye(user)
        self.end()

    def expect_outage(self, what, outage):
        before = self.callers.statuses.get(503, 0)
        outage()
        self.check.expect(f"calls met a database that is {what}", self.callers.statuses.get(503, 0) > before)

    def locked(self):
        """The database answers too late."""
        lock = threading.Thread(target=self.scenario.sql, args=("BEGIN; LOCK TABLE devices, match_follows; SELECT pg_sleep(4);",))
        lock.start()
        time.sleep(0.5)
        self.during([self.callers.users[3], self.callers.users[4]])
        lock.join()

    def killed(self):
        """It is gone in the middle of calls, and comes back."""
        stopping = threading.Event()

        def go_on(user):
            while not stopping.is_set():
                self.callers.good(user)
                stopping.wait(0.2)

        threads = [threading.Thread(target=go_on, args=(user,)) for user in self.callers.users[2:]]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        self.scenario.postgres.kill()
        time.sleep(2)
        stopping.set()
        self.watch()
        self.scenario.start_postgres()
        for thread in threads:
            thread.join()
        checks.wait_until("the gateway is ready again", self.scenario.is_ready)

    def during(self, users):
        threads = [threading.Thread(target=self.callers.good, args=(user,)) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def refuse_rows(self):
        """PostgreSQL's errors show the row: user, phone, tokens."""
        self.scenario.sql(
            "ALTER TABLE devices ADD CONSTRAINT lab_d CHECK (os_version <> 'canary') NOT VALID;"
            "ALTER TABLE match_follows ADD CONSTRAINT lab_f CHECK (alerts <> 'none') NOT VALID;"
            "ALTER TABLE live_activities ADD CONSTRAINT lab_l CHECK (status = 'pending') NOT VALID;")
        user = self.callers.users[4]
        statuses = {
            self.once_allowed("/devices", {"deviceId": user.device, "platform": "ios", "osVersion": "canary",
                                           "deviceToken": user.device_token}, user),
            self.once_allowed("/user/follow/match", {"matchId": str(LIVE_MATCH), "alerts": "none"}, user),
            self.once_allowed(f"/matches/{LIVE_MATCH}/activity-token",
                              {"deviceId": user.device, "activityToken": user.update_token[::-1]}, user),
        }
        self.check.expect("a row that PostgreSQL refuses is a fault of ours", 500 in statuses, statuses)
        self.check.expect("PostgreSQL showed the row", user.device in self.scenario.log("postgres"))
        self.scenario.sql("ALTER TABLE devices DROP CONSTRAINT lab_d; ALTER TABLE match_follows DROP CONSTRAINT lab_f;"
                     "ALTER TABLE live_activities DROP CONSTRAINT lab_l;")

    def once_allowed(self, path, body, user):
        """The status of a call that is not over the user's limit. A minute of them may be used up by now."""
        while (status := self.callers.send("POST", path, body, user=user)) == 429:
            time.sleep(5)
        return status

    def note_postgres(self):
        self.seen["PostgreSQL's log"] = self.scenario.log("postgres")

    def end(self):
        """SIGTERM while it has work."""
        threads = [threading.Thread(target=self.callers.good, args=(user,)) for user in self.callers.users]
        for thread in threads:
            thread.start()
        status = self.scenario.gateway.stop()
        for thread in threads:
            thread.join()
        self.check.expect("the gateway ended without a crash", status == 0, status)
        for path in sorted((self.scenario.folder / "run").rglob("*")):
            if path.is_file():
                self.seen[f"run/{path.name}"] = path.read_text(errors="replace")


def unsent(callers, sent):
    """The canaries that did not go out. An id and an address are in every token of their user."""
    within = {text for user in callers.users if user.identity in sent for text in (user.sub, user.email)}
    within.add(callers.scenario.password)
    return [name for name, text in callers.everything.items() if text not in sent and text not in within]


def main():
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=2, choices=(1, 2), help="with a log of text, then also of JSON")
    parser.add_argument("--one-in", type=int, default=1, metavar="N",
                        help="only every N-th secret of a user where it does not belong")
    arguments = parser.parse_args()
    check = checks.Check("canaries")
    begun = time.monotonic()
    found, sizes = [], {}
    with CanaryScenario(arguments.binaries, {"LOG_LEVEL": "trace"}) as scenario:
        callers = Callers(scenario, arguments.one_in)
        for number in range(arguments.rounds):
            if number > 0:
                scenario.extra_settings["LOG_FORMAT"] = "json"
                scenario.start_gateway()
            one = Round(scenario, callers, check)
            one.run(ends_in_refusal=number == arguments.rounds - 1)
            for name, text in one.seen.items():
                sizes[name] = sizes.get(name, 0) + len(text)
                found += [(name, *hit) for hit in callers.traces.within(text)]
        log = scenario.log()
        sizes["log"] = len(log)
        found += [("log", *hit) for hit in callers.traces.within(log)]
        check.expect("the log was kept at its most talkative", " trace " in log.lower() or " debug " in log.lower(), log[:300])
        check.expect("faults of ours were logged", "A request failed" in log)
    sent = "\n".join(callers.sent)
    missing = unsent(callers, sent)
    plain = {name: text for name, text in callers.everything.items() if text in sent}
    first = {(place, name): around for place, name, around in reversed(found)}
    for (place, name), around in list(first.items())[:10]:
        say(f"{place}: {name}: {around!r}")
    check.expect("50 canaries", len(callers.everything) == 50, len(callers.everything))
    check.expect("all of them were sent", not missing, missing)
    check.expect("the search finds them in what was sent",
                 {name for name, _ in Traces(plain).within(sent)} == set(plain))
    check.expect("nothing that the gateway wrote has one", not found, len(first))
    check.expect("no answer has another's, and no refusal any", not callers.leaks, callers.leaks[:10])
    for status in (200, 400, 401, 403, 404, 405, 413, 414, 415, 429, 503):
        check.expect(f"there were answers with {status}", status in callers.statuses, sorted(callers.statuses))
    return check.line(
        canaries=len(callers.everything), requests=len(callers.sent),
        statuses={str(status): callers.statuses[status] for status in sorted(callers.statuses)},
        searchedBytes=sizes, hits=len(found) + len(callers.leaks), seconds=round(time.monotonic() - begun),
    )


checks.run(main)
