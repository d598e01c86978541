"""A schedule in which everything is as it should be, for tests that plant one violation each."""

import json
import pathlib
import sys
from dataclasses import replace

TESTS = pathlib.Path(__file__).resolve().parent.parent
# As deploy/chaos has it in PYTHONPATH.
sys.path += [str(TESTS / name) for name in ("GatewayScenarios", "Harness", "Soak")]

from chaos_records import Call, Case, Death, Phone, Push, Rows, Shown, Strike  # noqa: E402

# Of the first version; the second comes two seconds later, the third, with an alert, after four.
T = 1_800_000_000_000
ALERT = {"title": "WICKET! A b B 1 (2)", "body": "RR 10/1 (2.0)", "isKey": True, "eventAt": T // 1_000 + 4}
TOKENS = {"ann": "aa" * 32, "bob": "bb" * 32, "cat": "ca" * 32, "dan": "dan-1"}


def state(version):
    return json.dumps({
        "compactLeading": {"score": f"{version}/1", "teamAbbr": "RR"},
        "compactTrailing": {"overs": "2.0", "runRate": "5.00"},
        "expanded": {
            "batters": [{"name": "A", "onStrike": True, "score": "1 (2)", "strikeRate": "50.0"}],
            "bowler": {"economy": "5.00", "figures": "2.0-0-10-1", "name": "B"}, "equation": "RR need 5 off 6",
            "lastEvent": {"kind": "wicket", "text": "A b B"},
            "recentBalls": [str(ball) for ball in range(6)] + ["|"] + [str(ball) for ball in range(6, 11)],
            "requiredRunRate": "5.00", "target": "15", "title": "RR v KKR — día"},
        "minimal": {"score": f"{version}/1", "teamAbbr": "RR"}, "schema": 1, "version": version,
    }, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def push(user, version, at_ms, alert=None, event="update", **other):
    written = f'{{"aps":{{"content-state":{state(version)},"event":"{event}"}}}}'
    return Push(
        at_ms=at_ms, token=TOKENS[user], event=event, stamp=T // 1_000 + 2 * version - 2, version=version,
        alert=(ALERT["title"], ALERT["body"]) if alert else None, payload=written, **other)


def update(version, alert=None):
    return {"version": version, "stamp": T // 1_000 + 2 * version - 2, "content_state": state(version), "priority": 5,
            "alert": alert, "retracted": None, "overtaken": None, "committed_ms": T + 2_000 * (version - 1)}


def activity(user, **other):
    return {"user_id": user, "device_id": f"{user}-phone", "generation": 1, "shard": 7, "status": "active",
            "end_reason": None, "start_attempts": 1, "activity_id": f"{user}-1", "update_token": TOKENS.get(user),
            "start_id": f"s of {user}", "channel_id": None,
            "end_push": "none", "end_attempts": 0, "start_lease_until": None, "token_ms": T - 3_000,
            "end_lease_until": None, "ended_ms": None} | other


def ended(user, reason="match_end", at_ms=T + 20_000):
    return activity(user, status="ended", end_reason=reason, end_push="sent", end_attempts=1, ended_ms=at_ms)


def call(user, what, at_ms, value=None, status=200, answer=None, activity=None):
    return Call(user, f"{user}-phone", what, value, at_ms, at_ms + 20, status, answer or {}, activity)


CAT_ENDED = ended("cat", "user_unfollow", T - 19_980)


def leave(case):
    """Cat's first start expired, her token was replaced, and she unfollowed before the first version."""
    phone = Phone("cat", "cat-phone", "start of cat", activities=[
        Shown("cat-1", "s of cat", T - 40_000, ["c0" * 32, TOKENS["cat"]], T - 39_000, T - 19_500)])
    case.phones.append(phone)
    case.calls += [
        call("cat", "startToken", T - 70_000, phone.start_token), call("cat", "follow", T - 65_000),
        call("cat", "token", T - 39_020, "c0" * 32, answer={"liveActivity": "active"}, activity="cat-1"),
        call("cat", "token", T - 30_000, TOKENS["cat"], answer={"liveActivity": "active"}, activity="cat-1"),
        call("cat", "unfollow", T - 20_000)]
    case.pushes[:0] = [
        Push(T - at * 1_000, phone.start_token, "start", T // 1_000 - at, start_id=start, verdict=shown,
             expiration=T // 1_000 - at + 5)
        for at, start, shown in ((60, "lost", None), (40, "s of cat", "handled"))] + [
        Push(T - 19_500, TOKENS["cat"], "end", T // 1_000 - 20)]
    case.rows.devices.append({"user_id": "cat", "device_id": phone.device, "shard": 7,
                              "push_to_start_token": phone.start_token, "device_token": "device of cat"})


def good():
    """Ann and Bob with a phone each, and Cat, who has left; three versions; a coordinator that was killed in mid-alert.

    The pushes end with Ann's and Bob's of version 1, of 2, of 3, and of the end, always Ann's first."""
    case = Case(seed=1, match=1, converged_ms=T + 9_000, last_fault_ms=T + 5_000, over_ms=T + 22_000)
    for user in ("ann", "bob"):
        phone = Phone(user, f"{user}-phone", f"start of {user}")
        phone.activities.append(Shown(f"{user}-1", f"s of {user}", T - 4_000, [TOKENS[user]], T - 3_000))
        case.phones.append(phone)
        case.calls += [
            call(user, "startToken", T - 9_000, phone.start_token), call(user, "follow", T - 8_000),
            call(user, "token", T - 3_020, TOKENS[user], answer={"liveActivity": "active"}, activity=f"{user}-1")]
        case.pushes.append(Push(T - 4_000, phone.start_token, "start", T // 1_000 - 4, start_id=f"s of {user}",
                                expiration=T // 1_000 + 1))
        case.pushes += [push(user, version, T + 2_000 * version - 1_900, alert=version == 3) for version in (1, 2, 3)]
        case.rows.follows.append({"user_id": user, "alerts": "all"})
        case.rows.devices.append({"user_id": user, "device_id": phone.device, "shard": 7,
                                  "push_to_start_token": phone.start_token, "device_token": f"device of {user}"})
    case.pushes.sort(key=lambda each: each.at_ms)
    leave(case)
    case.rows.updates = [update(1), update(2), update(3, ALERT)]
    case.rows.activities = [activity("ann"), activity("bob"), CAT_ENDED]
    case.rows.match = {"version": 3, "stamp": T // 1_000 + 4, "epoch": 2, "display_state": "live"}
    case.rows.claims = [{"alert_version": 3, "bucket": 7, "holder": "la-coordinator-a/1", "claimed_ms": T + 4_020}]
    case.rows.now_ms = T + 9_000
    case.after = Rows(now_ms=T + 25_000, updates=case.rows.updates, activities=[ended("ann"), ended("bob"), CAT_ENDED])
    case.pushes += [push(user, 3, T + 21_000, event="end") for user in ("ann", "bob")]
    case.strikes = [Strike("kill", "la-coordinator-a", T + 4_050, T + 4_050)]
    case.deaths = [Death("la-coordinator-a", T + 4_051, -9, True, restart_ms=100, back_ms=T + 5_000)]
    case.leases = [("match:1", "bus/x", 1), ("match:1", "bus/y", 2), ("shard:1", "c/1", 1)]
    case.provider_tokens = [T - 60_000]
    case.sizes = [("la-coordinator-a", "rss", 40 << 20)]
    case.metrics = {"audits": 5, "mismatches": 0, "updates": 6, "versions": 3, "alertsLost": 0}
    case.log_bytes = 1_000
    return case


def listening():
    """The same, and Dan, whose phone listens to a channel: his start and what reached him of four publishes stand first."""
    case, card = good(), Shown("dan-1", "s of dan", T - 4_000, ["dan-1"], T - 3_900, T + 21_000, "K", T - 3_900)
    phone = Phone("dan", "dan-phone", "start of dan", activities=[card])
    case.phones.append(phone)
    case.calls += [call("dan", "startToken", T - 9_000, phone.start_token), call("dan", "follow", T - 8_000),
                   call("dan", "listen", T - 3_000, card.id, answer={"liveActivity": "active"}, activity=card.id)]
    case.publishes = [
        *(push("dan", version, T + 2_000 * version - 1_900, alert=version == 3, channel="K") for version in (1, 2, 3)),
        push("dan", 3, T + 21_000, event="end", channel="K")]
    start = Push(T - 4_000, phone.start_token, "start", T // 1_000 - 4, start_id=card.start_id, expiration=T // 1_000 + 1,
                 input_channel="K")
    case.pushes[:0] = [start, *case.publishes]
    case.publishes = [replace(each, token="", verdict=None) for each in case.publishes]
    case.rows.follows.append({"user_id": "dan", "alerts": "all"})
    case.rows.devices.append({"user_id": "dan", "device_id": phone.device, "shard": 7,
                              "push_to_start_token": phone.start_token, "device_token": "device of dan"})
    listens = {"update_token": None, "channel_id": "K", "end_push": "none"}
    case.rows.activities.append(activity("dan", **listens))
    case.after.activities.append(ended("dan") | listens)
    case.rows.channels = [{"class": 0, "generation": 1, "channel_id": "K", "ends": 0, "lost_ms": None}]
    case.after.channels = [case.rows.channels[0] | {"ends": 1}]
    case.rows.claims.append(case.rows.claims[0] | {"bucket": 64})
    case.heard_ms = T + 9_000
    return case
