#!/usr/bin/env python3
"""Who may do what: every call of the served OpenAPI document × every kind of caller × the caller's own, a foreign and an
absent object. What a caller must get follows from the document's `security` alone; what a call may touch is read from the
database before and after it.

Ends with one line of JSON; exit status 0 only when every answer was as it must be.
"""

import hashlib
import json
import re

import checks
from harness import HarnessError
from scenario import LATER_MATCH, LIVE_MATCH, Scenario, options

ABSENT_MATCH = 77
METHODS = ("get", "put", "post", "patch", "delete")


def token(seed):
    return hashlib.sha256(seed.encode()).hexdigest()


class Matrix:
    def __init__(self, scenario, check):
        self.scenario = scenario
        self.check = check
        self.document = scenario.request("GET", "/openapi.json").json
        self.calls = 0

    # Callers: a name, headers, and what they are: nobody, user or admin.

    def callers(self):
        tokens = self.scenario.tokens

        def bearer(name):
            return {"Authorization": f"Bearer {tokens[name]}"}

        yield "nobody", {}, "nobody"
        yield "garbage", {"Authorization": "Bearer x.y.z"}, "nobody"
        yield "basic", {"Authorization": "Basic YWxpY2U6eA=="}, "nobody"
        for name in sorted(tokens):
            if any(word in name for word in ("expired", "wrong", "other", "mallory", "strange")):
                yield name, bearer(name), "nobody"
        yield "user A", bearer("alice"), "user"
        yield "user A, id token", bearer("alice-id"), "user"
        yield "user B", bearer("bob"), "user"
        yield "administrator", bearer("carol"), "admin"
        yield "API key", {"X-API-Key": self.scenario.api_key}, "server"
        yield "wrong API key", {"X-API-Key": "0" * 64}, "nobody"
        yield "token and API key", bearer("carol") | {"X-API-Key": self.scenario.api_key}, "nobody"

    def operations(self):
        for path, item in sorted(self.document["paths"].items()):
            for method in METHODS:
                if method in item:
                    yield method.upper(), path, item[method]

    # Objects: what the path names.

    def paths(self, path):
        """The path filled in, with a word for whose object it is."""
        if "{deviceToken}" in path:
            yield "own", path.replace("{deviceToken}", "phone-a")
            yield "foreign", path.replace("{deviceToken}", token("device-b"))
            yield "absent", path.replace("{deviceToken}", "no-such-phone")
        elif "{id}" in path:
            # Matches belong to nobody; following one is a user's own.
            yield "own", path.replace("{id}", str(LIVE_MATCH))
            yield "foreign", path.replace("{id}", str(LATER_MATCH))
            yield "absent", path.replace("{id}", str(ABSENT_MATCH))
        else:
            yield "own", path

    def body(self, operation):
        """A valid body, made from the schema."""
        content = operation.get("requestBody")
        if content is None:
            return None
        reference = content["content"]["application/json"]["schema"]["$ref"]
        schema = self.document["components"]["schemas"][reference.rsplit("/", 1)[1]]
        names = set(schema.get("required", []))
        for choice in schema.get("oneOf", [])[:1]:
            names |= set(choice["required"])
        if "deviceId" in schema["properties"]:
            names.add("deviceId")
        return {name: self.value(name, schema["properties"][name]) for name in sorted(names)}

    @staticmethod
    def value(name, schema):
        known = {
            "matchId": str(LIVE_MATCH), "deviceId": "phone-matrix", "platform": "ios", "hold": "none", "teamId": "1",
            "tapeId": "1304076", "action": "pause", "pushToStartToken": token("matrix-start"),
            "activityToken": token("matrix-activity"), "token": token("matrix-activity"),
            "nonce": token("matrix-nonce")[:32], "activityId": "activity-matrix", "channelId": "bWF0cml4LWNoYW5uZWw=",
        }
        if name not in known:
            raise HarnessError(f"the matrix has no value for the required field {name}: {schema}")
        return known[name]

    # One cell.

    def expected(self, operation, kind):
        """What the caller gets at the door; None: the call is his to make."""
        security = operation["security"]
        if not security:
            return None
        if kind == "nobody":
            return 401
        if len(security) == 1:
            return 401 if kind == "server" else None
        return 403 if kind == "user" else None

    def run(self):
        for method, path, operation in self.operations():
            for caller, headers, kind in self.callers():
                for whose, filled in self.paths(path):
                    if (method, path) == ("DELETE", "/user") and self.expected(operation, kind) is None:
                        # It would refuse the caller from then on: `deletion` has users of its own.
                        continue
                    cell = f"{method} {path} × {caller} × {whose}"
                    answer = self.scenario.request(method, filled, self.body(operation), headers=headers)
                    self.calls += 1
                    wanted = self.expected(operation, kind)
                    if wanted is None:
                        self.check.expect(f"{cell}: let in", answer.status not in (401, 403, 405) and answer.status < 500,
                                          answer.status)
                        self.check.expect(f"{cell}: documented", str(answer.status) in operation["responses"], answer.status)
                    else:
                        self.check.expect(f"{cell}: {wanted}", answer.status == wanted, answer.status)
                        kinds = {401: "unauthorized", 403: "forbidden"}
                        self.check.expect(f"{cell}: nothing told", set(answer.json) <= {
                            "type", "title", "status", "detail", "requestId",
                        } and answer.json["type"] == f"/problems/{kinds[wanted]}", answer.body)
                    self.expect_headers(cell, answer)

    def expect_headers(self, cell, answer):
        """Rows 22, 32, 34: nothing of ours, nothing for browsers."""
        names = answer.headers
        self.check.expect(f"{cell}: nosniff", names.get("x-content-type-options") == "nosniff")
        self.check.expect(f"{cell}: cache-control", "cache-control" in names)
        self.check.expect(f"{cell}: request id", re.fullmatch(r"[A-Za-z0-9_-]{1,64}", names.get("x-request-id", "")))
        strange = [n for n in names if n.startswith("access-control-") or n in ("server", "x-powered-by", "set-cookie")]
        self.check.expect(f"{cell}: no strange headers", not strange, strange)


