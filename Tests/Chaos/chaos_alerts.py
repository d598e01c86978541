"""The invariants about alerts, and which faults came into the middle of one."""

import collections
import functools
import itertools
import json
import re

from chaos_draw import CHANNEL_KIND, host_of
from chaos_invariants import by
from chaos_listeners import bucket, has_lost, lost_channels, was_refused

FRESH_MS = 30_000
# What who starts a card may not know yet of what is committed.
LEARNS_WITHIN_MS = 500
# What an alert needs to be told to all phones of a schedule; and how long before it a phone must be known.
TOLD_WITHIN_MS = 5_000
KNOWN_BEFORE_MS = 2_000
# From the last delivery of an alert to the one that did not come.
CUT_MS = 500
# From the moment at which a fault is noted to the one at which it is felt, and the other way round.
FELT_MS = 500
# A coordinator that is asked to end tells what it has claimed, for so long.
TELLS_FOR_MS = 3_000
# After "TooManyRequests" a phone is left alone for a time between a half of this and all of it.
RESTS_MS = 5_000
# Who tells an alert does not pause for longer; a new connection may take that.
PAUSE_MS = 3_000
# Between the newest alert's body and the headlines of the older ones that its push tells.
BETWEEN = " · "
MORE = re.compile(r"and ([1-9]\d*) more")
# What the next innings begins with.
CHASE = re.compile(r"(Off|In) [\d.]+ (balls?|overs?)(, \d+\.\d\d an over)?")


def alerts(case, updates=None):
    """The versions with an alert, each with when it was committed and what it says."""
    found = []
    for row in sorted(case.rows.updates if updates is None else updates, key=lambda row: row["version"]):
        if row["alert"]:
            alert = row["alert"] if isinstance(row["alert"], dict) else json.loads(row["alert"])
            found.append((row["version"], row["committed_ms"], alert))
    return found


def words(alert):
    return (alert["title"], alert["body"])


def sayings(version, alert):
    """What a push may say of an alert: triples of the version, a title and the body that follows it.

    Once another ball was bowled, the end of the body is of the card that goes with it, and a title that the ball made
    untrue gives way to the next event of the alert: then the body is what happened, without an end."""
    found = [(version, *words(alert))]
    for place, news in enumerate(alert.get("news") or []):
        mentions = [other["mention"] for other in alert["news"][place + 1:] if other.get("mention")]
        parts = [news["detail"]] if news.get("detail") else []
        for count in range(len(mentions) + 1):
            body = BETWEEN.join(parts + mentions[:count])
            found.append((version, news["title"], body))
    return found


def without_end(text, payload):
    """Title and body of a push without what the body says at its end of the card that goes with it."""
    title, body = text
    card = json.loads(payload).get("aps", {}).get("content-state", {}) if payload.startswith("{") else {}
    expanded, leading, trailing = (card.get(name) or {} for name in ("expanded", "compactLeading", "compactTrailing"))
    overs, score = trailing.get("overs"), f"{leading.get('teamAbbr')} {leading.get('score')}"
    ends = {expanded.get("equation"), expanded.get("status"), f"{score} ({overs})", f"{score} all out ({overs})"}
    ends.add(f"{str(overs).removesuffix('.0')} overs")
    # Both totals, after a result.
    for innings in expanded.get("innings") or []:
        ends.add(f"{innings['teamAbbr']} {innings['score']} ({innings['overs']})")
        ends.add(f"{innings['teamAbbr']} " + " & ".join(
            each["score"] for each in expanded["innings"] if each["teamAbbr"] == innings["teamAbbr"]))
    parts = body.split(BETWEEN)
    while parts and (parts[-1] in ends or CHASE.fullmatch(parts[-1])):
        parts.pop()
    return title, BETWEEN.join(parts)


@functools.lru_cache(maxsize=4_096)
def readings(text, known):
    """What a push with this title and body may tell: tuples of versions, newest first. `known` are triples of a version, its
    title and its body. None: it has words of no version."""
    title, body = text
    known, found = sorted(known, reverse=True), []
    for version, its_title, its_body in known:
        if title != its_title:
            continue
        if body == its_body:
            found.append((version,))
            continue
        begin = its_body + BETWEEN if its_body else ""
        if body.startswith(begin):
            older = tuple(each for each in known if each[0] < version)
            found += [(version, *others) for others in headlines(body[len(begin):], older)]
    return found


