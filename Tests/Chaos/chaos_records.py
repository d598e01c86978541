"""What a schedule of deploy/chaos leaves behind, in the form in which it is judged."""

import dataclasses
import json

# All times are milliseconds since 1970: the simulator, PostgreSQL and we have the same clock, which no fault moves.

# What a phone made of a push that it took as it was meant.
SHOWN = "handled"
# Of a request, when nobody answered: the gateway may have acted on it, or may still do so.
UNKNOWN = 0
# Of a request that never reached a gateway.
UNREACHED = -1


@dataclasses.dataclass
class Push:
    """One request to APNs, as apns-simulator wrote it down."""

    at_ms: int
    token: str
    event: str | None = "update"
    stamp: int = 0
    version: int | None = None
    alert: tuple | None = None  # (title, body)
    start_id: str | None = None
    expiration: int = 0
    status: int = 200
    reason: str | None = None
    verdict: str | None = SHOWN  # None: no phone got it
    fault: str | None = None
    payload: str = ""
    seq: int = 0
    dead_since: int | None = None  # with 410
    kind: str = "liveactivity"  # apns-push-type
    nonce: str | None = None  # which the app is to echo
    channel: str | None = None  # of a publish, and of its arrival at a phone, whose card's name is the token then
    input_channel: str | None = None  # that a start's activity is to listen to
    lost: int = 0  # of a publish: phones that listen and did not get it

    @property
    def is_silent(self):
        """It wakes the app and shows nothing."""
        return self.kind == "background"

    @property
    def tells(self):
        """Whether a user was, or may have been, alerted: a start's alert is another matter.

        Who comes to a channel with a newer state is offered what the others there have yet to hear; its stamp is too old for
        that card."""
        return (self.alert is not None and self.event == "update" and self.verdict is not None
                and (self.channel is None or self.verdict == SHOWN))

    def short(self):
        alert = f" {self.alert[0]!r}" if self.alert else ""
        to = self.token[-8:] if self.channel and self.token else self.token[:8] or f"channel {self.channel}"
        return (f"{self.at_ms} {self.event or self.kind} to {to} stamp {self.stamp} version {self.version}{alert}: "
                f"{self.status} {self.reason or ''} {self.verdict or ''} {self.fault or ''}".rstrip())


def read_push(line):
    """A line of `GET /deliveries`."""
    head, _, payload = line.rstrip(b"\n").partition(b',"payload":')
    fields = json.loads(head + b"}" if payload else head)
    payload = payload[:-1].decode() if payload else fields.get("payloadText", "")
    body = json.loads(payload) if payload.startswith("{") else {}
    aps = body.get("aps", {})
    state, alert = aps.get("content-state") or {}, aps.get("alert")
    return Push(
        at_ms=fields["receivedAt"], token=fields["token"], event=aps.get("event"), stamp=aps.get("timestamp", 0),
        version=state.get("version"), alert=(alert.get("title"), alert.get("body")) if alert else None,
        start_id=(aps.get("attributes") or {}).get("startId"),
        expiration=int(fields["headers"].get("apns-expiration", 0)), status=fields["verdict"]["status"],
        reason=fields["verdict"].get("reason"), verdict=fields.get("deviceVerdict"), fault=fields.get("fault"),
        payload=payload, seq=fields["seq"], dead_since=fields["verdict"].get("timestamp"),
        kind=fields["headers"].get("apns-push-type", ""), nonce=body.get("confirm"), channel=fields.get("channel"),
        input_channel=aps.get("input-push-channel"), lost=fields.get("lost") or 0)


@dataclasses.dataclass
class Call:
    """One request to a gateway."""

    user: str
    device: str
    what: str  # device, startToken, confirm, follow, unfollow, token, dismiss, report, listen, reconcile, change
    value: str | None  # the token; of a dismissal, the activity's id
    begun_ms: int
    answered_ms: int
    status: int = 200
    answer: dict = dataclasses.field(default_factory=dict)
    activity: str | None = None
    listed: list = dataclasses.field(default_factory=list)  # the cards that it names

    @property
    def is_good(self):
        return 200 <= self.status < 300

    def short(self):
        return f"{self.begun_ms}–{self.answered_ms} {self.what} of {self.device} ({(self.value or '')[:8]}): {self.status}"


@dataclasses.dataclass
class Shown:
    """One Live Activity on a phone."""

    id: str
    start_id: str
    began_ms: int
    tokens: list = dataclasses.field(default_factory=list)
    registered_ms: int | None = None  # the gateway took its first token
    ended_ms: int | None = None  # by an end, the user, or the phone itself
    # The channel that it is to listen to: it has no token, and its id stands for one. And since when it does; None: APNs knows
    # no such channel.
    channel: str | None = None
    listened_ms: int | None = None


