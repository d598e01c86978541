package import Activities

/// The phones and channels of a match that lack a version: the part of one loop, or the sum over all loops.
///
/// Times are by `MonotonicTime`, in nanoseconds.
package struct MatchBacklog: Sendable {
    /// Phones that lack the same.
    package struct Wait: Sendable, Equatable {
        /// When the first version that they lack was due; for phones that have had no state yet, when they became
        /// known.
        package var since: Int64
        /// The first version that they lack; nil for phones that have had no state yet.
        package var version: Int?
        package var phones: Int
        /// When APNs last accepted a push of the match from the same loop, or the match became known. For phones in
        /// production only a push to production counts: a development build takes all while no other phone gets anything.
        package var acceptedAt: Int64 = 0
    }

    package struct Channel: Sendable {
        package var key: ChannelKey
        /// The activities that listen to the channel, as last counted.
        package var listeners: Int
        /// Nil when the newest version was accepted.
        package var wait: Wait?
        /// When APNs last accepted a publish to the channel, or the channel was opened.
        package var acceptedAt: Int64
        /// The end of the last rest after a 429, which may be over; 0 before the first.
        package var restsUntil: Int64
        /// Publishes a minute, by what the last 429 taught.
        package var perMinute: Int

        /// Whether APNs has accepted nothing since the channel's rest, or the rest is not over: what it accepts within
        /// a rest are alerts.
        package var isThrottled: Bool { restsUntil > acceptedAt }
    }

    /// Phones that do not count, by the reason.
    package struct LeftOut: Sendable, Equatable {
        /// An administrator holds the pushes of the match.
        package var held = 0
        /// APNs has refused the phone's own token, or wants that one phone left alone for a while.
        package var backingOff = 0
        /// The phone's user has switched frequent updates off.
        package var infrequent = 0
        /// The phone lacks a version, and was registered, or became known to this process, a moment ago.
        package var new = 0

        package init() {}

        package mutating func add(_ other: Self) {
            held += other.held
            backingOff += other.backingOff
            infrequent += other.infrequent
            new += other.new
        }
    }

    /// The phones that count, whether they lack a version or not.
    package var phones = 0
    package private(set) var waits: [Wait] = []
    package var leftOut = LeftOut()
    package var channels: [Channel] = []
    /// When the pushes of the match were last held.
    package var heldAt: Int64 = 0
    package var isHeld = false

    package init() {}

    package mutating func add(_ wait: Wait) {
        func isLike(_ known: Wait) -> Bool {
            known.since == wait.since && known.version == wait.version && known.acceptedAt == wait.acceptedAt
        }
        if let known = waits.firstIndex(where: isLike) {
            waits[known].phones += wait.phones
        } else {
            waits.append(wait)
        }
    }

    package mutating func add(_ other: Self) {
        phones += other.phones
        for wait in other.waits { add(wait) }
        leftOut.add(other.leftOut)
        channels += other.channels
        heldAt = max(heldAt, other.heldAt)
        isHeld = isHeld || other.isHeld
    }

    /// Whether so many phones make the match late: three, and more than one in a hundred.
    private func isLate(_ phones: Int) -> Bool { phones >= 3 && phones * 100 > self.phones }

    /// The time by which so many phones had begun to wait that the match is late; nil when it is not late.
    private func lateSince(_ begins: (Wait) -> Int64) -> Int64? {
        var count = 0
        for (since, phones) in waits.map({ (begins($0), $0.phones) }).sorted(by: { $0.0 < $1.0 }) {
            count += phones
            if isLate(count) { return since }
        }
        return nil
    }

    /// The time since which the match is behind: too many of its phones, or one of its channels, have lacked a version;
    /// nil when it is not behind.
    package var behindSince: Int64? { (channels.map { $0.wait?.since } + [lateSince(\.since)]).compactMap { $0 }.min() }

    /// Whether APNs refuses each phone that would count, three at least, for its own token: none is left that could be
    /// behind.
    package var isRefused: Bool { phones == 0 && leftOut.backingOff >= 3 }

    /// How long the match has been behind while APNs accepted nothing for those that wait, and neither a hold nor the
    /// rest of a channel kept pushes back; 0 when it is not behind.
    package func stuck(at now: Int64) -> Int64 {
        guard !isHeld else { return 0 }
        let silentSince =
            channels.map { one in one.wait.map { max($0.since, one.acceptedAt, one.restsUntil) } }
            + [lateSince { max($0.since, $0.acceptedAt) }]
        return silentSince.compactMap { $0 }.reduce(0) { max($0, now - max($1, heldAt)) }
    }

    /// Whether a channel lacks a version because of a 429: it rests, or APNs has accepted nothing since its rest, which
    /// may have been a short one. What a hold keeps back after a rest is not APNs' doing.
    package func rests(_ channel: Channel, at now: Int64) -> Bool {
        channel.wait != nil && channel.isThrottled && (now < channel.restsUntil || !isHeld)
    }

    /// Whether too many phones, or a channel, lack a version or one before it. Phones that came later do not count.
    package func lacks(_ version: Int) -> Bool {
        func isBefore(_ wait: Wait) -> Bool { wait.version.map { $0 <= version } ?? false }
        return channels.contains { $0.wait.map(isBefore) ?? false }
            || isLate(waits.filter(isBefore).reduce(0) { $0 + $1.phones })
    }
}
