/// The used part of a channel's publish budget, which comes back evenly in a minute.
struct PublishBudget: Sendable, Hashable {
    private var used = 0.0
    /// The time at which `used` was correct, in milliseconds since 1970.
    private var atMs: Int64 = 0

    /// Uses one publish of the budget.
    ///
    /// - Returns: whether one was left.
    mutating func take(of perMinute: Int, nowMs: Int64) -> Bool {
        let now = max(nowMs, atMs)
        used = max(used - Double(now - atMs) * Double(perMinute) / 60_000, 0)
        atMs = now
        guard used + 1 <= Double(perMinute) else { return false }
        used += 1
        return true
    }
}
