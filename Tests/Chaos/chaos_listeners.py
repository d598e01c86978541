"""What holds for cards that listen to a broadcast channel: nothing can be sent to a single one of them, and what is published
while a phone does not listen never comes. Functions over records, as those beside it."""

from chaos_draw import CHANNEL_KIND
from chaos_records import SHOWN

# L1, for those that have heard everything.
HEARD_MS = 15_000
# Who has missed a publish hears the next one, which is a heartbeat at the latest.
HEARTBEAT_MS = 120_000
# A channel rests for so long after a 429, and is published to every 15 s at the slowest.
REST_MS, SLOWEST_MS = 60_000, 20_000
# A card whose channel is gone gets another one by a start, and one more when that is lost.
RENEWED_MS = 45_000
# Whatever may come between a channel that APNs has made and its row.
INTERRUPTIONS = {"kill", "stop", "rolling", "postgres", "host"}
CHANNELS_OF_ONE = 3
# In claims of alerts a channel's class comes after the shards.
SHARDS = 64
LEVELS = ("all", "key", "none")


def lost_channels(rows):
    """Those that APNs does not know any more, as far as the backend knows."""
    return {row["channel_id"] for row in rows.channels if row["lost_ms"]}


def was_off(case):
    """Whether broadcasts were switched off, which deletes all channels."""
    return any(strike.kind == CHANNEL_KIND and strike.how == "capability" for strike in case.strikes)


def cards_by_start(case):
    return {shown.start_id: (phone, shown) for phone, shown in case.listeners}


def shown_by(case, until_ms):
    """By card, the push that it shows at that moment."""
    starts = {push.start_id: push for push in case.pushes if push.event == "start" and push.verdict == SHOWN}
    found = {shown.id: starts[shown.start_id] for _, shown in case.listeners if shown.start_id in starts}
    for push in case.pushes:
        if push.channel and push.verdict == SHOWN and push.at_ms <= until_ms and push.token in found:
            found[push.token] = push
    return found


def newest_is_heard(case):
    """L1, for who listens: the card of each record shows the newest committed state, on a channel that there is."""
    # Here, as that module needs this one.
    from chaos_invariants import forms

    rows, problems, judged = case.rows, [], 0
    newest = max(rows.updates, key=lambda row: row["version"], default=None)
    if newest is None:
        return 0, []
    allowed = ['"content-state":' + text for text in forms(newest["content_state"])]
    shown_now, cards, lost, moved = shown_by(case, rows.now_ms), cards_by_start(case), lost_channels(rows), {
        token for token, *_ in case.moved}
    levels = {row["user_id"]: LEVELS.index(row["alerts"]) for row in rows.follows}
    classes = {row["channel_id"]: row["class"] for row in rows.channels}
    for row in rows.activities:
        if row["status"] != "active" or row["update_token"] or not row["channel_id"]:
            continue
        phone, shown = cards.get(row["start_id"], (None, None))
        if shown and ((shown.ended_ms or rows.now_ms) < rows.now_ms or shown.id in case.killed | moved):
            # The phone has taken it off, and says so when its app runs.
            continue
        judged += 1
        if row["channel_id"] in lost:
            problems.append(f"{row['device_id']}: still on a channel that is lost")
        elif row["user_id"] in levels and classes.get(row["channel_id"]) != levels[row["user_id"]]:
            problems.append(f"{row['device_id']}: on the channel of another level than its follow's")
        elif shown is None:
            if not was_off(case):
                problems.append(f"{row['device_id']}: its start {row['start_id']} has brought no card")
        elif not any(text in shown_now[shown.id].payload for text in allowed):
            problems.append(f"{row['device_id']}: not version {newest['version']}, but {shown_now[shown.id].short()}")
    return judged, problems


