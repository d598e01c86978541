import Activities

/// When a phone may be asked to reconcile: once an hour, because Apple delivers few silent pushes, and fewer to an app
/// that gets many.
struct ModelReconcile: Hashable, Sendable {
    /// A card's token has died, and the app has not been heard of since.
    var isDue: Bool
    /// When it was last asked, whatever for.
    var sentAt: Moment?

    init(isDue: Bool = false, sentAt: Moment? = nil) {
        self.isDue = isDue
        self.sentAt = sentAt
    }

    func leavesRoom(_ now: Moment) -> Bool { sentAt.map { $0 <= now - .seconds(3_600) } ?? true }

    mutating func sent(_ now: Moment) {
        isDue = false
        sentAt = now
    }
}