class Ownership:
    """User B tries everything on what is A's; A's rows must not change, and nothing of A's be told."""

    def __init__(self, scenario, check):
        self.scenario = scenario
        self.check = check

    def as_user(self, name, method, path, body=None):
        return self.scenario.request(method, path, body, token=self.scenario.tokens[name])

    def set_up(self):
        for user, phone, letter in (("alice", "phone-a", "a"), ("bob", "phone-b", "b")):
            for path, body in (
                ("/devices", {"deviceId": phone, "platform": "ios", "deviceToken": token(f"device-{letter}")}),
                ("/devices/push-to-start-token", {"deviceId": phone, "pushToStartToken": token(f"start-{letter}")}),
                ("/user/follow/match", {"matchId": str(LIVE_MATCH), "alerts": "all"}),
                (f"/matches/{LIVE_MATCH}/activity-token",
                 {"deviceId": phone, "activityId": f"activity-{letter}", "activityToken": token(f"update-{letter}")}),
            ):
                answer = self.as_user(user, "POST", path, body)
                self.check.expect(f"{user}: POST {path}", answer.status == 200, answer.body)

    def rows(self, user):
        sub = self.scenario.pools.users[user].sub
        return self.scenario.sql(
            f"""
            SELECT json_build_object(
                'devices', (SELECT json_agg(d ORDER BY device_id) FROM (SELECT device_id, device_token,
                    push_to_start_token, platform FROM devices WHERE user_id = '{sub}') d),
                'follows', (SELECT json_agg(f ORDER BY match_id) FROM (SELECT match_id, team_id, alerts
                    FROM match_follows WHERE user_id = '{sub}') f),
                'activities', (SELECT json_agg(l ORDER BY match_id, generation) FROM (SELECT match_id, device_id, generation,
                    status, update_token, activity_id, end_push FROM live_activities WHERE user_id = '{sub}') l))
            """
        )

    def run(self):
        before = self.rows("alice")
        attempts = (
            ("POST", "/devices", {"deviceId": "phone-a", "platform": "ipados"}),
            ("POST", "/devices/push-to-start-token", {"deviceId": "phone-a", "pushToStartToken": token("start-x")}),
            ("POST", f"/matches/{LIVE_MATCH}/activity-token",
             {"deviceId": "phone-a", "activityId": "activity-a", "activityToken": token("update-x")}),
            ("POST", f"/matches/{LIVE_MATCH}/activity-dismissed", {"deviceId": "phone-a", "activityId": "activity-a"}),
            ("POST", f"/matches/{LIVE_MATCH}/activity-dismissed", {"activityToken": token("update-a"), "deviceId": "phone-b"}),
            ("PATCH", f"/user/follow/match/{LIVE_MATCH}", {"alerts": "none"}),
            ("POST", f"/matches/{LIVE_MATCH}/unfollow", None),
            ("DELETE", "/devices/phone-a", None),
            ("DELETE", f"/devices/{token('device-a')}", None),
            ("DELETE", f"/devices/{token('start-a')}", None),
        )
        for method, path, body in attempts:
            answer = self.as_user("bob", method, path, body)
            self.check.expect(f"B: {method} {path} is answered", answer.status in (200, 204, 404, 409), answer.status)
            for secret in ("device-a", "start-a", "update-a"):
                self.check.expect(f"B: {method} {path} tells nothing", token(secret).encode() not in answer.body)
            now = self.rows("alice")
            self.check.expect(f"B: {method} {path} leaves A's rows alone", now == before, now)
        export = self.as_user("bob", "GET", "/user/data").body.decode()
        self.check.expect("B's export has nothing of A", self.scenario.pools.users["alice"].sub not in export)
        # Who knows a token need not have the phone: it moves when B echoes what the phone was sent, and not before.
        claim = {"deviceId": "phone-a", "platform": "ios", "deviceToken": token("device-a")}
        answer = self.as_user("bob", "POST", "/devices", claim)
        self.check.expect("B's claim waits", answer.status == 202 and answer.json["waitsFor"] == "confirmation", answer.body)
        self.check.expect("A's token stays", self.has_token("alice", "device-a"))
        # Without a key file the nonce is the challenge itself. It is sent an hour before it ends.
        nonce = self.scenario.sql(
            "UPDATE phone_claims SET sent_at = clock_timestamp(), due_at = NULL RETURNING challenge")[0][0]
        self.check.expect("no answer has the nonce", nonce.encode() not in answer.body)
        for name, wrong in (("mallory's guess", "0" * 32), ("nobody's", nonce[:-1])):
            answer = self.as_user("bob", "POST", "/devices/confirm", {"nonce": wrong, "deviceId": "phone-a"})
            self.check.expect(f"{name} nonce", answer.status == 404, answer.body)
        answer = self.as_user("bob", "POST", "/devices/confirm", {"nonce": nonce, "deviceId": "phone-a"})
        self.check.expect("B has A's phone in hand", answer.status == 204, answer.body)
        self.check.expect("the token moved", not self.has_token("alice", "device-a") and self.has_token("bob", "device-a"))
        answer = self.as_user("bob", "POST", "/devices/confirm", {"nonce": nonce, "deviceId": "phone-a"})
        self.check.expect("a nonce is worth something once", answer.status == 404, answer.body)

    def has_token(self, user, name):
        return any(d["device_token"] == token(name) for d in json.loads(self.rows(user)[0][0])["devices"])

    def deletion(self):
        """Deleting B leaves A alone; B's token is refused from then on."""
        before = self.rows("alice")
        self.check.expect("DELETE /user", self.as_user("bob", "DELETE", "/user").status == 204)
        self.check.expect("it may be repeated", self.as_user("bob", "DELETE", "/user").status == 204)
        self.check.expect("the deleted are refused", self.as_user("bob", "GET", "/user/follows").status == 401)
        self.check.expect("A is left alone", self.rows("alice") == before)


