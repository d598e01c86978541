/// Decides when a broadcast channel may be published to. Apple publishes no limit; a 429 teaches one.
///
/// The interval is doubled by each 429, and the channel rests. An alert is not held back by the interval, and one may
/// break a rest. The pace recovers by one publish a minute in every five minutes without a 429.
///
/// Times are nanoseconds of a monotonic clock.
package struct ChannelPacer: Hashable, Sendable {
    /// Publishes a minute at first, and at the slowest: the rate at which apps in the field were refused, and half an
    /// over a minute.
    package static let perMinuteMax = 12, perMinuteMin = 4
    /// Seconds of a rest when the 429 asks for no other.
    package static let restSeconds = 60
    /// The longest rest that a 429 may ask for, in seconds.
    package static let restMax = 900
    private static let recovery: Int64 = 300_000_000_000

    /// Publishes a minute.
    package private(set) var perMinute: Int
    private var nextAt: Int64 = 0
    private var restsUntil: Int64
    private var hasBrokenRest = false
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

    package func allows(isAlert: Bool, at now: Int64) -> Bool {
        isResting(now) ? isAlert && !hasBrokenRest : isAlert || now >= nextAt
    }

    package mutating func published(at now: Int64) {
        if isResting(now) { hasBrokenRest = true }
        nextAt = now + 60_000_000_000 / Int64(perMinute)
    }

    package mutating func accepted(at now: Int64) {
        guard now >= recoversAt, perMinute < Self.perMinuteMax else { return }
        perMinute += 1
        recoversAt = now + Self.recovery
    }

    /// Notes a 429.
    /// - Parameter retryAfter: the seconds that it asks for.
    /// - Returns: the seconds for which the channel rests.
    package mutating func throttled(retryAfter: Int?, at now: Int64) -> Int {
        perMinute = max(perMinute / 2, Self.perMinuteMin)
        let seconds = min(max(retryAfter ?? Self.restSeconds, 1), Self.restMax)
        if !isResting(now) { hasBrokenRest = false }
        restsUntil = max(restsUntil, now + Int64(seconds) * 1_000_000_000)
        recoversAt = now + Self.recovery
        return seconds
    }
}