def headlines(text, older):
    """The ways to read this as headlines of some of these alerts, from newer to older, and how many there are beyond."""
    found = []
    if more := MORE.fullmatch(text):
        # The oldest of those that were to be told: what is too old, or was told, is older still.
        found += some(int(more[1]), sorted({version for version, _, _ in older}, reverse=True))
    for version, title in sorted({(version, title) for version, title, _ in older}, reverse=True):
        if not title:
            continue
        if text == title:
            found.append((version,))
        elif text.startswith(title + BETWEEN):
            rest = tuple(each for each in older if each[0] < version)
            found += [(version, *others) for others in headlines(text[len(title + BETWEEN):], rest)]
    return found


def some(count, versions):
    """Each choice of so many of them, in their order."""
    return list(itertools.combinations(versions, count))


def tellings(case):
    """(push, versions told) of each push that tells an alert, in their order; no versions where it has words of none.

    Where one may be read in several ways, the best is meant: of what the phone wants and has not heard."""
    said = {version: alert for version, _, alert in alerts(case, case.rows.updates + case.after.updates)}
    known = tuple(saying for version, alert in said.items() for saying in sayings(version, alert))
    moved, owners = {token for token, *_ in case.moved}, case.owners()
    heard, found = collections.defaultdict(set), []
    for push in sorted((push for push in case.pushes if push.tells), key=lambda push: push.at_ms):
        phone = None if push.token in moved else owners.get(push.token)
        had = heard[phone.key if phone else push.token]

        def faults(versions, phone=phone, had=had):
            return sum(version in had or phone is not None and is_unwanted(phone, said[version]) for version in versions)

        texts = {push.alert, without_end(push.alert, push.payload)}
        versions = min((reading for text in texts for reading in readings(text, known)), key=faults, default=())
        had.update(versions)
        found.append((push, versions))
    return found


def is_unwanted(phone, alert):
    return phone.alerts == "none" or phone.alerts == "key" and alert.get("isKey") is False


def alerts_at_most_once(case):
    """I7: no phone is alerted of the same twice, nor against its follow's wish."""
    # A token that was given to another user alerts that one.
    moved = {token for token, *_ in case.moved}
    problems, owners = [], {token: phone for token, phone in case.owners().items() if token not in moved}
    said, committed = {}, {}
    for version, at, alert in alerts(case, case.rows.updates + case.after.updates):
        said[version], committed[version] = alert, at
    told, judged = collections.defaultdict(list), 0
    for push, versions in tellings(case):
        if push.token not in owners:
            continue
        phone = owners[push.token]
        for version in versions:
            card = push.token if is_being_moved(phone, push, committed[version]) else None
            told[phone.key, version, card].append(push)
        if not versions:
            judged += 1
            problems.append(f"of no version: {push.short()} {push.alert[1]!r}")
        if phone.alerts == "none" or any(is_unwanted(phone, said[version]) for version in versions):
            problems.append(f"a follow with alerts {phone.alerts}: {push.short()}")
    problems += [f"{key[1]} was alerted {len(pushes)} times of version {version}: "
                 + "; ".join(push.short() for push in pushes)
                 for (key, version, _), pushes in told.items() if len(pushes) > 1]
    return judged + len(told), problems


def is_being_moved(phone, push, committed_ms):
    """Whether the push came to the older of two cards on channels before the app had ended it. The newer one hears the alert
    as well where its start did not carry the version: no push reaches one phone of a channel."""
    older = next((shown for shown in phone.activities if push.token in shown.tokens), None)
    return bool(older and older.channel and push.at_ms <= (older.ended_ms or push.at_ms)) and any(
        newer.channel and newer.began_ms > older.began_ms and committed_ms >= newer.began_ms - LEARNS_WITHIN_MS
        for newer in phone.activities)


def eligible(case, committed_ms, alert):
    """Phones that must hear of it: known well before, alive well after, and wanting it."""
    active = {}
    for call in case.calls:
        if call.what == "token" and call.is_good and call.answer.get("liveActivity") == "active":
            known = active.get(call.value, call.answered_ms)
            active[call.value] = min(known, call.answered_ms)
    lost = lost_channels(case.rows)
    active |= {shown.id: shown.listened_ms for _, shown in case.listeners
               if shown.listened_ms and shown.channel not in lost and not has_lost(
                   case, shown.channel, committed_ms, committed_ms + FRESH_MS)}
    # Whatever a phone or its user does about that time excuses it.
    busy = {call.user for call in case.calls
            if call.what in ("unfollow", "dismiss") and call.begun_ms < committed_ms + FRESH_MS or call.what == "change"}
    replaced = by([call for call in case.calls if call.what == "token"], lambda call: call.activity)
    troubled = case.killed | {token for token, *_ in case.moved} | {
        call.value for calls in replaced.values() if len({call.value for call in calls}) > 1 for call in calls}
    for phone in case.phones:
        if phone.user in busy or phone.alerts == "none" or phone.alerts == "key" and not alert["isKey"]:
            continue
        tokens = [token for token in phone.tokens if active.get(token, committed_ms) < committed_ms - KNOWN_BEFORE_MS]
        # A second activity, or a token that changed: which of them hears of it is another question.
        if len(phone.activities) == 1 and len(tokens) == 1 and tokens[0] not in troubled:
            yield phone, tokens[0]


