import Activities

/// When a phone may be asked to reconcile, by the one kind of silent push there is.
struct ModelReconcile: Hashable, Sendable {
    /// Silent pushes to one phone in an hour: Apple delivers few, and fewer to an app that gets many.
    static let perHourMax = 2

    /// A card's token has died, and the app has not been heard of since.
    var isDue: Bool
    /// The last ones, oldest first, whatever they were for.
    var sentAt: [Moment]

    init(isDue: Bool = false, sentAt: [Moment] = []) {
        self.isDue = isDue
        self.sentAt = sentAt
    }

    func leavesRoom(_ now: Moment) -> Bool {
        sentAt.count { $0 > now - .seconds(3_600) } < Self.perHourMax
    }

    mutating func sent(_ now: Moment) {
        isDue = false
        sentAt = (sentAt + [now]).suffix(Self.perHourMax)
    }
}
