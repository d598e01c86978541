"""What a schedule of deploy/chaos does, drawn from its seed alone: the same seed draws the same schedule everywhere."""

import dataclasses
import random

REPLICAS = {"api-gateway": 2, "orchestrator": 2, "score-poller": 2, "event-bus": 2, "la-coordinator": 3}
# With several hosts one of each is on the first, the second on the other, and so on.
HOSTS = "ab"
# Seconds of play, and those in which faults begin.
PLAY = 10.0
FIRST, LAST = 0.8, 8.5
# How much faster than real a match is played: some twenty balls in ten seconds.
SPEED = 85
# Balls that a schedule shows, more or less.
BALLS = 20
# Every so many schedules one has no faults: what must hold without any.
CONTROL_EVERY = 8

KINDS = {"kill": 6, "stop": 4, "rolling": 2, "postgres": 2, "socket": 4, "clock": 2, "apns": 2}
# With two hosts also these: one is cut off, or loses all its processes at once.
HOST_KINDS = KINDS | {"host": 5}
# Where a fault can be aimed into a fan-out: who carries it, and what it needs.
AIMED = {
    "kill": ["la-coordinator", "la-coordinator", "event-bus"], "stop": ["la-coordinator", "la-coordinator", "event-bus"],
    "rolling": ["la-coordinator"], "postgres": ["postgres"], "socket": ["event-bus>la-coordinator"],
    "clock": ["la-coordinator", "event-bus"], "apns": ["apns"], "host": ["la-coordinator", "event-bus", "score-poller"],
}
LINKS = ["score-poller>event-bus", "event-bus>la-coordinator", "edge>la-coordinator"]
HOW = {
    "host": ["cut", "cut", "kill"], "postgres": ["fast", "immediate", "crash", "freeze"],
    "socket": ["cut", "mid-frame", "delay", "slice"],
    "clock": ["+3600", "-3600"],
    "apns": ["TooManyRequests", "InternalServerError", "ServiceUnavailable", "goaway", "close", "closeDelivered"],
}
# What befalls broadcast channels, where phones listen to some, and how often each of it is drawn: publishes that do not reach
# every phone, that are refused (without a time, or with one), a channel that APNs forgets, and broadcasts that are switched
# off and on again.
CHANNEL_KIND = "channels"
CHANNEL_HOW = {"lost": 3, "throttled": 2, "retryAfter": 3, "forgotten": 1, "capability": 1}
# What befalls the provider: it answers nobody, has no match in play, has it every other time, refuses calls.
PROVIDER_KIND = "provider"
PROVIDER_HOW = ["freeze", "forget", "flap", "429"]
# What befalls the channels that are made before play begins: answers lost, or management away for a while.
OPENINGS = {"": 8, "createLost": 1, "unavailable": 1}
# Of a schedule's phones, and of those that listen.
LISTENING, REPORTING = 0.65, 0.65
# Of the schedules with channels, those in which a user wants other alerts than before.
CHANGING = 0.6
# Dirty feeds: what the provider does changes no promise to a phone.
VARIANTS = ["clean"] * 5 + ["corrections", "batching", "repeats", "stale", "storm"]


def host_of(letter):
    """The host of the replica with this letter."""
    return HOSTS["abc".index(letter) % len(HOSTS)]


@dataclasses.dataclass(frozen=True)
class Fault:
    kind: str
    # An instance; a service, for whichever of its processes does the work then; a link between services.
    target: str
    # Seconds after the beginning of play; of an aimed one, the latest.
    at: float
    how: str = ""
    lasts: float = 0.0
    # None, or ("commit", seconds after it) or ("told", phones that were told).
    aim: tuple | None = None


@dataclasses.dataclass(frozen=True)
class PhonePlan:
    user: int
    number: int  # among the user's phones
    alerts: str = "all"
    # Seconds after the beginning of play; None: never.
    joins: float = 0.0
    unfollows: float | None = None
    dismisses: float | None = None
    # Its token dies, and APNs says so.
    dies: float | None = None
    # It registers another token for its activity.
    rotates: float | None = None
    # Its token is registered by this user.
    moves_to: int | None = None
    moves: float | None = None
    # It can listen to a channel; then its app says so, so many seconds after a card appeared. None: it never does.
    listens: bool = False
    reports: float | None = None
    # Its user wants other alerts, which brings the card to another channel 15 s later; negative: so long before play begins.
    changes: float | None = None
    changes_to: str = ""