def missed(case):
    """(version, phone, token) of all that should have heard of an alert and did not; and how many should have.

    A newer alert does not stand for an older one: one push tells both. What was taken back soon need not be told, and its
    correction only to who was told it."""
    found, should = [], 0
    told = {(push.token, version) for push, versions in tellings(case) for version in versions}
    for version, committed_ms, alert in alerts(case):
        is_over, corrected = taken_back(case, version, committed_ms, alert), corrected_by(case, version, alert)
        for phone, token in eligible(case, committed_ms, alert):
            if (token, version) in told:
                should += 1
            elif not is_over and (not corrected or any((token, each) in told for each in corrected)):
                should += 1
                found.append((version, phone, token))
    return found, should


def corrected_by(case, version, alert):
    """The versions whose alerts this one corrects; none where it is no correction."""
    keys = next((retracted(row) for row in case.rows.updates if row["version"] == version), set())
    return [number for number, _, other in alerts(case) if alert.get("kind") == "correction" and number < version
            and keys & set((other.get("eventKeys") or [])[:1])]


def retracted(row, column="retracted"):
    """The keys of the events that a version takes back; or overtakes, by the other column."""
    keys = row.get(column) or []
    return set(json.loads(keys) if isinstance(keys, str) else keys)


def taken_back(case, version, committed_ms, alert):
    """Whether the provider took back what the alert announces, or the match moved past all of it, while it was news."""
    keys = set(alert.get("eventKeys") or [])
    soon = [row for row in case.rows.updates + case.after.updates
            if row["version"] > version and row["committed_ms"] <= committed_ms + FRESH_MS]
    passed = set().union(*(retracted(row, "overtaken") for row in soon))
    return any(keys & retracted(row) for row in soon) or bool(keys) and keys <= passed


def alerts_come(case):
    """I8: everybody who should be alerted is, but for what a fault that befell the teller or the database may cost

    Without faults nobody may miss an alert."""
    found, should = missed(case)
    if case.is_control:
        return should, [f"{phone.device} was not told of version {version}" for version, phone, _ in found]
    claims, problems, tells = claims_by_token(case), [], tellings(case)
    for version, phone, token in found:
        claim = claims.get((version, token))
        if not may_be_lost(case, version, claim, claims, token, tells):
            problems.append(f"{phone.device} was not told of version {version}, which " + (
                f"{claim['holder']} claimed for it at {claim['claimed_ms']}, and nothing befell that one" if claim
                else "nobody claimed for it"))
    return should, problems


def claims_by_token(case):
    """By version and token."""
    rows = {(row["alert_version"], row["bucket"]): row for row in case.rows.claims}
    heard = {(version, shown.id): rows[key] for _, shown in case.listeners for version, _, _ in alerts(case)
             if (key := (version, bucket(case.rows, shown.channel))) in rows}
    return heard | {(version, row["update_token"]): rows[version, row["shard"]] for row in case.rows.activities
            for version, _, _ in alerts(case) if (version, row["shard"]) in rows}


def may_be_lost(case, version, claim, claims, token, tells):
    """Whether a fault explains that the phone of a token is not told of an alert, for which this is the claim of all these, or None.

    `tells`: what each push told."""
    [(committed_ms, alert)] = [(at_ms, alert) for number, at_ms, alert in alerts(case) if number == version]
    channel = next((shown.channel for _, shown in case.listeners if shown.id == token), None)
    if channel and was_refused(case, channel, committed_ms + FRESH_MS):
        return True
    if claim is None:
        return may_be_unclaimed(case, committed_ms, alert)
    told = [push.at_ms for push, versions in tells if version in versions
            and claims.get((version, push.token), {}).get("holder") == claim["holder"]]
    return may_be_untold(case, claim, max([claim["claimed_ms"], *told])) or rested_too_long(case, claim, token)


def may_be_unclaimed(case, committed_ms, alert):
    """Whether nobody claimed an alert for a good reason: the database was away, or it was old before it could be claimed."""
    # A claim that a database in trouble did not take is not made again.
    if any(strike.kind == "postgres" and strike.begun_ms <= committed_ms + FRESH_MS and strike.ended_ms >= committed_ms
           for strike in case.strikes):
        return True
    return committed_ms - alert["eventAt"] * 1_000 > FRESH_MS - 2 * TOLD_WITHIN_MS


