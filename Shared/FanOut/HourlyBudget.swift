/// So many in an hour, each of which comes back after its part of the hour.
struct HourlyBudget {
    /// When it is whole again, seconds since 1970.
    private(set) var wholeAt: UInt32 = 0

    /// - Parameters:
    ///   - others: so many are to be left after it.
    ///   - now: seconds since 1970.
    func hasRoom(of perHour: Int, leaving others: Int = 0, now: Int) -> Bool {
        Int(wholeAt) + 3_600 / perHour * (1 + others) <= now + 3_600
    }

    mutating func take(of perHour: Int, now: Int) {
        wholeAt = UInt32(clamping: max(Int(wholeAt), now) + 3_600 / perHour)
    }
}
