#!/usr/bin/env python3
"""Writes Tests/Fixtures/apns/requests.ndjson: right and wrong requests to APNs, each with the answer that Apple's documentation, and
where it is silent what was seen in the field, lets expect.

The tables below are the rules, written from those pages and not from the simulator. A table lists mistakes in the order in which they are
looked for: of two mistakes in one request the one that stands first is answered. Where no page tells the order it is the simulator's,
deploy/docs/apns-simulator.md. `--check` fails when the file is not what this would write.

A line has the request (`port`, `environment`, `method`, `path`, `headers`, `twice`: a header that is sent twice, `body`, `bytes`: the
length to which spaces fill the body), the `world` in which it is made, and the expected `status`, `reason`, `timestamp`, `answer` (headers;
null: must be absent, <uuid>, <lower-case uuid>, <channel id>: of that form), `json` (the body) and `lists` (channels in it). What stands in
<angle brackets> is filled in when the request is made: a token, a channel, a time, a bearer."""

import itertools
import json
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().parents[1] / "Fixtures/apns/requests.ndjson"
APP = "dev.sightscreen.app"
ACTIVITIES = f"{APP}.push-type.liveactivity"
ID = "0d5a1f3c-2b64-4f6e-9c1d-0123456789ab"
ENVIRONMENTS = ["production", "sandbox"]
GONE = object()  # The header is left out.
HOUR = 3600


class Mistake:
    """One thing wrong. `parts`: what of the request it changes; two mistakes go together when they change different parts."""

    def __init__(self, parts, status, reason, *, path=None, method=None, headers=None, twice=None, body=None, bytes=None, policy=False,
                 timestamp=None, pair=False):
        self.parts, self.status, self.reason, self.path, self.method = set(parts.split()), status, reason, path, method
        self.headers, self.twice, self.body, self.bytes = headers or {}, twice, body, bytes
        # Wrong only because of the policy of a channel that exists.
        self.policy = policy
        self.timestamp = timestamp
        # Whether it is also tried beside another mistake.
        self.pair = pair
        self.rank = 0

    def spoils(self, request):
        if self.path is not None:
            request["path"] = self.path
        if self.method is not None:
            request["method"] = self.method
        for name, value in self.headers.items():
            if value is GONE:
                request["headers"].pop(name, None)
            else:
                request["headers"][name] = value
        if self.twice is not None:
            request["twice"] = self.twice
        if self.body is not None:
            request["body"] = self.body
            request.pop("bytes", None)
        if self.bytes is not None:
            request["bytes"] = self.bytes


def header(name, status, reason, *values, part=None, policy=False, pairs=1):
    """A header with each of these values; the first `pairs` of them are also tried beside other mistakes."""
    return [Mistake(part or name, status, reason, headers={name: value}, policy=policy, pair=index < pairs)
            for index, value in enumerate(values)]


def table(*stages):
    """Each stage is looked for after those before it."""
    mistakes = []
    for rank, stage in enumerate(stages):
        for mistake in stage:
            mistake.rank = rank
            mistakes.append(mistake)
    return mistakes


def methods(*names):
    return [Mistake("method", 405, "MethodNotAllowed", method=name, pair=index == 0) for index, name in enumerate(names)]


def senders():
    """Who may send: a provider token of the team's key, not older than an hour, dated by a clock that is not ahead."""
    return [
        header("authorization", 403, "MissingProviderToken", GONE, ""),
        header("authorization", 403, "InvalidProviderToken", "<bearer of another key>", "<bearer of another team>",
               "<bearer with another key id>", "<bearer of tomorrow>", "bearer nonsense", "bearer a.b.c", "basic YTpi", "bearer")
        + header("authorization", 403, "ExpiredProviderToken", "<bearer of two hours ago>"),
        header("authorization", 429, "TooManyProviderTokenUpdates", "<second bearer>"),
    ]


def twice(*names):
    return [Mistake(name + "-twice", 400, "DuplicateHeaders", twice=name, pair=index == 0) for index, name in enumerate(names)]


