/// Decides when a broadcast channel may be published to. Apple publishes no limit; a 429 teaches one.
///
/// The interval is doubled by each 429, and the channel rests. The pace recovers by one publish a minute in every five
/// minutes without a 429. An alert waits for neither: one that was refused is tried again while it is fresh, at times
/// of its own, and newer ones wait to join it. A 429 to an alert within a rest lengthens nothing.
///
/// Times are nanoseconds of a monotonic clock.
package struct ChannelPacer: Hashable, Sendable {
    /// The alerts of a publish.
    package struct Alert: Hashable, Sendable {
        /// The version of the newest one.
        package var newest: UInt32
        /// When the first of them ceases to be fresh.
        package var freshUntil: Int64

        package init(newest: UInt32, freshUntil: Int64) {
            self.newest = newest
            self.freshUntil = freshUntil
        }
    }

    /// An alert that a 429 refused.
    private struct Refused: Hashable {
        var alert: UInt32
        var at: Int64
        /// When it is tried again, with all alerts that are newer; nil when all its tries are spent.
        var nextAt: Int64?
    }

    /// Publishes a minute at first, and at the slowest: the rate at which apps in the field were refused, and half an
    /// over a minute.
    package static let perMinuteMax = 12, perMinuteMin = 4
    /// Seconds of a rest when the 429 asks for no other.
    package static let restSeconds = 60
    /// The longest rest that a 429 may ask for, in seconds.
    package static let restMax = 900
    /// Seconds after its first 429 at which an alert is tried again: of the half minute for which it is fresh.
    package static let triesAfter = [3, 8, 15]
    private static let recovery: Int64 = 300_000_000_000

    /// Publishes a minute.
    package private(set) var perMinute: Int
    private var nextAt: Int64 = 0
    /// The end of the last rest, which may be over; 0 before the first.
    package private(set) var restsUntil: Int64
    private var refused: Refused?
    private var recoversAt: Int64

    /// - Parameters:
    ///   - perMinute: what an earlier holder of the channel learnt.
    ///   - restsUntil: the end of the rest that an earlier holder began.
    package init(perMinute: Int = perMinuteMax, restsUntil: Int64 = 0, now: Int64 = 0) {
        self.perMinute = min(max(perMinute, Self.perMinuteMin), Self.perMinuteMax)
        self.restsUntil = restsUntil
        recoversAt = now + Self.recovery
    }

    package func isResting(_ now: Int64) -> Bool { now < restsUntil }

    /// Whether a publish may leave.
    /// - Parameter alert: the version of the newest alert that it carries; nil for none.
    package func allows(alert: UInt32?, at now: Int64) -> Bool {
        guard let alert else { return !isResting(now) && now >= nextAt }
        guard let refused else { return true }
        // One that is newer than an alert whose tries are spent has tries of its own.
        return refused.nextAt.map { now >= $0 } ?? (alert > refused.alert || !isResting(now))
    }

    package mutating func published(at now: Int64) { nextAt = now + 60_000_000_000 / Int64(perMinute) }

    /// - Parameter alert: the version of the newest alert that the publish carried; nil for none.
    package mutating func accepted(alert: UInt32?, at now: Int64) {
        if alert != nil { refused = nil }
        guard now >= recoversAt, perMinute < Self.perMinuteMax else { return }
        perMinute += 1
        recoversAt = now + Self.recovery
    }

    /// Notes a 429.
    /// - Parameters:
    ///   - retryAfter: the seconds that it asks for.
    ///   - alert: what the publish carried; nil for a state alone.
    /// - Returns: the seconds of the rest that it begins; nil within a rest.
    package mutating func throttled(retryAfter: Int?, alert: Alert?, at now: Int64) -> Int? {
        let seconds = min(max(retryAfter ?? Self.restSeconds, 1), Self.restMax)
        if let alert { noteRefused(alert, retryAt: retryAfter.map { _ in now + Self.nanoseconds(seconds) }, at: now) }
        guard !isResting(now) else { return nil }
        perMinute = max(perMinute / 2, Self.perMinuteMin)
        restsUntil = now + Self.nanoseconds(seconds)
        recoversAt = now + Self.recovery
        return seconds
    }

    private mutating func noteRefused(_ alert: Alert, retryAt: Int64?, at now: Int64) {
        func next(of first: Int64) -> Int64? {
            if let retryAt, retryAt <= alert.freshUntil { return retryAt }
            return Self.triesAfter.lazy.map { first + Self.nanoseconds($0) }.first { $0 > now }
        }
        var refused = self.refused ?? Refused(alert: alert.newest, at: now, nextAt: nil)
        refused.nextAt = next(of: refused.at)
        if refused.nextAt == nil, alert.newest > refused.alert {
            // The tries of the first one are spent; this one joined it.
            refused = Refused(alert: alert.newest, at: now, nextAt: next(of: now))
        }
        self.refused = refused
    }

    private static func nanoseconds(_ seconds: Int) -> Int64 { Int64(seconds) * 1_000_000_000 }
}
