/// What a phone takes in an hour. Apple publishes none of these numbers; APNs answers 200 to what goes beyond them.
public struct DeviceBudgets: Sendable, Hashable {
    /// Updates of priority 10 of one activity; nil: any number.
    public var immediate: Int?
    /// The same where the user has switched frequent updates off.
    public var immediateInfrequent: Int?
    /// Activities that are started by push.
    public var starts: Int?

    public init(immediate: Int? = nil, immediateInfrequent: Int? = nil, starts: Int? = nil) {
        self.immediate = immediate
        self.immediateInfrequent = immediateInfrequent
        self.starts = starts
    }

    public static let none = Self()
}

/// How much of one hourly budget is used: as much comes back in an hour as there is.
public struct DeviceBudget: Sendable, Hashable {
    private var used: Float = 0
    /// Seconds since 1970, when `used` was right.
    private var at: UInt32 = 0

    public init() {}

    /// - Returns: whether there was one left.
    public mutating func take(of perHour: Int, now: Int) -> Bool {
        let now = UInt32(clamping: now)
        let cameBack = Float(max(now, at) - at) * Float(perHour) / 3_600
        used = max(used - cameBack, 0)
        at = max(now, at)
        guard used + 1 <= Float(perHour) else { return false }
        used += 1
        return true
    }
}
