"""The invariants of a schedule that are about state, activities and tokens: each looks at records alone and gives back how
many facts it judged and, in words, those that must not be. The others are in chaos_alerts.py and chaos_processes.py."""

import collections
import json

from chaos_listeners import ends_when_asked, second_is_due
from chaos_records import SHOWN, UNKNOWN

# A push is noted when it arrives, after it has begun: so much later on a machine with everything at work.
SLACK_MS = 250
# An end, or the word of a dead token, is followed by nothing later than this, a frozen sender's pushes by twice as much.
GRACE_MS = 1_000
# Two activities on a phone at most so long after the second is known.
TWO_MS = 10_000
STAMP_LEAD_S = 2
END_REASONS = {"match_end", "user_unfollow", "user_dismissed", "token_invalid"}
# Members of a routine update that may go when it is too long, in this order (deploy/docs/content-state.md).
RECENT_BALLS = 6


def acknowledged_is_kept(case):
    """I1: what was answered with 2xx is in the database."""
    problems, judged = [], 0
    following = {row["user_id"] for row in case.rows.follows}
    for user, calls in by(case.calls, lambda call: call.user).items():
        changes = sorted((call for call in calls if follow_after(call) is not None), key=lambda call: call.answered_ms)
        good = [call for call in changes if call.is_good]
        if good:
            judged += 1
            # Who was not answered may have been obeyed, or may be later: an attempt to a gateway that stood still.
            possible = {follow_after(good[-1])} | {follow_after(call) for call in changes if call.status == UNKNOWN} | {
                follow_after(call) for call in changes if call.status >= 500 and call.answered_ms >= good[-1].begun_ms}
            if (user in following) not in possible:
                problems.append(f"user {user[:8]} {'follows' if user in following else 'does not follow'}: "
                                + good[-1].short())
    devices = {(row["user_id"], row["device_id"]): row for row in case.rows.devices}
    moved = {token for token, *_ in case.moved}
    for key, calls in by(case.calls, lambda call: (call.user, call.device)).items():
        good = last(calls, "startToken")
        if good and good.value not in moved and not any(
                call.what == "startToken" and call.status == UNKNOWN for call in calls):
            judged += 1
            if devices.get(key, {}).get("push_to_start_token") != good.value:
                problems.append("no start token as in " + good.short())
        for activity in {call.activity for call in calls if call.what == "token"}:
            good = last([call for call in calls if call.activity == activity], "token", active=True)
            if good and good.value not in moved:
                judged += 1
                if not any((row["user_id"], row["device_id"], row["update_token"]) == (*key, good.value)
                           for row in case.rows.activities):
                    problems.append("no activity has the token of " + good.short())
        for good in (call for call in calls if call.what == "listen" and call.is_good
                     and call.answered_ms <= case.rows.now_ms and call.answer.get("liveActivity") == "active"):
            judged += 1
            if not any(row["activity_id"] == good.value for row in case.rows.activities):
                problems.append("no activity as in " + good.short())
        for good in (call for call in calls if call.what == "dismiss" and call.is_good):
            judged += 1
            if any(row["activity_id"] == good.value and row["status"] != "ended" for row in case.rows.activities):
                problems.append("not ended after " + good.short())
    return judged, problems


def follow_after(call):
    """Whether its user follows after this call; None where it changes nothing."""
    if call.what == "dismiss":
        return None if call.is_good and call.answer.get("following") else False
    return {"follow": True, "unfollow": False}.get(call.what)


def last(calls, what, active=False):
    good = [call for call in calls if call.what == what and call.is_good
            and (not active or call.answer.get("liveActivity") == "active")]
    return max(good, key=lambda call: call.answered_ms, default=None)


def by(items, key):
    groups = collections.defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def no_follower_is_lost(case):
    """I2: every follower's phone has one record that is active, or whose start is out; nobody else has one."""
    problems, judged = [], 0
    following = {row["user_id"] for row in case.rows.follows}
    current = by([row for row in case.rows.activities if row["status"] != "ended"],
                 lambda row: (row["user_id"], row["device_id"]))
    for row in case.rows.devices:
        key = (row["user_id"], row["device_id"])
        if row["user_id"] not in following or not row["push_to_start_token"]:
            continue
        judged += 1
        rows = current.get(key, [])
        if len(rows) != 1:
            problems.append(f"{key[1]}: {len(rows)} records")
        elif rows[0]["status"] == "pending" and not (rows[0]["start_lease_until"] or 0) > case.rows.now_ms:
            problems.append(f"{key[1]}: pending, and no start is out")
    problems += [f"{key[1]}: a record without a follow" for key in current if key[0] not in following]
    return judged, problems


