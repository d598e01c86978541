/// Whether a call to the provider may be made.
public struct CallGrant: Sendable, Equatable {
    public var isGranted: Bool
    /// How long to wait before asking again; zero when granted.
    public var wait: Duration
    /// Calls that are left of the hour, this one counted; nil when there is no limit.
    public var left: Int?
    /// What is left of the hour itself.
    public var hourLeft: Duration
    /// Refused because of a 429 of the provider, not because of our own count.
    public var isProvidersWord: Bool
    /// Answers of 429 since the last good one.
    public var refusals: Int
    /// The database's time, in milliseconds since 1970.
    public var now: Int64

    public init(
        isGranted: Bool, wait: Duration, left: Int?, hourLeft: Duration, isProvidersWord: Bool, refusals: Int,
        now: Int64
    ) {
        self.isGranted = isGranted
        self.wait = wait
        self.left = left
        self.hourLeft = hourLeft
        self.isProvidersWord = isProvidersWord
        self.refusals = refusals
        self.now = now
    }
}
