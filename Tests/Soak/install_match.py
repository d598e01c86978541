"""A phone in the network of the host that `deploy/soak install` has set up: it signs in, follows a match through the proxy, and gives its
tokens; the stand-in for APNs says what it got. Prints what came of it as JSON."""

import http.client
import json
import pathlib
import ssl
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Harness"))
from harness import call, wait_until  # pylint: disable=wrong-import-position

MATCH = "1304076"
ISSUER, PROVIDER, SIMULATOR = "http://localhost:8190", "http://localhost:8192", "http://localhost:2199"
DEVICE, START, UPDATE = (f"{number:064x}" for number in (0xDE71CE, 0x57A27, 0x0FDA7E))


def api(certificate, bearer, method, path, body=None):
    connection = http.client.HTTPSConnection("localhost", 443, timeout=10, context=ssl.create_default_context(cafile=certificate))
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None
    finally:
        connection.close()


def good(answer):
    status, body = answer
    if status >= 300:
        raise SystemExit(f"{status} {body}")
    return body


def deliveries():
    connection = http.client.HTTPConnection("localhost", 2199, timeout=10)
    try:
        connection.request("GET", "/deliveries?limit=100000")
        return [json.loads(line) for line in connection.getresponse().read().splitlines() if line]
    finally:
        connection.close()


def main():
    certificate = sys.argv[1]
    bearer = good(call(ISSUER, "POST", "/token", {"user": "asha"}))["accessToken"]
    good(call(SIMULATOR, "POST", "/tokens", [
        {"token": DEVICE, "kind": "device", "environment": "sandbox"}, {"token": START, "kind": "start", "environment": "sandbox"},
        {"token": UPDATE, "kind": "update", "environment": "sandbox"}]))
    good(call(PROVIDER, "POST", f"/control/tapes/{MATCH}/load", {"speed": 120, "ballsPerFrame": 6, "lead": 20}))

    def ask(method, path, body=None):
        return api(certificate, bearer, method, path, body)

    ask("POST", "/devices", {"deviceId": "phone-1", "platform": "ios", "appVersion": "2.4.0", "environment": "sandbox",
                             "deviceToken": DEVICE, "liveActivitiesEnabled": True})
    ask("POST", "/devices/push-to-start-token", {"deviceId": "phone-1", "pushToStartToken": START})

    def is_listed():
        return any(item["id"] == MATCH for item in ask("GET", "/matches")["matches"])

    wait_until("the match is in the schedule", is_listed, within=60, pause=1)
    ask("POST", f"/matches/{MATCH}/follow")

    def got(token, event):
        return [push for push in deliveries() if push.get("token") == token and push.get("payload", {}).get("aps", {}).get("event") == event
                and push["verdict"]["status"] == 200]

    wait_until("the card is started by push", lambda: got(START, "start"), within=120, pause=0.5)
    ask("POST", f"/matches/{MATCH}/activity-token", {"deviceId": "phone-1", "activityToken": UPDATE, "activityId": "activity-1"})
    wait_until("the card has ended", lambda: got(UPDATE, "end"), within=600, pause=1)
    updates = got(UPDATE, "update")
    if len(updates) < 20:
        raise SystemExit(f"a whole match in {len(updates)} updates")
    print(json.dumps({"updates": len(updates), "starts": len(got(START, "start")), "ends": len(got(UPDATE, "end"))}))


main()