def one_start_at_a_time(case):
    """I3: no start while another is unresolved, and never two activities for long."""
    problems, judged = [], 0
    owners = case.starts()
    sent = by([push for push in case.pushes if push.event == "start" and push.status in (200, 0)
               and push.token in owners], lambda push: push.token)
    for token, pushes in sent.items():
        phone = owners[token]
        for before, push in zip(pushes, pushes[1:]):
            judged += 1
            # By the design a start expires ten seconds before its lease is over.
            lease_ends_ms = (before.expiration + 10) * 1_000
            resolved = push.at_ms >= lease_ends_ms - 1_000 or before.status == 0 and before.verdict is None or any(
                before.at_ms <= call.answered_ms and call.begun_ms <= push.at_ms
                and (call.user, call.device) == phone.key and call.what in ("token", "dismiss", "listen")
                or call.user == phone.user and call.what == "unfollow" and before.at_ms <= call.answered_ms
                and call.begun_ms <= push.at_ms for call in case.calls)
            if before.input_channel and before.status == 200:
                # It is resolved by its answer, and its card stays.
                resolved = second_is_due(case, phone, before, push, push.at_ms >= lease_ends_ms - 1_000)
            if not resolved:
                problems.append(f"{phone.device}: {push.short()} while this one was out: {before.short()}")
    for phone in case.phones:
        for first, second in zip(phone.activities, phone.activities[1:]):
            judged += 1
            if second.registered_ms is None:
                continue
            until = min(first.ended_ms or case.rows.now_ms, second.ended_ms or case.rows.now_ms)
            if until - second.registered_ms > TWO_MS:
                problems.append(f"{phone.device}: two activities for {(until - second.registered_ms) / 1000:.1f} s")
    return judged, problems


def stamps_grow(case):
    """I4: stamps grow with the versions, and are at most 2 s ahead of the clock."""
    problems, updates = [], sorted(case.rows.updates, key=lambda row: row["version"])
    for before, row in zip(updates, updates[1:]):
        if row["stamp"] <= before["stamp"]:
            problems.append(f"version {row['version']} has stamp {row['stamp']} after {before['stamp']}")
    for row in updates:
        if row["stamp"] > row["committed_ms"] // 1_000 + STAMP_LEAD_S:
            problems.append(f"version {row['version']} of {row['committed_ms']} has stamp {row['stamp']}")
    for push in case.pushes:
        if push.stamp > push.at_ms // 1_000 + STAMP_LEAD_S:
            problems.append("ahead of the clock: " + push.short())
    return len(updates) + len(case.pushes), problems


def newest_state_is_shown(case):
    """I5: what the phone of each active token took last is the newest committed state, byte for byte."""
    newest = max(case.rows.updates, key=lambda row: row["version"], default=None)
    if newest is None:
        return 0, []
    allowed = {'"content-state":' + text for text in forms(newest["content_state"])}
    taken, problems, judged = begun_with(case), [], 0
    for push in case.pushes:
        if push.verdict == SHOWN and push.at_ms <= case.rows.now_ms:
            taken[push.token] = push
    for row in case.rows.activities:
        token = row["update_token"]
        if row["status"] != "active" or token in case.killed or token is None:
            # One that listens is judged when it has heard what was published.
            continue
        judged += 1
        push = taken.get(token)
        if push is None:
            problems.append(f"{row['device_id']}: nothing came to its token {token[:8]}")
        elif not any(text in push.payload for text in allowed):
            problems.append(f"{row['device_id']}: not version {newest['version']}, but {push.short()}")
    return judged, problems


def begun_with(case):
    """By the token of each activity, the push that started it: the phone shows what that carried until something newer
    comes."""
    starts = {push.start_id: push for push in case.pushes if push.event == "start" and push.verdict == SHOWN}
    return {token: starts[shown.start_id] for phone in case.phones for shown in phone.activities
            for token in shown.tokens if shown.start_id in starts}