@dataclasses.dataclass(frozen=True)
class Plan:
    seed: int
    tape: str
    # How much of the tape is over when play begins: dirty variants have other frames.
    place: float
    variant: str
    phones: tuple
    faults: tuple
    # Faults and play begin while the activities are being started.
    early: bool = False
    # What befalls channels before play begins.
    opening: str = ""

    @property
    def is_control(self):
        return not self.faults

    @property
    def listens(self):
        return any(phone.listens for phone in self.phones)


def draw(seed, places, without_faults=False, hosts="", channels=True):
    """The schedule of this seed. `places` are pairs of a tape and how much of it is over where alerts are near, `hosts` the
    names of the hosts when there are several. With `channels` phones of even seeds listen to some."""
    dice = random.Random(f"chaos {seed}")
    tape, place = dice.choice(places)
    is_control = without_faults or seed % CONTROL_EVERY == 0
    variant = dice.choice(VARIANTS)
    phones = draw_phones(dice)
    faults = draw_faults(dice, hosts)
    # By dice of its own, as are the channels: whatever else is drawn stays as it is.
    faults = tuple(sorted(faults + draw_provider(random.Random(f"provider {seed}")), key=lambda fault: fault.at))
    early = dice.random() < 0.25
    opening = ""
    if channels and seed % 2 == 0:
        phones, more, opening = draw_channels(random.Random(f"channels {seed}"), phones)
        faults = tuple(sorted(faults + more, key=lambda fault: fault.at))
    if is_control:
        variant, faults, early, opening = "clean", (), False, ""
    return Plan(seed, tape, place, variant, phones, faults, early, opening)


def draw_channels(dice, phones):
    """Who listens, what befalls publishes, and what befalls the making of channels."""
    phones = [dataclasses.replace(
        phone, listens=dice.random() < LISTENING,
        reports=round(dice.uniform(0.2, 5), 2) if dice.random() < REPORTING else None) for phone in phones]
    # One who does nothing else.
    busy = {phone.moves_to for phone in phones} | {phone.user for phone in phones if phone.joins or any(
        deed is not None for deed in (phone.unfollows, phone.dismisses, phone.dies, phone.rotates, phone.moves))}
    listening = {phone.user: phone.alerts for phone in phones if phone.listens and phone.user not in busy}
    # The last one is hardly among those that follow first.
    if listening and dice.random() < CHANGING:
        user = max(listening)
        index = next(index for index, phone in enumerate(phones) if phone.user == user)
        phones[index] = dataclasses.replace(
            phones[index], changes=round(dice.choice([dice.uniform(0.5, 8), dice.uniform(-14, -8)]), 2),
            changes_to=dice.choice([level for level in ("all", "all", "key") if level != listening[user]]))
    faults = {}
    for how in dice.choices(list(CHANNEL_HOW), CHANNEL_HOW.values(), k=dice.choice([0, 1, 1, 2])):
        # Whatever follows from it needs a publish to begin with.
        is_lasting = how in ("forgotten", "capability")
        at = round(dice.uniform(FIRST, LAST / 2 if is_lasting else LAST), 2)
        lasts = min(round(dice.uniform(2, 6), 2), round(PLAY + 1.5 - at, 2))
        is_aimed = not is_lasting and dice.random() < 0.5
        faults[how] = Fault(
            CHANNEL_KIND, "apns", LAST if is_aimed else at, how, min(lasts, 3.0) if is_aimed else lasts,
            ("commit", 0.0) if is_aimed else None)
    return tuple(phones), tuple(faults.values()), dice.choices(list(OPENINGS), OPENINGS.values())[0]


