/// Pushes at priority 10 to phones whose users have switched frequent updates off: a phone takes about fifteen in an hour
/// and drops, or holds back, what comes on top. APNs does not tell.
struct ImmediateBudget {
    static let perHour = 15
    private static let seconds = 3_600 / perHour

    /// When each phone's budget is whole again, seconds since 1970.
    private var wholeAt: [RosterKey: UInt32] = [:]

    /// - Parameter now: seconds since 1970.
    func hasRoom(_ phone: RosterKey?, now: Int) -> Bool {
        guard let phone, let whole = wholeAt[phone] else { return true }
        return Int(whole) + Self.seconds <= now + 3_600
    }

    mutating func take(_ phone: RosterKey?, now: Int) {
        guard let phone else { return }
        wholeAt[phone] = UInt32(clamping: max(Int(wholeAt[phone] ?? 0), now) + Self.seconds)
    }

    /// What is whole again needs no memory.
    mutating func forget(now: Int) { wholeAt = wholeAt.filter { Int($0.value) > now } }
}