def forms(text):
    """A state as it may be pushed: whole, and after each of the cuts of a routine update."""
    def written():
        return json.dumps(state, sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    state = json.loads(text)
    expanded, found = state["expanded"], [text]
    has_equation = "equation" in expanded
    if has_equation:
        expanded.pop("target", None)
        found.append(written())
    if state.get("minimal") == state["compactLeading"]:
        del state["minimal"]
        found.append(written())
    for batter in expanded["batters"]:
        batter["strikeRate"] = ""
    if "bowler" in expanded:
        expanded["bowler"]["economy"] = ""
    found.append(written())
    state["compactTrailing"]["runRate"] = ""
    if has_equation:
        expanded.pop("requiredRunRate", None)
    found.append(written())
    expanded["recentBalls"] = newest_balls(expanded["recentBalls"])
    found.append(written())
    return found


def newest_balls(recent):
    """The newest over's worth of balls, with the marks between them."""
    places = [place for place, ball in enumerate(recent) if ball != "|"]
    return recent[places[-RECENT_BALLS]:] if len(places) > RECENT_BALLS else recent


def versions_never_go_back(case):
    """I6: what a token's phone shows is never older than before."""
    problems, judged = [], 0
    newest = {token: push.version or 0 for token, push in begun_with(case).items()}
    for push in case.pushes:
        if push.verdict != SHOWN or push.version is None or push.event != "update":
            continue
        judged += 1
        if push.version < newest.get(push.token, 0):
            problems.append(f"after version {newest[push.token]}: {push.short()}")
        newest[push.token] = max(push.version, newest.get(push.token, 0))
    return judged, problems


def nothing_after_the_end(case):
    """I9: after its end an activity gets no update; ended stays ended, for one of four reasons."""
    problems, ended = [], {}
    for push in case.pushes:
        if push.event == "end" and push.status == 200:
            ended.setdefault(push.token, push)
        elif push.event == "update" and push.token in ended:
            problems.append(f"after {ended[push.token].short()}: {push.short()}")
    after = {activity_key(row): row for row in case.after.activities}
    over = [row for row in case.rows.activities if row["status"] == "ended"]
    for row in over:
        now = after.get(activity_key(row), row)
        if (now["status"], now["end_reason"]) != ("ended", row["end_reason"]):
            problems.append(f"{activity_key(row)}: {row['end_reason']}, then {now['status']} {now['end_reason']}")
    problems += [f"{activity_key(row)}: ended for {row['end_reason']}" for row in over
                 if row["end_reason"] not in END_REASONS]
    return len(ended) + len(over), problems


def activity_key(row):
    return row["user_id"], row["device_id"], row["generation"]


def dead_tokens_stay_dead(case):
    """I10: when it is in the database that a token is dead, or has been replaced, nothing goes to it any more."""
    problems, judged, over = [], 0, {}
    for row in case.rows.activities:
        if row["end_reason"] == "token_invalid" and row["update_token"] in case.killed:
            over[row["update_token"]] = row["ended_ms"]
    for _, calls in by([call for call in case.calls if call.what == "token" and call.is_good],
                       lambda call: call.activity).items():
        calls = sorted(calls, key=lambda call: call.answered_ms)
        over |= {before.value: call.answered_ms for before, call in zip(calls, calls[1:]) if before.value != call.value}
    pushed = by(case.pushes, lambda push: push.token)
    for token, at_ms in over.items():
        judged += 1
        late = [push for push in pushed.get(token, []) if push.at_ms > at_ms + grace(case, at_ms, push.at_ms)]
        problems += [f"over since {at_ms}: {push.short()}" for push in late]
    return judged, problems


def grace(case, since_ms, at_ms):
    """How long a push may still come after what forbids it.

    No longer when the database cannot be read: a coordinator sends nothing on what it has read more than a second ago."""
    return SLACK_MS + (2 if case.frozen("la-coordinator", since_ms - GRACE_MS, at_ms) else 1) * GRACE_MS


def trouble_kills_no_token(case):
    """I12: only tokens of which APNs said so, and those of a phone that has another user, are given up."""
    allowed = case.killed | {token for token, *_ in case.moved}
    rows = [row for row in case.rows.activities if row["end_reason"] == "token_invalid"]
    running = {shown.start_id for _, shown in case.listeners if not shown.ended_ms and shown.id not in allowed}
    problems = [f"{activity_key(row)}: given up, and its token lives" for row in rows
                if row["update_token"] and row["update_token"] not in allowed]
    problems += [f"{activity_key(row)}: given up, and its card is there" for row in rows
                 if not row["update_token"] and row["start_id"] in running]
    known = {(row["user_id"], row["device_id"]): row for row in case.rows.devices}
    for phone in case.phones:
        if phone.key in known and not known[phone.key]["push_to_start_token"] and phone.start_token not in allowed:
            if any(call.what == "startToken" and call.is_good and (call.user, call.device) == phone.key
                   for call in case.calls):
                problems.append(f"{phone.device}: its start token is gone")
    return len(case.rows.activities) + len(known), problems


def nothing_after_an_unfollow(case):
    """I13: once an unfollow or a dismissal is answered nothing begins for that user any more; the end comes."""
    problems, judged = [], 0
    for call in case.calls:
        if not call.is_good or follow_after(call) is not False:
            continue
        attempts = [other for other in case.calls if other.user == call.user and other.what == "follow"]
        if any(other.status == UNKNOWN or other.answered_ms > call.begun_ms for other in attempts):
            # It may have been obeyed after the unfollow.
            continue
        judged += 1
        phones = [phone for phone in case.phones if phone.user == call.user]
        moved = {token for token, *_ in case.moved}
        tokens = {token for phone in phones for token in [phone.start_token, *phone.tokens]} - moved
        for push in case.pushes:
            # Nothing keeps a publish from one phone.
            if push.token in tokens and not push.channel and push.event != "end" and push.at_ms > call.answered_ms + grace(
                    case, call.answered_ms, push.at_ms):
                problems.append(f"after {call.short()}: {push.short()}")
        if call.what == "unfollow":
            problems += ends_when_asked(case, call)
    return judged, problems


def ends_follow(case):
    """I13, its other half: every end that is owed has come, or one is under way; without faults within 2 s."""
    problems, judged = [], 0
    ends = by([push for push in case.pushes if push.event == "end"], lambda push: push.token)
    for row in case.after.activities:
        if row["end_push"] == "none":
            continue
        judged += 1
        if row["end_push"] == "due" and not (row["end_lease_until"] or 0) > case.after.now_ms:
            problems.append(f"{activity_key(row)}: its end is owed since {row['ended_ms']}")
        if case.is_control and row["end_reason"] in ("user_unfollow", "user_dismissed") and row["update_token"]:
            first = min((push.at_ms for push in ends.get(row["update_token"], [])), default=None)
            if first is None or first > row["ended_ms"] + 2 * GRACE_MS + SLACK_MS:
                problems.append(f"{activity_key(row)}: ended {row['ended_ms']}, told {first}")
    return judged, problems


def tokens_have_one_owner(case):
    """I14: a token belongs to one phone of one user: who has that phone."""
    problems = []
    for name, rows in (("update_token", [row for row in case.rows.activities if row["status"] != "ended"]),
                       ("push_to_start_token", case.rows.devices), ("device_token", case.rows.devices)):
        owners = by([row for row in rows if row[name]], lambda row: row[name])
        problems += [f"{name} {token[:8]} has {len(found)} owners" for token, found in owners.items() if len(found) > 1]
    for token, _, to in case.moved:
        if to is None:
            continue
        for row in case.rows.activities:
            if row["update_token"] == token and row["status"] != "ended" and row["user_id"] != to:
                problems.append(f"{token[:8]} still belongs to {row['user_id'][:8]}")
    return len(case.rows.activities) + len(case.rows.devices), problems


def one_writer(case):
    """I15: versions have no gap, and neither leases nor the match go back to an older epoch."""
    problems, versions = [], sorted(row["version"] for row in case.rows.updates)
    if versions != list(range(1, len(versions) + 1)):
        problems.append(f"the versions are {versions}")
    newest = case.rows.match.get("version")
    if versions and newest != versions[-1]:
        problems.append(f"the match is at version {newest}, its log at {versions[-1]}")
    epochs = {}
    for name, holder, epoch in case.leases:
        known = epochs.setdefault(name, (epoch, holder))
        if epoch < known[0] or epoch == known[0] and holder != known[1]:
            problems.append(f"{name}: epoch {epoch} of {holder} after {known[0]} of {known[1]}")
        epochs[name] = max(known, (epoch, holder))
    return len(versions) + len(epochs), problems