def draw_provider(dice):
    faults = {}
    for how in dice.choices(PROVIDER_HOW, k=dice.choice([0, 1, 1, 2])):
        at = round(dice.uniform(FIRST, LAST), 2)
        lasts = min(round(dice.uniform(1, 5), 2), round(PLAY + 1.5 - at, 2))
        # Each by itself: one that ends takes back whatever the provider still has to do.
        if all(fault.at + fault.lasts < at or at + lasts < fault.at for fault in faults.values()):
            faults[how] = Fault(PROVIDER_KIND, "provider", at, how, lasts)
    return tuple(faults.values())


def draw_phones(dice):
    phones, users = [], dice.randint(14, 38)
    for user in range(users):
        alerts = dice.choices(["all", "key", "none"], [7, 2, 1])[0]
        late = dice.uniform(1, 6) if dice.random() < 0.08 else 0.0
        phones += [
            PhonePlan(user=user, number=number, alerts=alerts, joins=late)
            for number in range(2 if dice.random() < 0.4 else 1)]
    # Whatever a user or a phone does in the middle, each does one of these at most.
    order = dice.sample(range(users), users)
    deeds = [
        *["unfollows"] * dice.randint(1, 2), "dismisses", "dies", *["rotates"] * dice.randint(0, 2),
        *["moves"] * dice.randint(1, 2)]
    for user, deed in zip(order, deeds):
        index = dice.choice([index for index, phone in enumerate(phones) if phone.user == user])
        changes = {deed: round(dice.uniform(2, 8), 2)}
        if deed == "moves":
            # To somebody who does nothing else.
            changes["moves_to"] = order[-1]
        phones[index] = dataclasses.replace(phones[index], **changes)
    return tuple(phones)


def draw_faults(dice, hosts):
    kinds = HOST_KINDS if hosts else KINDS
    faults, postgres = [], 0
    for number in range(dice.randint(4, 8)):
        kind = dice.choices(list(kinds), kinds.values())[0]
        if kind == "postgres":
            postgres += 1
            if postgres > 2:
                kind = "kill"
        # The first two always aim.
        is_aimed = number < 2 or dice.random() < 0.35
        fault = draw_fault(dice, kind, is_aimed, hosts)
        faults.append(fault)
    return tuple(sorted(faults, key=lambda fault: fault.at))


def draw_fault(dice, kind, is_aimed, hosts):
    at = round(dice.uniform(FIRST, LAST), 2)
    how = dice.choice(HOW.get(kind, [""]))
    lasts = round({
        "stop": dice.uniform(1, 6), "host": dice.uniform(1, 6), "clock": dice.uniform(2, 5), "socket": dice.uniform(0.3, 3),
        "apns": dice.uniform(0.5, 2), "postgres": dice.uniform(1, 4) if how == "freeze" else 0.0,
    }.get(kind, 0.0), 2)
    # Frozen and jumping ones are themselves again when play ends, or soon after.
    lasts = min(lasts, round(PLAY + 1.5 - at, 2))
    if is_aimed:
        aim = ("commit", round(dice.uniform(0, 0.3), 3)) if dice.random() < 0.5 else ("told", dice.randint(1, 12))
        return Fault(kind, dice.choice(AIMED[kind]), at=LAST, how=how, lasts=min(lasts, 3.0), aim=aim)
    return Fault(kind, any_target(dice, kind, hosts), at=at, how=how, lasts=lasts)


def any_target(dice, kind, hosts):
    if kind == "host":
        return f"host-{dice.choice(hosts)}"
    if kind in ("postgres", "apns"):
        return kind
    if kind == "socket":
        return dice.choice(LINKS)
    service = dice.choice(list(REPLICAS))
    return service if kind == "rolling" else f"{service}-{dice.choice('abc'[:REPLICAS[service]])}"


def places_of(tape, alert_frames, frames):
    """Where some alerts are near, by the frames of all alerts of the tape: the more, the oftener it is drawn. They come while
    there is time for what they are to bring about. The result is far: with it every activity ends."""
    near = {start: sum(start + 2 <= frame <= start + 2 * BALLS // 3 for frame in alert_frames)
            for start in range(8, frames - 2 * BALLS)}
    return [(tape, start / frames) for start, count in near.items() for _ in range((count - 1) ** 2 if count > 1 else 0)]