class Existence:
    """Row 28: what does not exist is answered like what is not the caller's, byte for byte but for the request's id."""

    def __init__(self, scenario, check):
        self.scenario = scenario
        self.check = check

    def run(self):
        scenario = self.scenario

        def shape(answer):
            return answer.status, re.sub(rb'"requestId":"[^"]*"', b"", answer.body), {
                name: value for name, value in answer.headers.items() if name not in ("x-request-id", "date")
            }

        for method, own, absent in (
            ("DELETE", f"/devices/{token('device-a')}", "/devices/" + token("nobody")),
            ("DELETE", "/devices/phone-a", "/devices/phone-none"),
            ("PATCH", f"/user/follow/match/{LATER_MATCH}", f"/user/follow/match/{ABSENT_MATCH}"),
        ):
            body = {"alerts": "key"} if method == "PATCH" else None
            foreign = shape(scenario.request(method, own, body, token=scenario.tokens["bob-id"]))
            nothing = shape(scenario.request(method, absent, body, token=scenario.tokens["bob-id"]))
            self.check.expect(f"{method} {own}: as if it were not there", foreign == nothing, (foreign, nothing))


def main():
    parser = options(__doc__)
    arguments = parser.parse_args()
    check = checks.Check("matrix")
    with Scenario(arguments.binaries, {"RATE_LIMIT_FACTOR": "0"}, replays=True) as scenario:
        matrix = Matrix(scenario, check)
        matrix.run()
        # The matrix has left things behind: the owners begin anew.
        scenario.sql("TRUNCATE devices, match_follows, live_activities")
        owners = Ownership(scenario, check)
        owners.set_up()
        Existence(scenario, check).run()
        owners.run()
        owners.deletion()
        log = scenario.log()
        check.expect("no token in the log", not any(t in log for t in [*scenario.tokens.values(), scenario.api_key, token("device-a")]))
        operations = len(list(matrix.operations()))
    return check.line(operations=operations, calls=matrix.calls, expectations=check.count)


if __name__ == "__main__":
    checks.run(main)
