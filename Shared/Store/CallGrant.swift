/// The answer to a request for a call to the provider.
public struct CallGrant: Sendable, Equatable {
    public var isGranted: Bool
    /// The time to wait before asking again; zero if granted.
    public var wait: Duration
    /// The calls that are left in this hour, after this one; nil if there is no limit.
    public var left: Int?
    /// The time until this hour ends.
    public var hourLeft: Duration
    /// Whether the refusal follows a 429 of the provider, and not our own count.
    public var isFromProvider: Bool
    /// The number of 429 answers since the last good one.
    public var refusals: Int
    /// The database's time, in milliseconds since 1970.
    public var now: Int64

    package init(
        isGranted: Bool, wait: Duration, left: Int?, hourLeft: Duration, isFromProvider: Bool, refusals: Int,
        now: Int64
    ) {
        self.isGranted = isGranted
        self.wait = wait
        self.left = left
        self.hourLeft = hourLeft
        self.isFromProvider = isFromProvider
        self.refusals = refusals
        self.now = now
    }
}
