#!/usr/bin/env python3
"""Nobody learns by the clock what is there.

For each call that answers in the same way for what is somebody else's and for what does not exist, one user asks for
objects of both kinds in random order over one connection, beside 20,000 other users' rows. The times of the two kinds are
compared by their ranks (`distributions.py`); the answers have to be the same to the byte.

That a difference would be found is shown for each call by adding one to half of its own times (`detectsUs`), and by a call
that does differ: taking off a phone of one's own, which writes, beside one that is not there.

Ends with one line of JSON; exit status 0 only when no call tells anything, and in each a millisecond would have been found (with
10,000 samples; with fewer, more).
"""

import dataclasses
import gc
import json
import math
import random
import re
import socket
import time

import checks
import user_pools
from harness import HarnessError, say
from distributions import bound, detects, differ, halves, median, superiority
from scenario import LIVE_MATCH, Scenario, options

CROWD = 20_000
# Objects of each kind; they are asked for again and again, as by somebody who guesses.
OBJECTS = 64
FIRST_MATCH = 2_000_000
# The addition that must be found in every call's times, in seconds, with as many samples; with fewer it may be larger.
FOUND_AT_LEAST, FOUND_WITH = 0.001, 10_000


class Crowd:
    """20,000 users with a phone each, who follow one match in 64 of a round of 128 and have an activity there."""

    def __init__(self, scenario):
        self.scenario = scenario

    def settle(self):
        matches = f"{FIRST_MATCH} + n % {OBJECTS}"
        token = "md5('{0}' || n) || md5('{0}+' || n)".format
        self.scenario.sql(
            f"""
            INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code)
            SELECT {FIRST_MATCH} + n, 10, 'Round', 'twenty20', 'NS', now() + interval '3 days', 1, 'Mumbai', 'MI', 2,
                'Chennai', 'CSK'
            FROM generate_series(0, {2 * OBJECTS - 1}) n;
            INSERT INTO devices (user_id, device_id, route, shard, device_token, device_token_at, push_to_start_token,
                push_to_start_token_at)
            SELECT md5('user' || n)::uuid::text, md5('phone' || n), n, n % 64, {token("device")}, now(),
                {token("start")}, now()
            FROM generate_series(1, {CROWD}) n;
            INSERT INTO match_follows (user_id, match_id)
            SELECT md5('user' || n)::uuid::text, {matches} FROM generate_series(1, {CROWD}) n;
            INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, activity_id,
                update_token, token_at, activated_at)
            SELECT {LIVE_MATCH}, md5('user' || n)::uuid::text, md5('phone' || n), 1, n, n % 64, 'active',
                md5('activity' || n), {token("update")}, now(), now()
            FROM generate_series(1, {CROWD}) n;
            VACUUM ANALYZE;
            """
        )

    def some(self, column, table="devices"):
        rows = self.scenario.sql(f"SELECT {column} FROM {table} ORDER BY md5({column} || 'some') LIMIT {OBJECTS}")
        return [text for text, in rows]


@dataclasses.dataclass
class Call:
    """One call, with what it is asked for: two kinds of objects that it must not tell apart."""

    name: str
    method: str
    kinds: list
    path: str = "{}"
    body: dict | None = None
    header: str = "Authorization: Bearer {}"
    credentials: str | None = None

    def requests(self, kind):
        """The bytes of each request. One that has `credentials` carries the object elsewhere."""
        for thing in self.kinds[kind]:
            body = b"" if self.body is None else json.dumps(
                {name: value.format(thing) for name, value in self.body.items()}).encode()
            yield "\r\n".join([
                f"{self.method} {self.path.format(thing)} HTTP/1.1", "Host: gateway", self.header.format(self.credentials or thing),
                # Or the answers would have one each.
                "X-Request-ID: timing", *(["Content-Type: application/json"] if body else []),
                f"Content-Length: {len(body)}", "", ""]).encode() + body