def update(timestamp="<now>", event="update"):
    return '{"aps":{"timestamp":%s,"event":"%s","content-state":{}}}' % (timestamp, event)


# --- A push to one device -------------------------------------------------------------------------------------------------------------

NOT_PUSHES = ["{}", "[]", "not json", '{"aps":1}', '{"aps":[]}', '{"aps":{}', '{"APS":{}}', '"aps"', " "]


def device_table(other_kind, types, topics, priorities):
    return table(
        [Mistake("path", 404, "BadPath", path=path, pair=index == 0) for index, path in enumerate(
            ["/3/devices/<token update>", "/", "/2/device/<token update>", "/3/device/<token update>/x", "/3", "/nothing"])],
        methods("GET", "PUT", "DELETE", "PATCH"),
        [Mistake("path", 400, "MissingDeviceToken", path=path, pair=index == 0)
         for index, path in enumerate(["/3/device/", "/3/device"])],
        *senders(),
        twice("apns-priority", "apns-topic", "apns-push-type", "apns-expiration", "apns-id", "authorization"),
        header("apns-id", 400, "BadMessageId", "7", ID.replace("-", ""), ID + "0", ID.replace("a", "g"), "", ID[:-1]),
        header("apns-push-type", 400, "InvalidPushType", GONE, "push-to-start", "", "LiveActivity", "silent", pairs=2),
        header("apns-topic", 400, "MissingTopic", GONE, "") + header("apns-topic", 400, "BadTopic", *topics)
        + header("apns-topic", 400, "TopicDisallowed", "com.other.app", "com.other.app.push-type.liveactivity", APP + "x")
        # A type that does not go with the topic.
        + [Mistake("apns-push-type apns-topic", 400, "BadTopic", headers={"apns-push-type": each}) for each in types],
        header("apns-priority", 400, "BadPriority", *priorities, "7", "0", "11", "high", "", "5.0", "-5", "+5", "100"),
        header("apns-expiration", 400, "BadExpirationDate", "-1", "soon", "1.5", "", "0x10", "99999999999999999999"),
        header("apns-collapse-id", 400, "BadCollapseId", "c" * 65, "é" * 33, "c" * 1000),
        [Mistake("body", 400, "PayloadEmpty", body="", pair=True)],
        [Mistake("body", 413, "PayloadTooLarge", bytes=count, pair=count == 4097) for count in (4097, 5120, 5121, 60_000, 100_000)],
        [Mistake("body", 400, "PayloadEmpty", body=body, pair=index == 0) for index, body in enumerate(NOT_PUSHES)],
        [Mistake("path", 400, "BadDeviceToken", path=f"/3/device/{token}", pair=index < 2) for index, token in enumerate(
            ["<unknown token>", "<token elsewhere>", "xyz", "a", "<token update>zz"])],
        [Mistake("path", 400, "DeviceTokenNotForTopic", path=f"/3/device/{token}", pair=index == 0) for index, token in enumerate(
            [other_kind, "<update of another app>", "<start of another app>", "<device of another app>"])],
        [Mistake("path", 410, "Unregistered", path="/3/device/<deleted token>", timestamp=1700000000123, pair=True)]
        if other_kind == "<token device>" else [],
    )


def device(kind):
    activity = kind in ("update", "start")
    headers = {
        "authorization": "<bearer>", "apns-topic": ACTIVITIES if activity else APP,
        "apns-push-type": "liveactivity" if activity else kind, "apns-priority": "5", "apns-expiration": "<now+900>", "apns-id": ID,
    }
    body = {
        "update": update(), "start": update(event="start"), "background": '{"aps":{"content-available":1}}',
        "alert": '{"aps":{"alert":{"title":"t","body":"b"}}}',
    }[kind]
    token = f"<token {kind}>" if activity else "<token device>"
    return {"port": "push", "method": "POST", "path": f"/3/device/{token}", "headers": headers, "body": body}


