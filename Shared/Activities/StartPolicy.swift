/// Limits how often an activity is started by push, and sets how long each try waits. The statements of `ActivityStore`
/// obey it.
///
/// A start that was sent has a lease: until it is over no other start is sent, because the first may still appear. Each
/// try waits longer than the one before, because a phone that did not answer is most likely off.
public struct StartPolicy: Hashable, Sendable {
    /// The most unresolved tries per generation; after them nothing is sent until the app registers again.
    public static let triesMax = 3
    /// The most starts of one phone in an hour.
    public static let perDeviceHourMax = 6
    /// The starts that iOS itself grants an app on one phone before it silently drops all others, by the log of a
    /// device; how they come back is not known.
    public static let grantedByIOS = 10
    /// The most starts of one phone in 24 hours: enough for a day of matches that begin one after the other, each with
    /// a start or two that got lost.
    public static let perDeviceDayMax = 24
    /// The most starts in 24 hours for all phones of a user, so that a phone that registers under ever new names does
    /// not escape its own bound.
    public static let perUserDayMax = 10 * perDeviceDayMax
    /// The bound to which leases grow.
    public static let leaseMax = Duration.seconds(600)

    /// How long the first try waits for its token (`START_LEASE`).
    public var firstLease: Duration

    package init(firstLease: Duration = .seconds(120)) { self.firstLease = firstLease }

    /// Returns the lease of a try: once, twice, four times the first lease; at most ten minutes, unless the first is
    /// longer.
    /// - Parameter number: the try, counted from 1.
    public func lease(ofTry number: Int) -> Duration {
        let doublings = min(max(number - 1, 0), 16)
        return max(firstLease, min(firstLease * (1 << doublings), Self.leaseMax))
    }

    /// The leases of all tries, in order.
    public var leases: [Duration] { (1...Self.triesMax).map { lease(ofTry: $0) } }
}
