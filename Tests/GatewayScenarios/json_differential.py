#!/usr/bin/env python3
"""Whether the gateway and Python's json agree on what is JSON: bodies made by seeded damage to good ones are sent to one call, and
each must be refused as `invalid-json` exactly when Python, told to be strict, refuses it or finds something else than an object.

Ends with one line of JSON; exit status 0 only when they agreed on every body.
"""

import http.client
import json
import random

import checks
from harness import say
from scenario import LIVE_MATCH, Scenario, options

DEPTH_MAX = 16
SEEDS = [
    {"matchId": str(LIVE_MATCH)},
    {"matchId": str(LIVE_MATCH), "alerts": "key", "teamId": None, "startsLocally": False},
    {"matchId": "1", "x": [1, -0.5, 1e3, [], {}, {"a": [True, False, None]}], "é": "\u00e9\u4e16\U0001f3cf"},
]
FRAGMENTS = [
    b'"', b"\\", b"\\u", b"\\ud800", b"\\udc00", b"\\ud83c\\udfcf", b"\\u0000", b"\\x", b"\x00", b"\x1f", b"\x7f", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xfe\xff", b"{", b"}", b"[", b"]", b",", b":", b" ", b"\t", b"\n", b"\r", b"\x0b", b"\xc2\xa0",
    b"0", b"00", b"-", b"-0", b"+1", b".5", b"1.", b"1e", b"1e5", b"1E-5", b"0x1", b"NaN", b"Infinity", b"null", b"true", b"nul",
    b"//", b"/**/", b"'", b'"a":1', b'"matchId":"1"', b"[" * 15, b"[" * 17, b"]" * 17, b"9" * 400, b"1e999", b'{"a":' * 16,
]


class Refused(Exception):
    pass


def pairs(members):
    names = [name for name, _ in members]
    if len(set(names)) != len(names):
        raise Refused("a name twice")
    return dict(members)


def refuse(_):
    raise Refused("not a number")


def depth(value):
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth, value), default=0)
    return 0


def texts(value):
    if isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts(member)
    elif isinstance(value, list):
        for element in value:
            yield from texts(element)
    elif isinstance(value, str):
        yield value


def is_object(body):
    """What the gateway must take for JSON."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=pairs, parse_constant=refuse)
    except (ValueError, Refused, RecursionError):
        return False
    if not isinstance(value, dict) or depth(value) > DEPTH_MAX:
        return False
    # Half a surrogate is no character.
    return not any(0xD800 <= ord(c) < 0xE000 for text in texts(value) for c in text)


def damaged(chance):
    ascii_only = chance.random() < 0.5
    body = bytearray(json.dumps(chance.choice(SEEDS), ensure_ascii=ascii_only, indent=chance.choice([None, 1])).encode())
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        place = chance.randrange(len(body) + 1)
        match chance.randrange(6):
            case 0:
                body[place:place] = chance.choice(FRAGMENTS)
            case 1:
                del body[place : place + chance.choice([1, 1, 2, 5])]
            case 2:
                body[place : place + 1] = chance.choice(FRAGMENTS)
            case 3:
                body = body[:place]
            case 4:
                body[place:place] = body[place : place + chance.randrange(1, 20)]
            case _:
                body[place : place + 1] = bytes([chance.randrange(256)])
    return bytes(body)


def main():
    parser = options(__doc__)
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    check = checks.Check("json-differential")
    accepted = 0
    with Scenario(arguments.binaries, {"RATE_LIMIT_FACTOR": "0"}) as scenario:
        headers = {"Authorization": f"Bearer {scenario.tokens['alice']}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", scenario.port, timeout=20)
        for number in range(arguments.count):
            body = damaged(chance)
            connection.request("POST", "/user/follow/match", body, headers)
            answer = connection.getresponse()
            text = answer.read()
            refused = b"/problems/invalid-json" in text
            wanted = is_object(body)
            accepted += wanted
            check.expect(f"body {number}: {'taken' if wanted else 'refused'} as JSON", refused != wanted, (body, answer.status))
            check.expect(f"body {number}: no fault of ours", answer.status < 500, (body, answer.status))
            if number % 1_000 == 999:
                say(f"{number + 1} bodies")
        connection.close()
    check.expect("some of each", 100 < accepted < arguments.count - 100, accepted)
    return check.line(count=arguments.count, acceptedAsJSON=accepted)


if __name__ == "__main__":
    checks.run(main)