def device_mistakes(kind):
    activity = kind in ("update", "start")
    return device_table(
        "<token device>" if activity else "<token update>", ["background", "alert"] if activity else ["liveactivity"],
        [APP if activity else ACTIVITIES, "two words", "dev/sightscreen", "ü"],
        ["10", GONE] if kind == "background" else [])


def device_variants(kind):
    """Requests that are right, each with one thing changed."""
    fit = ["1", "5"] if kind == "background" else ["1", "5", "10", GONE]
    yield from ({"apns-priority": value} for value in fit)
    yield from ({"apns-expiration": value} for value in (GONE, "0", "1", "<now+900>", "<now+86400>"))
    yield from ({"apns-collapse-id": value} for value in ("c", "c" * 64, "é" * 32))
    yield from ({"apns-id": value} for value in (GONE, ID.upper()))
    # What a broadcast needs does not matter here.
    yield {"apns-channel-id": "nonsense"}
    yield {"x-other": "1"}


def device_bodies(kind):
    yield {"bytes": 4096}
    yield {"bytes": 4095}
    # APNs does not read what the phone gets.
    yield {"body": '{"aps":{}}'}
    yield {"body": '{"aps":{"event":"begin"},"more":[1,2]}'}
    if kind == "update":
        yield {"body": update("<now-100000>")}
        yield {"body": update("<now+100000>")}
        yield {"body": update(event="end")}
    if kind == "start":
        for input in ('"input-push-token":1', '"input-push-channel":"<channel 0>"', '"input-push-channel":"<channel 1>"',
                      '"input-push-channel":"<unknown channel>"', '"input-push-channel":7', '"input-push-channel":""',
                      '"input-push-channel":"<deleted channel>"', '"input-push-channel":"<channel elsewhere>"',
                      '"input-push-token":1,"input-push-channel":"<channel 0>"'):
            yield {"body": '{"aps":{"timestamp":<now>,"event":"start","content-state":{},%s}}' % input}


# --- A publish ------------------------------------------------------------------------------------------------------------------------

def publish(policy):
    headers = {
        "authorization": "<bearer>", "apns-channel-id": f"<channel {policy}>", "apns-push-type": "liveactivity",
        "apns-expiration": "0" if policy == 0 else "<now+900>", "apns-priority": "5", "apns-request-id": ID,
    }
    return {"port": "push", "method": "POST", "path": f"/4/broadcasts/apps/{APP}", "headers": headers, "body": update()}


def publish_mistakes(policy, world="usual"):
    too_far = ["<now+900>", "<now-900>", "1"] if policy == 0 else [f"<now+{8 * HOUR + 60}>", f"<now+{24 * HOUR}>", "99999999999"]
    return table(
        [Mistake("path", 404, "BadPath", path=path, pair=index == 0) for index, path in enumerate([
            "/4/broadcasts", "/4/broadcasts/apps", "/4/broadcasts/apps/", f"/4/broadcasts/apps/{APP}/x", f"/4/broadcasts/{APP}",
            f"/4/broadcast/apps/{APP}", f"/3/broadcasts/apps/{APP}", "/4/broadcasts/apps/two%20words", f"/1/apps/{APP}/channels"])],
        methods("GET", "PUT", "DELETE"),
        *senders(),
        [Mistake("path", 400, "TopicDisallowed", path=path, pair=index == 0) for index, path in enumerate(
            ["/4/broadcasts/apps/com.other.app", f"/4/broadcasts/apps/{ACTIVITIES}"])],
        WORLDS[world],
        twice("apns-priority", "apns-channel-id", "apns-push-type", "apns-expiration", "apns-request-id", "authorization"),
        header("apns-request-id", 400, "BadMessageId", "7", ID.upper(), ID.replace("-", ""), ID + "0", ""),
        header("apns-channel-id", 400, "MissingChannelId", GONE, ""),
        header("apns-push-type", 400, "MissingPushType", GONE, ""),
        header("apns-push-type", 400, "InvalidPushType", "background", "LiveActivity", "alert", "broadcast"),
        header("apns-expiration", 400, "BadExpirationDate", GONE, "", "-1", "soon", "1.5")
        + header("apns-expiration", 400, "BadExpirationDate", *too_far, policy=True),
        header("apns-priority", 400, "BadPriority", "7", "0", "11", "high", "", "5.0", "-5"),
        header("apns-channel-id", 400, "BadChannelId", "<unknown channel>", "no base64!", "abc", "====", "<channel elsewhere>", pairs=2)
        + header("apns-channel-id", 400, "ChannelNotRegistered", "<deleted channel>"),
        [Mistake("body", 400, "PayloadEmpty", body="", pair=True)],
        [Mistake("body", 413, "PayloadTooLarge", bytes=count, pair=count == 5121) for count in (5121, 60_000, 100_000)],
        [Mistake("body", 400, "BadRequestPayload", body=body, pair=index == 0) for index, body in enumerate(
            [update(event="start"), *NOT_PUSHES, '{"aps":{}}', update(event="begin"), '{"aps":{"event":1,"timestamp":<now>}}'])],
        [Mistake("", 429, "TooManyRequests")] if world == "spent" else [],
    )


