/// The pushes that a phone accepts in an hour. Apple publishes none of these numbers; APNs answers 200 to pushes beyond
/// them.
public struct DeviceBudgets: Sendable, Hashable {
    /// The updates of priority 10 for one activity; nil for any number.
    public var immediate: Int?
    /// The same number when the user has switched frequent updates off.
    public var immediateInfrequent: Int?
    /// The starts by push.
    public var starts: Int?

    public init(immediate: Int? = nil, immediateInfrequent: Int? = nil, starts: Int? = nil) {
        self.immediate = immediate
        self.immediateInfrequent = immediateInfrequent
        self.starts = starts
    }

    public static let none = Self()
}

/// The used part of one hourly budget. In an hour the whole budget is restored.
public struct DeviceBudget: Sendable, Hashable {
    private var used: Float = 0
    /// The time at which `used` was correct, in seconds since 1970.
    private var at: UInt32 = 0

    public init() {}

    /// Uses one push of the budget.
    ///
    /// - Returns: whether one was left.
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