class Line:
    """One kept connection, and a clock."""

    def __init__(self, port):
        self.port = port
        self.socket = None

    def ask(self, request):
        """The seconds until the whole answer was there, and the answer."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        begun = time.perf_counter()
        self.socket.sendall(request)
        answer = self.socket.recv(65536)
        while (end := answer.find(b"\r\n\r\n")) < 0 or len(answer) < end + 4 + length(answer[:end]):
            more = self.socket.recv(65536)
            if not more:
                raise HarnessError(f"the connection was closed: {answer[:200]!r}")
            answer += more
        seconds = time.perf_counter() - begun
        if b"\r\nconnection: close" in answer.lower():
            self.socket.close()
            self.socket = None
        return seconds, answer


def length(head):
    found = re.search(rb"\r\ncontent-length: *(\d+)", head.lower())
    return int(found[1]) if found else 0


def calls(scenario, crowd, dice):
    """Each names what is somebody else's first, then what is nobody's."""

    def fresh(digits):
        return ["".join(dice.choices("0123456789abcdef", k=digits)) for _ in range(OBJECTS)]

    bob = scenario.tokens["bob"]
    answer = scenario.request("POST", "/devices", {"deviceId": "phone-bob", "platform": "ios"}, token=bob)
    if answer.status != 200:
        raise HarnessError(f"no phone could be registered: {answer}")
    followed = [str(FIRST_MATCH + number) for number in range(OBJECTS)]
    followed_by_nobody = [str(FIRST_MATCH + OBJECTS + number) for number in range(OBJECTS)]
    unknown = [str(FIRST_MATCH + 1000 + number) for number in range(OBJECTS)]
    phones = crowd.some("device_id")
    key = user_pools.new_key(scenario.pools.key_id)

    def forged(subs):
        """As tokens of these users, signed by somebody else."""
        return [scenario.pools.sign(scenario.pools.claims(sub), key=key) for sub in subs]

    def uuids():
        return [f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}" for text in fresh(32)]

    device = {"path": "/devices/{}", "credentials": bob}
    follow = {"path": "/user/follow/match/{}", "credentials": bob}
    dismissal = {"path": f"/matches/{LIVE_MATCH}/activity-dismissed", "credentials": bob}
    return [
        Call("a phone, by its id", "DELETE", [phones, fresh(32)], **device),
        Call("a phone, by its device token", "DELETE", [crowd.some("device_token"), fresh(64)], **device),
        Call("a phone, by its start token", "DELETE", [crowd.some("push_to_start_token"), fresh(64)], **device),
        Call("a follow, to change it", "PATCH", [followed, followed_by_nobody], body={"alerts": "key"}, **follow),
        Call("a match, to change its follow", "PATCH", [followed_by_nobody, unknown], body={"alerts": "key"}, **follow),
        Call("a follow, to end it", "DELETE", [followed, followed_by_nobody], **follow),
        Call("an activity, by its token", "POST", [crowd.some("update_token", "live_activities"), fresh(64)],
             body={"deviceId": "phone-bob", "activityToken": "{}"}, **dismissal),
        Call("an activity, by its id", "POST", [crowd.some("activity_id", "live_activities"), fresh(32)],
             body={"deviceId": "phone-bob", "activityId": "{}"}, **dismissal),
        Call("an activity, by its phone", "POST", [phones, fresh(32)], body={"deviceId": "{}"}, **dismissal),
        Call("a user, by a forged token", "GET", [forged(crowd.some("user_id")), forged(uuids())], "/user/follows"),
        # All but its end is right, or nothing of it.
        Call("the administrators' key, by its beginning", "GET",
             [[scenario.api_key[:-4] + text for text in fresh(4)], fresh(len(scenario.api_key))], "/admin/hold",
             header="X-API-Key: {}"),
    ]


def shape(answer):
    """The answer without its date; the order of the fields is chance."""
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *fields = head.split(b"\r\n")
    return first, tuple(sorted(field for field in fields if not field.lower().startswith(b"date:"))), body


def measure(line, call, samples, dice):
    """The durations by kind, and the answers."""
    requests = [list(call.requests(kind)) for kind in (0, 1)]
    order = [number % 2 for number in range(samples)]
    dice.shuffle(order)
    durations, answers = ([], []), set()
    for _ in range(min(samples // 10, 200)):
        line.ask(dice.choice(dice.choice(requests)))
    gc.disable()
    try:
        for kind in order:
            seconds, answer = line.ask(dice.choice(requests[kind]))
            durations[kind].append(seconds)
            answers.add(shape(answer))
    finally:
        gc.enable()
    return durations, answers


def main():
    parser = options(__doc__)
    parser.add_argument("--samples", type=int, default=10_000, help="for each call")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    arguments = parser.parse_args()
    check = checks.Check("timing")
    dice = random.Random(arguments.seed)
    figures, begun = [], time.monotonic()
    with Scenario(arguments.binaries, {"RATE_LIMIT_FACTOR": "0"}) as scenario:
        crowd = Crowd(scenario)
        crowd.settle()
        line = Line(scenario.port)
        enough = FOUND_AT_LEAST * max(1, math.sqrt(FOUND_WITH / arguments.samples))
        for call in calls(scenario, crowd, dice):
            (theirs, nobodys), answers = measure(line, call, arguments.samples, dice)
            found = detects(theirs + nobodys, dice)
            further = superiority(theirs, nobodys) - 0.5
            check.expect(f"{call.name}: one answer", len(answers) == 1, answers)
            check.expect(f"{call.name}: no difference", not differ(theirs, nobodys),
                         f"{further:+.3f}, {bound(theirs, nobodys):.3f} allowed")
            check.expect(f"{call.name}: no difference within one kind", not differ(*halves(nobodys, dice)))
            check.expect(f"{call.name}: {1e3 * enough:.1f} ms would be found", found is not None and found <= enough, found)
            apart = 1e6 * (median(theirs) - median(nobodys))
            status = next(iter(answers))[0].split(b" ")[1].decode()
            say(f"{call.name}: {status}, median {1e3 * median(nobodys):.2f} ms, theirs {apart:+.0f} µs, "
                f"superiority {further:+.3f}, would find {'nothing' if found is None else f'{1e6 * found:.0f} µs'}")
            figures.append((abs(further), abs(apart), found or float("inf")))
        # One's own phone: its row is written, though the answer is the same.
        own = Call("control", "DELETE", [["phone-bob"], ["phone-none"]], "/devices/{}", credentials=scenario.tokens["bob"])
        (written, unwritten), _ = measure(line, own, min(arguments.samples, 1000), dice)
        check.expect("a call that does differ is found", differ(written, unwritten), superiority(written, unwritten))
        check.expect("the gateway lives", scenario.gateway.is_running)
    return check.line(
        calls=len(figures), samples=arguments.samples, superiorityMax=round(max(f for f, _, _ in figures), 4),
        superiorityAllowed=round(bound(theirs, nobodys), 4), medianApartUsMax=round(max(m for _, m, _ in figures), 1),
        detectsUs=round(1e6 * max(d for _, _, d in figures)) if all(d < 1 for _, _, d in figures) else None,
        controlApartUs=round(1e6 * (median(written) - median(unwritten))), seed=arguments.seed,
        seconds=round(time.monotonic() - begun),
    )


checks.run(main)
