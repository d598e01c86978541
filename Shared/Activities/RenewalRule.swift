/// When an activity is replaced by a new one, because iOS lets none run for longer than eight hours.
public struct RenewalRule: Hashable, Sendable {
    /// iOS ends an activity after so long.
    public static let activityLife = Duration.seconds(8 * 3_600)
    /// In a break it is renewed earlier by at most this.
    public static let earlierMax = Duration.seconds(3_600)

    /// From its beginning (`ACTIVITY_RENEW_AFTER`).
    public var after: Duration

    public init(after: Duration = .seconds(7 * 3_600 + 45 * 60)) { self.after = after }

    /// The age at which an innings break, lunch or tea is taken for it: an hour before it is due, or a quarter of the time if
    /// that is shorter.
    public var afterInBreak: Duration { after - min(Self.earlierMax, after / 4) }
}
