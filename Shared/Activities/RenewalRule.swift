/// Decides when an activity is replaced by a new one, because iOS lets none run for longer than eight hours.
public struct RenewalRule: Hashable, Sendable {
    /// The age at which iOS ends an activity.
    public static let activityLife = Duration.seconds(8 * 3_600)
    /// The most by which a renewal is moved forward into a break.
    public static let earlierMax = Duration.seconds(3_600)

    /// The age at which an activity is renewed (`ACTIVITY_RENEW_AFTER`).
    public var after: Duration

    package init(after: Duration = .seconds(7 * 3_600 + 45 * 60)) { self.after = after }

    /// The age from which an innings break, lunch or tea is used for the renewal: an hour before it is due, or a
    /// quarter of the time if that is shorter.
    public var afterInBreak: Duration { after - min(Self.earlierMax, after / 4) }
}
