/// How often an activity is started by push, and how long each try waits. The statements of `ActivityStore` obey it.
///
/// A start that was sent has a lease: until it is over nobody sends another, because the first may still appear. Each try
/// waits longer than the one before, for a phone that did not answer is most likely off.
public struct StartPolicy: Hashable, Sendable {
    /// Unresolved tries per generation; then nothing until the app registers again.
    public static let triesMax = 3
    /// Starts of one phone in an hour: iOS grants about ten in a short time and drops the others in silence.
    public static let perDeviceHourMax = 6
    /// Starts of one phone in 24 hours: a day of matches that begin one after the other, each with a start or two that
    /// got lost.
    public static let perDeviceDayMax = 24
    /// Starts in 24 hours for all phones of a user: a phone under ever new names is no way around the other bound.
    public static let perUserDayMax = 10 * perDeviceDayMax
    /// No lease grows beyond this.
    public static let leaseMax = Duration.seconds(600)

    /// How long the first try waits for its token (`START_LEASE`).
    public var firstLease: Duration

    public init(firstLease: Duration = .seconds(120)) { self.firstLease = firstLease }

    /// Once, twice, four times the first lease; at most ten minutes, unless the first is longer than that.
    /// - Parameter number: from 1.
    public func lease(ofTry number: Int) -> Duration {
        let doublings = min(max(number - 1, 0), 16)
        return max(firstLease, min(firstLease * (1 << doublings), Self.leaseMax))
    }

    /// The leases of all tries, in their order.
    public var leases: [Duration] { (1...Self.triesMax).map { lease(ofTry: $0) } }
}
