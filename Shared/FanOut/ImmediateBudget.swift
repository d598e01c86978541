/// The budget of pushes at priority 10 for phones whose users have switched frequent updates off. Such a phone accepts
/// about fifteen an hour and drops or delays the rest; APNs does not report it.
struct ImmediateBudget {
    static let perHour = 15
    /// Pushes that are kept for alerts: a T20 has some 18 alerts in three hours. The rest is for states.
    static let forAlerts = 10

    private var budgets: [RosterKey: HourlyBudget] = [:]

    /// - Parameters:
    ///   - others: how many pushes must be left after this one.
    ///   - now: seconds since 1970.
    func hasRoom(_ phone: RosterKey?, leaving others: Int = 0, now: Int) -> Bool {
        guard let phone, let budget = budgets[phone] else { return true }
        return budget.hasRoom(of: Self.perHour, leaving: others, now: now)
    }

    mutating func spend(_ phone: RosterKey?, now: Int) {
        guard let phone else { return }
        budgets[phone, default: HourlyBudget()].spend(of: Self.perHour, now: now)
    }

    /// Forgets budgets that are full again.
    mutating func forget(now: Int) { budgets = budgets.filter { Int($0.value.wholeAt) > now } }
}
