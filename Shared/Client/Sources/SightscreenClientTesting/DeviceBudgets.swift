/// The pushes that a phone accepts, updates in an hour and starts in a day. Apple publishes none of these numbers; APNs
/// answers 200 to pushes beyond them.
public struct DeviceBudgets: Sendable, Hashable {
    /// The updates of priority 10 for one activity; nil for any number.
    public var immediate: Int?
    /// The same number when the user has switched frequent updates off.
    public var immediateInfrequent: Int?
    /// The starts by push that it has in store (`DeviceBudget.takeStart`).
    public var starts: Int?

    public init(immediate: Int? = nil, immediateInfrequent: Int? = nil, starts: Int? = nil) {
        self.immediate = immediate
        self.immediateInfrequent = immediateInfrequent
        self.starts = starts
    }

    public static let none = Self()
}

/// The used part of one budget, which comes back evenly.
public struct DeviceBudget: Sendable, Hashable {
    /// The seconds in which all starts come back. A guess: a log of iOS shows a budget of ten, and not how it is
    /// filled again.
    public static let startsSeconds = 86_400

    private var used: Float = 0
    /// The time at which `used` was correct, in seconds since 1970.
    private var at: UInt32 = 0

    public init() {}

    /// Uses one push of an hourly budget; what is beyond it costs nothing.
    ///
    /// - Returns: whether one was left.
    public mutating func take(of perHour: Int, now: Int) -> Bool {
        refill(perHour, in: 3_600, now)
        guard used + 1 <= Float(perHour) else { return false }
        used += 1
        return true
    }

    /// Uses one start by push. One that is dropped costs, too, so that a phone which gets too many takes none for long.
    ///
    /// - Parameter seconds: the time in which `count` starts come back.
    /// - Returns: whether one was left.
    public mutating func takeStart(of count: Int, in seconds: Int = startsSeconds, now: Int) -> Bool {
        refill(count, in: seconds, now)
        used += 1
        return used <= Float(count)
    }

    private mutating func refill(_ count: Int, in seconds: Int, _ now: Int) {
        let now = UInt32(clamping: now)
        let cameBack = Float(max(now, at) - at) * Float(count) / Float(seconds)
        used = max(used - cameBack, 0)
        at = max(now, at)
    }
}
