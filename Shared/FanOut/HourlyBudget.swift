/// A budget of a number of events in an hour. Each one spent comes back after its share of the hour.
struct HourlyBudget {
    /// When the budget is full again, in seconds since 1970.
    private(set) var wholeAt: UInt32 = 0

    /// - Parameters:
    ///   - others: how many events must be left after this one.
    ///   - now: seconds since 1970.
    func hasRoom(of perHour: Int, leaving others: Int = 0, now: Int) -> Bool {
        Int(wholeAt) + 3_600 / perHour * (1 + others) <= now + 3_600
    }

    mutating func spend(of perHour: Int, now: Int) {
        wholeAt = UInt32(clamping: max(Int(wholeAt), now) + 3_600 / perHour)
    }
}