@dataclasses.dataclass
class Phone:
    user: str
    device: str
    start_token: str
    alerts: str = "all"
    activities: list = dataclasses.field(default_factory=list)

    @property
    def key(self):
        return (self.user, self.device)

    @property
    def tokens(self):
        return [token for shown in self.activities for token in shown.tokens]


@dataclasses.dataclass
class Strike:
    """A fault that was carried out."""

    kind: str
    target: str
    begun_ms: int
    ended_ms: int
    how: str = ""
    aimed: bool = False
    inside: int | None = None  # the version in the middle of whose alert it came

    @property
    def is_cut(self):
        """A whole host heard and said nothing meanwhile."""
        return self.kind == "host" and self.how == "cut"

    def short(self):
        where = f", inside the alert of version {self.inside}" if self.inside else ", aimed" if self.aimed else ""
        return f"{self.begun_ms} to {self.ended_ms}: {self.kind} {self.how} {self.target}{where}"


@dataclasses.dataclass
class Death:
    """A process that ended."""

    name: str
    at_ms: int
    status: int
    wanted: bool  # a fault ended it
    restart_ms: int = 0  # how long the supervisor waits
    back_ms: int | None = None  # it answers again; None: struck again before
    drained_ms: int | None = None  # from SIGTERM to its end


@dataclasses.dataclass
class Rows:
    """The tables at one moment: each row a dictionary with the columns' names, times in milliseconds."""

    now_ms: int = 0
    updates: list = dataclasses.field(default_factory=list)
    activities: list = dataclasses.field(default_factory=list)
    follows: list = dataclasses.field(default_factory=list)
    devices: list = dataclasses.field(default_factory=list)
    claims: list = dataclasses.field(default_factory=list)
    match: dict = dataclasses.field(default_factory=dict)
    channels: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Case:
    """Everything about one schedule."""

    seed: int = 0
    match: int = 0
    is_control: bool = False
    phones: list = dataclasses.field(default_factory=list)
    calls: list = dataclasses.field(default_factory=list)
    pushes: list = dataclasses.field(default_factory=list)
    # To channels of the match; what of them reached a phone is among the pushes.
    publishes: list = dataclasses.field(default_factory=list)
    strikes: list = dataclasses.field(default_factory=list)
    deaths: list = dataclasses.field(default_factory=list)
    # When it had converged (or time was up), and when the match was taken away.
    rows: Rows = dataclasses.field(default_factory=Rows)
    after: Rows = dataclasses.field(default_factory=Rows)
    # The frames of the tape at which play began and ended, and all.
    played: tuple = (0, 0, 0)
    # Tokens that we let die, and those that it gave to another user: (token, from, to).
    killed: set = dataclasses.field(default_factory=set)
    moved: list = dataclasses.field(default_factory=list)
    # (name, holder, epoch), in the order in which they were read.
    leases: list = dataclasses.field(default_factory=list)
    # Times at which provider tokens were made, of the whole run.
    provider_tokens: list = dataclasses.field(default_factory=list)
    # (process, what, value), and what the metrics say.
    sizes: list = dataclasses.field(default_factory=list)
    metrics: dict = dataclasses.field(default_factory=dict)
    leaks: list = dataclasses.field(default_factory=list)
    log_bytes: int = 0
    converged_ms: int | None = None
    last_fault_ms: int = 0
    # When all who listen showed the newest state, which is in the tables then.
    heard_ms: int | None = None
    # Channels that APNs has and no row names.
    orphans: list = dataclasses.field(default_factory=list)
    # Every activity has ended with the match; None: not as long as we waited.
    over_ms: int | None = None
    waiting_for: list = dataclasses.field(default_factory=list)

    def frozen(self, service, begun_ms, ended_ms):
        """Whether a process of this service stood still at some moment between, or its host was cut off."""
        return any(
            (strike.is_cut or strike.kind == "stop" and strike.target.startswith(service))
            and strike.begun_ms <= ended_ms and strike.ended_ms >= begun_ms for strike in self.strikes)

    @property
    def listeners(self):
        """(phone, card) of each card that is to listen to a channel."""
        return [(phone, shown) for phone in self.phones for shown in phone.activities if shown.channel]

    def starts(self):
        """Phones by their start tokens."""
        return {phone.start_token: phone for phone in self.phones}

    def owners(self):
        """Phones by the tokens of their activities."""
        return {token: phone for phone in self.phones for token in phone.tokens}
