import Activities
import SightscreenModels

/// What a phone that is awake says about the cards of one match.
struct CardReport: Hashable, Sendable {
    enum Card: Hashable, Sendable {
        case there, absent
        /// The app or the system has ended that one: it was not swiped away.
        case ended(ActivityID)
    }

    var card: Card
    var bootedAt: Moment?

    init(_ card: Card, bootedAt: Moment? = nil) {
        self.card = card
        self.bootedAt = bootedAt
    }

    /// What the absence of a card means whose token has died: nil when it was lost without the user's doing, so that a
    /// new generation is due at once.
    /// - Parameters:
    ///   - bootedAt: when the phone was last restarted, if it says so; a restart takes all cards away.
    ///   - seenAt: when the phone last said that the card was there.
    ///   - age: of the card when its token died.
    static func afterAbsence(bootedAt: Moment?, seenAt: Moment?, age: Duration?) -> MissingCard? {
        if let bootedAt, let seenAt, bootedAt > seenAt { return nil }
        if let age, age > .seconds(7 * 3_600 + 30 * 60) { return nil }
        return .gone
    }
}