def publish_variants(policy):
    yield from ({"apns-priority": value} for value in ("1", "5", "10", GONE))
    yield from ({"apns-request-id": value} for value in (GONE, "ffffffff-ffff-4fff-bfff-ffffffffffff"))
    if policy == 1:
        yield from ({"apns-expiration": value} for value in ("0", "1", "<now-900>", f"<now+{8 * HOUR}>"))
    # Of a push to a device; nothing of it is looked at.
    yield from ({"apns-topic": value} for value in (ACTIVITIES, APP, "com.other.app", ""))
    yield {"apns-collapse-id": "c" * 100}
    yield {"apns-id": "7"}


def publish_bodies():
    yield from ({"bytes": count} for count in (4096, 4097, 5119, 5120))
    # Dropped in silence, or not: the answer is the same.
    for time in ("<now>", "<now-100000>", "<now+100000>", "<now+28000>"):
        yield {"body": update(time)}
        yield {"body": update(time, "end")}
    yield {"body": '{"aps":{"event":"update"}}'}


# --- Management -----------------------------------------------------------------------------------------------------------------------

def channel_body(policy="0", push_type='"LiveActivity"'):
    parts = [f'"message-storage-policy":{policy}' if policy else "", f'"push-type":{push_type}' if push_type else ""]
    return "{%s}" % ",".join(part for part in parts if part)


def manage(call):
    method = {"create": "POST", "read": "GET", "delete": "DELETE", "list": "GET"}[call]
    path = f"/1/apps/{APP}/" + ("all-channels" if call == "list" else "channels")
    headers = {"authorization": "<bearer>", "apns-request-id": ID}
    if call == "read":
        headers["apns-channel-id"] = "<channel 0>"
    if call == "delete":
        headers["apns-channel-id"] = "<new channel>"
    return {"port": "management", "method": method, "path": path, "headers": headers, "body": channel_body() if call == "create" else ""}


