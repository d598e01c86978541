"""The invariants about processes: what they take, write, and how they die and come back."""

from chaos_listeners import heard_within_ms, left_without_end, newest_is_heard, was_off
from chaos_records import SHOWN

# A process of the suite, with everything that a few dozen phones and matches cost; debug builds included.
LIMITS = {"rss": 256 << 20, "fds": 256, "threads": 64}
TOKEN_EVERY_MS = 20 * 60 * 1_000
BACK_MS = 2_000
DRAIN_MS = 5_000
# A process that is asked to end before it listens to signals dies of them.
YOUNG_STATUS = -15
PAYLOAD_MAX = 4_096
# Answers of a gateway: 404 while it does not know the match yet, 503 while its database is away.
ANSWERS = {200, 201, 202, 204, 404, 503, 0, -1}
CONVERGED_MS = 15_000


def sizes_are_bounded(case):
    """I16: memory, open files and threads."""
    return len(case.sizes), [f"{name}: {what} {value}" for name, what, value in case.sizes if value > LIMITS[what]]


def payloads_are_good(case):
    """I17: APNs takes every push but those to dead tokens, and those that a fault refuses; phones can read them."""
    problems = []
    gone = ("ChannelNotRegistered", "BadChannelId", "BroadcastFeatureNotEnabled") if was_off(case) else ()
    dropped = (None, SHOWN, "droppedOldTimestamp", "alreadyEnded", "expired") + (("unknownChannel",) if gone else ())
    for push in case.pushes + case.publishes:
        if len(push.payload.encode()) > PAYLOAD_MAX:
            problems.append(f"{len(push.payload.encode())} bytes: {push.short()}")
        if push.status not in (200, 0) and not push.fault and push.reason not in gone and not (
                push.status == 410 and push.token in case.killed):
            problems.append("refused: " + push.short())
        if push.verdict not in dropped:
            problems.append("not for this phone: " + push.short())
    return len(case.pushes) + len(case.publishes), problems


def few_provider_tokens(case):
    """I18: one provider token in 20 minutes, of all processes together."""
    made = sorted(case.provider_tokens)
    return len(made), [f"{before} and {at}" for before, at in zip(made, made[1:]) if at - before < TOKEN_EVERY_MS]


def nothing_leaks(case):
    """I20: no secret in what the processes write."""
    return case.log_bytes, list(case.leaks)


def processes_come_back(case):
    """I20: a process ends only when something ends it, and is back within 2 s; asked to end, it does so within 5 s."""
    problems = []
    for death in case.deaths:
        if not death.wanted:
            problems.append(f"{death.name} ended by itself with {death.status} at {death.at_ms}")
        # One that stood still meanwhile, or whose host was cut off, could not come back before.
        begun_ms = max([death.at_ms + death.restart_ms, *(
            strike.ended_ms for strike in case.strikes
            if (strike.is_cut or strike.kind == "stop" and strike.target == death.name)
            and strike.ended_ms >= death.at_ms and strike.begun_ms <= (death.back_ms or 0))])
        if death.back_ms is not None and death.back_ms - begun_ms > BACK_MS:
            problems.append(f"{death.name}: back {death.back_ms - death.at_ms} ms after its death")
        if death.drained_ms is not None and death.status != YOUNG_STATUS:
            if death.status != 0 or death.at_ms - asked_at(case, death) > DRAIN_MS:
                problems.append(f"{death.name}: SIGTERM, then {death.status} after {death.drained_ms} ms")
    return len(case.deaths), problems


def asked_at(case, death):
    """When it heard that it should end: one that stood still then hears of it when it goes on."""
    asked_ms = death.at_ms - death.drained_ms
    return max([asked_ms, *(min(strike.ended_ms, death.at_ms) for strike in case.strikes
                            if strike.kind == "stop" and strike.target == death.name
                            and strike.begun_ms <= death.at_ms and strike.ended_ms >= asked_ms)])


def answers_are_known(case):
    """D2: a gateway says 2xx, that it does not know, or 503: nothing else, whatever happens to it."""
    # A gateway of the release before knows no such call.
    return len(case.calls), [call.short() for call in case.calls
                             if call.status not in ANSWERS and (call.what, call.status) != ("confirm", 405)]


def converges(case):
    """L1: after the last fault everything is as it should be within 15 s, and with the match every activity ends."""
    problems = []
    if case.converged_ms is None or case.converged_ms - case.last_fault_ms > CONVERGED_MS:
        problems.append("not within 15 s: " + "; ".join(case.waiting_for[:10]))
    judged, late = newest_is_heard(case)
    # Who listens is waited for when all else is right.
    if judged and case.converged_ms and (case.heard_ms is None or case.heard_ms - case.last_fault_ms > heard_within_ms(case)):
        problems.append(f"not heard within {heard_within_ms(case) // 1_000} s: " + "; ".join(late[:10]))
    problems += left_without_end(case)
    if case.over_ms is None:
        left = [f"{row['device_id']} {row['status']}, end {row['end_push']}" for row in case.after.activities
                if row["status"] != "ended" or row["end_push"] == "due"]
        problems.append("not ended with the match: " + "; ".join(left[:10]))
    return 2, problems


def audits_find_nothing(case):
    """What coordinators know of the phones is what the tables say, by the audits that they made during the schedule."""
    found = case.metrics.get("mismatches", 0)
    return case.metrics.get("audits", 0), [f"{found} shards were not known as they are"] if found else []