def heard_within_ms(case):
    """How long after the last fault all who listen may need: as long as what befell their channels lasts."""
    allowed_ms = HEARD_MS
    if any(push.status == 429 for push in case.publishes):
        allowed_ms += REST_MS + SLOWEST_MS
    if any(push.lost for push in case.publishes) or has_gap(case) or was_off(case):
        allowed_ms += HEARTBEAT_MS
    if lost_channels(case.rows) or any(call.what == "change" for call in case.calls):
        allowed_ms += RENEWED_MS
    return allowed_ms


def has_gap(case):
    """Whether something newer was published before a card listened than what it began with."""
    began_with = {push.start_id: push.version or 0 for push in case.pushes if push.event == "start" and push.verdict == SHOWN}
    return any(
        push.channel == shown.channel and push.status == 200 and (push.version or 0) > began_with.get(shown.start_id, 0)
        and push.at_ms <= (shown.listened_ms or 0) for _, shown in case.listeners for push in case.publishes)


def left_without_end(case):
    """Cards that stay on their phones when the match is over: each gets an `end` by its channel. Those of a channel that is
    lost cannot be told."""
    lost, moved = lost_channels(case.after), {token for token, *_ in case.moved}
    return [f"{phone.device}: no end to {shown.id} by {shown.channel}" for phone, shown in case.listeners
            if shown.listened_ms and not shown.ended_ms and shown.id not in case.killed | moved and shown.channel not in lost]


def second_is_due(case, phone, first, push, lease_is_over):
    """Whether a card that listens gives way to another one by this start: it is off its phone, its channel is gone or is not for
    what its user wants now, or whoever had started it did not live to say so, and neither has its app."""
    shown = next((shown for shown in phone.activities if shown.start_id == first.start_id), None)
    if shown is None or shown.ended_ms and shown.ended_ms <= push.at_ms:
        return True
    if any(call.what == "change" and call.user == phone.user and call.begun_ms <= push.at_ms for call in case.calls):
        return True
    if lease_is_over and not case.is_control and not any(
            call.what == "listen" and call.is_good and call.value == shown.id and call.answered_ms < push.at_ms
            for call in case.calls):
        return True
    return any(row["channel_id"] == first.input_channel and row["lost_ms"] and row["lost_ms"] <= push.at_ms
               for row in [*case.rows.channels, *case.after.channels])


def ends_when_asked(case, unfollow):
    """What a phone that reconciles after an unfollow is not told to end."""
    listed = {shown.id for _, shown in case.listeners}
    reconciled = [call for call in case.calls if call.what == "reconcile" and call.is_good and call.user == unfollow.user
                  and call.begun_ms >= unfollow.answered_ms]
    return [f"after {unfollow.short()}: {card} may stay, by {call.short()}" for call in reconciled for card in call.listed
            if card in listed and card not in (call.answer.get("end") or [])]


def channels_are_named(case):
    """APNs has no channel that no row names, but those whose making was interrupted."""
    allowed = CHANNELS_OF_ONE * sum(
        strike.kind in INTERRUPTIONS or strike.kind == CHANNEL_KIND and strike.how in ("createLost", "unavailable")
        for strike in case.strikes)
    named = sum(row["channel_id"] is not None for row in case.rows.channels)
    return named + len(case.orphans), [] if len(case.orphans) <= allowed else [
        f"{len(case.orphans)} channels, and {allowed} could be: {', '.join(case.orphans)}"]


def bucket(rows, channel):
    """By what an alert is claimed for a channel; None where there is no such row."""
    return next((SHARDS + row["class"] for row in rows.channels if row["channel_id"] == channel), None)


def was_refused(case, channel, until_ms):
    """Whether a channel may rest at that moment."""
    return any(push.channel == channel and push.status == 429 and until_ms - REST_MS - SLOWEST_MS <= push.at_ms <= until_ms
               for push in case.publishes)


def has_lost(case, channel, begun_ms, ended_ms):
    return any(push.channel == channel and push.lost and begun_ms <= push.at_ms <= ended_ms for push in case.publishes)