def manage_mistakes(call, world="usual"):
    last = "all-channels" if call == "list" else "channels"
    named = [
        header("apns-channel-id", 400, "MissingChannelId", GONE, ""),
        header("apns-channel-id", 400, "BadChannelId", "no base64!", "abc", "=", "===="),
        header("apns-channel-id", 404, "BadPath", "<unknown channel>", "<deleted channel>", "<channel elsewhere>", pairs=2),
    ]
    made = [
        [Mistake("body", 400, "PayloadEmpty", body="", pair=True)],
        [Mistake("body", 400, "BadRequestPayload", body=body, pair=index == 0)
         for index, body in enumerate(["not json", "[]", "7", '{"push-type":', '"LiveActivity"'])],
        [Mistake("body", 400, "MissingPushType", body=body, pair=index == 0)
         for index, body in enumerate([channel_body(push_type=""), "{}", channel_body("7", "")])],
        [Mistake("body", 400, "InvalidPushType", body=channel_body(policy, push_type), pair=(policy, push_type) == ("0", '"liveactivity"'))
         for push_type in ('"liveactivity"', '"alert"', '""', "1", "null") for policy in ("0", "1", "2")],
        [Mistake("body", 400, "MissingChannelQueueSize", body=channel_body(policy), pair=policy == "2")
         for policy in ("2", "", "-1", '"0"', "true", "null", "0.5", "100")],
        [Mistake("", 400, "CannotCreateChannelConfig")] if world == "full" else [],
    ]
    return table(
        [Mistake("path", 404, "BadPath", path=path, pair=index == 0) for index, path in enumerate([
            f"/1/apps/{APP}/channel", f"/1/apps/{APP}", f"/1/apps//{last}", f"/2/apps/{APP}/{last}", f"/1/app/{APP}/{last}",
            f"/1/apps/{APP}/{last}/x", f"/1/apps/{APP}/{last}/", "/", f"/3/device/<token update>", f"/4/broadcasts/apps/{APP}",
            f"/1/apps/two%20words/{last}"])],
        methods("PUT", "PATCH", *(["POST", "DELETE"] if call == "list" else [])),
        *senders(),
        [Mistake("path", 400, "TopicDisallowed", path=f"/1/apps/{app}/{last}", pair=app == "com.other.app")
         for app in ("com.other.app", ACTIVITIES)],
        WORLDS[world],
        twice("apns-request-id", "authorization", *(["apns-channel-id"] if call in ("read", "delete") else [])),
        header("apns-request-id", 400, "BadMessageId", "7", ID.upper(), ID.replace("-", ""), ID + "0", ""),
        *({"create": made, "read": named, "delete": named, "list": []}[call]),
    )


def manage_variants(call):
    yield from ({"apns-request-id": value} for value in (GONE, "ffffffff-ffff-4fff-bfff-ffffffffffff"))
    yield {"apns-topic": "com.other.app"}
    if call == "read":
        yield {"apns-channel-id": "<channel 1>"}


# --- Worlds ---------------------------------------------------------------------------------------------------------------------------

# What is wrong with the world itself, whatever the request.
WORLDS = {
    "usual": [], "full": [], "spent": [],
    "off": [Mistake("", 400, "BroadcastFeatureNotEnabled")],
    "off, by the other name": [Mistake("", 400, "FeatureNotEnabled")],
}


# --- Lines ----------------------------------------------------------------------------------------------------------------------------

def copy(base):
    return {**base, "headers": dict(base["headers"])}


def outcome(mistakes, channel_is_live):
    """The answer to a request with these mistakes; None when it is right."""
    return min((each for each in mistakes if channel_is_live or not each.policy), key=lambda each: each.rank, default=None)


def line(request, mistake, environment, world, right):
    """The request with what is expected of it."""
    headers = request["headers"]
    line = {"world": world, "environment": environment, **request}
    if mistake is None:
        line |= right
    else:
        line |= {"status": mistake.status, "reason": mistake.reason}
        if mistake.timestamp:
            line["timestamp"] = mistake.timestamp
    is_device = request["port"] == "push" and not request["path"].startswith("/4/broadcasts")
    name, other = ("apns-id", "apns-request-id") if is_device else ("apns-request-id", "apns-id")
    echoed = headers.get(name, "<uuid>" if is_device else "<lower-case uuid>")
    answer = {name: echoed, other: None, "apns-unique-id": "<uuid>" if is_device and environment == "sandbox" else None}
    # Nothing is known of how a malformed id is answered.
    if headers.get(name, ID).lower() not in (ID, "ffffffff-ffff-4fff-bfff-ffffffffffff") or (name, headers.get(name)) == (
            "apns-request-id", ID.upper()):
        answer = {other: None}
    if mistake is None and right["status"] == 201:
        answer["apns-channel-id"] = "<channel id>"
    elif not is_device:
        answer["apns-channel-id"] = None
    if mistake is not None and mistake.reason == "TooManyRequests":
        answer["retry-after"] = "7"
    line["answer"] = answer
    return line