def may_be_untold(case, claim, told_ms):
    """Whether something befell who had claimed an alert, while it told it (the last phone at `told_ms`), that costs alerts: the
    claim itself excuses nothing, and neither does what came when it had long stopped telling.

    Clocks cost none, as whether an alert is news goes by the database's; nor do sockets to other services, and a coordinator
    that hands a shard over tells first what it has claimed for it."""
    begun_ms, ended_ms = claim["claimed_ms"] - FELT_MS, told_ms + PAUSE_MS
    name = claim["holder"].split("/")[0]
    return any(
        strike.begun_ms <= ended_ms and strike.ended_ms >= begun_ms and costs_alerts(strike, name) for strike in case.strikes
    ) or any(
        death.name == name and death.drained_ms is not None and death.drained_ms >= TELLS_FOR_MS
        and death.at_ms - death.drained_ms <= ended_ms and death.at_ms >= begun_ms for death in case.deaths)


def rested_too_long(case, claim, token):
    """Whether APNs wanted the phone to be left alone when who had claimed an alert was asked to end, and beyond the time that it had
    for that."""
    refused = [push.at_ms for push in case.pushes if push.token == token and push.status == 429]
    asked = [death.at_ms - death.drained_ms for death in case.deaths
             if death.name == claim["holder"].split("/")[0] and death.drained_ms is not None
             and death.at_ms > claim["claimed_ms"]]
    if not refused or not asked:
        return False
    before = [at_ms for at_ms in refused if at_ms <= min(asked) + TELLS_FOR_MS]
    # 5 s, twice that after the second refusal, and so on; a half of it by chance.
    return bool(before) and max(before) + RESTS_MS * 2 ** (len(before) - 1) > min(asked) + TELLS_FOR_MS


def costs_alerts(strike, name):
    """Whether a coordinator of this name may lose what it has claimed by a fault: it is gone, or stood still beyond the time
    for which its lease is trusted, or its host was cut off, or it got no answer from APNs or PostgreSQL."""
    if strike.kind in ("kill", "stop"):
        return strike.target == name
    if strike.kind == "host":
        # It befell the host of a process, or a host by its name, which has the letter of its first processes.
        return host_of(strike.target[-1]) == host_of(name[-1])
    return strike.kind in ("apns", "postgres", CHANNEL_KIND)


def lost_counts(case):
    """Of the alerts that should have come: how many did not, how many of these had been claimed, and how many no fault would
    have excused, had they not come."""
    (found, should), claims, tells = missed(case), claims_by_token(case), tellings(case)
    return {
        "wanted": should, "lost": len(found), "lostClaimed": sum((version, token) in claims for version, _, token in found),
        "bound": sum(not may_be_lost(case, version, claims.get((version, token)), claims, token, tells)
                     for version, committed_ms, alert in alerts(case) for _, token in eligible(case, committed_ms, alert)),
    }


def windows(case):
    """From the commit of each alert to its last delivery. Where some were not told any more, what cut it short came a little
    after the last: half a second at most, and before the next version."""
    found = {}
    commits, tells = {row["version"]: row["committed_ms"] for row in case.rows.updates}, tellings(case)
    for version, committed_ms, alert in alerts(case):
        told = {push.token: push.at_ms for push, versions in tells if version in versions}
        ended_ms = max(told.values(), default=committed_ms)
        if not told or any(token not in told for _, token in eligible(case, committed_ms, alert)):
            ended_ms = min(ended_ms + CUT_MS, max(ended_ms, commits.get(version + 1, case.rows.now_ms)))
        found[version] = (committed_ms, ended_ms)
    return found


def mark_inside(case):
    """Notes at each strike the alert that it came into the middle of."""
    spans = windows(case)
    for strike in case.strikes:
        strike.inside = next(
            (version for version, (begun, ended) in spans.items() if begun <= strike.begun_ms <= ended), None)
    return collections.Counter(strike.kind for strike in case.strikes if strike.inside is not None)


def metrics_count(case):
    """Without faults: what the coordinators' and buses' metrics count is what happened."""
    if not case.is_control:
        return 0, []
    expected = {
        "updates": sum(push.event == "update" and not push.channel and push.status == 200 and push.at_ms <= case.rows.now_ms
                       for push in case.pushes),
        "versions": len(case.rows.updates), "alertsLost": 0,
    }
    return len(expected), [f"{name}: {case.metrics.get(name)} by the metrics, {count} happened"
                           for name, count in expected.items() if case.metrics.get(name) != count]
