/// Pushes at priority 10 to phones whose users have switched frequent updates off: a phone takes about fifteen in an hour
/// and drops, or holds back, what comes on top. APNs does not tell.
struct ImmediateBudget {
    static let perHour = 15
    /// So many are kept for alerts: a T20 has some 18 of them in three hours. What is left is for states.
    static let forAlerts = 10

    private var budgets: [RosterKey: HourlyBudget] = [:]

    /// - Parameters:
    ///   - others: so many are to be left after it.
    ///   - now: seconds since 1970.
    func hasRoom(_ phone: RosterKey?, leaving others: Int = 0, now: Int) -> Bool {
        guard let phone, let budget = budgets[phone] else { return true }
        return budget.hasRoom(of: Self.perHour, leaving: others, now: now)
    }

    mutating func take(_ phone: RosterKey?, now: Int) {
        guard let phone else { return }
        budgets[phone, default: HourlyBudget()].take(of: Self.perHour, now: now)
    }

    /// What is whole again needs no memory.
    mutating func forget(now: Int) { budgets = budgets.filter { Int($0.value.wholeAt) > now } }
}