def lines_of(base, mistakes, variants, bodies, right, world="usual", environments=tuple(ENVIRONMENTS)):
    """All single mistakes and all that is right in each environment, and pairs of mistakes in one of them in turn. Where the world itself
    is wrong, that is one of the pair."""
    always = [each for each in mistakes if not each.parts]
    single = [each for each in mistakes if each.parts and (each.pair or world == "usual")]
    for environment in environments:
        answer = outcome(always, True)
        yield line(copy(base), answer, environment, world, right)
        for changes in variants:
            request = copy(base)
            for name, value in changes.items():
                if value is GONE:
                    request["headers"].pop(name, None)
                else:
                    request["headers"][name] = value
            yield line(request, answer, environment, world, right)
        for changes in bodies:
            yield line({**copy(base), **changes}, answer, environment, world, right)
        for mistake in single:
            request = copy(base)
            mistake.spoils(request)
            yield line(request, outcome([mistake, *always], True), environment, world, right)
    if always:
        return
    turn = itertools.cycle(environments)
    for one, two in itertools.combinations([each for each in single if each.pair], 2):
        if one.parts & two.parts:
            continue
        request = copy(base)
        one.spoils(request)
        two.spoils(request)
        # A header that is left out is not sent twice.
        if request.get("twice", "authorization") not in request["headers"]:
            continue
        is_live = not any(each.reason in ("BadChannelId", "ChannelNotRegistered") for each in (one, two))
        yield line(request, outcome([one, two, *always], is_live), next(turn), world, right)


def lines():
    for kind in ("update", "start", "background", "alert"):
        yield from lines_of(device(kind), device_mistakes(kind), list(device_variants(kind)), list(device_bodies(kind)), {"status": 200})
    for policy in (0, 1):
        yield from lines_of(publish(policy), publish_mistakes(policy), list(publish_variants(policy)), list(publish_bodies()),
                            {"status": 200})
    calls = {
        "create": {"status": 201, "json": None},
        "read": {"status": 200, "json": {"message-storage-policy": 0, "push-type": "LiveActivity"}},
        "delete": {"status": 204, "json": None},
        "list": {"status": 200, "lists": ["<channel 0>", "<channel 1>"]},
    }
    for call, right in calls.items():
        for each in lines_of(manage(call), manage_mistakes(call), list(manage_variants(call)),
                             [{"body": channel_body("1")}] if call == "create" else [], right):
            if each["status"] == 200 and each["headers"].get("apns-channel-id") == "<channel 1>":
                each["json"] = {"message-storage-policy": 1, "push-type": "LiveActivity"}
            yield each
    # A device does not care about channels.
    for world in ("off", "off, by the other name"):
        for kind in ("update", "start"):
            yield from (line(device(kind), None, environment, world, {"status": 200}) for environment in ENVIRONMENTS)
        for policy in (0, 1):
            yield from lines_of(publish(policy), publish_mistakes(policy, world), [], [], {}, world, environments=("production",))
        for call in calls:
            yield from lines_of(manage(call), manage_mistakes(call, world), [], [], {}, world, environments=("sandbox",))
    yield from lines_of(manage("create"), manage_mistakes("create", "full"), [], [{"body": channel_body("1")}], {}, "full")
    for call in ("read", "list"):
        yield from (line(manage(call), None, environment, "full", calls[call]) for environment in ENVIRONMENTS)
    for policy in (0, 1):
        yield from lines_of(publish(policy), publish_mistakes(policy, "spent"), list(publish_variants(policy)), list(publish_bodies()), {},
                            "spent")


def main():
    # Of two tables that meet in the same request one line is enough.
    text = "".join(dict.fromkeys(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in lines()))
    if sys.argv[1:] == ["--check"]:
        sys.exit(None if FILE.read_text(encoding="utf-8") == text else f"{FILE.name} is not what make_requests.py would write")
    FILE.write_text(text, encoding="utf-8")
    print(f"{text.count(chr(10))} requests, {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
