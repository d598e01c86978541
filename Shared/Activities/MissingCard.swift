public import SightscreenModels

/// What is known of the card of a generation whose token APNs called dead. While one of these holds for the newest
/// generation, nothing starts a card of that match on that phone by itself: it may have been swiped away.
public enum MissingCard: String, Hashable, Sendable, CaseIterable {
    /// The phone has not said yet whether it is there under another token, lost, or swiped away.
    case unknown
    /// It is not there, and nothing but the user's hand explains that. The follow stays; the user may ask for it again.
    case gone

    /// An absent card of at least this age is taken for one that iOS ended: it lets none run for longer than eight hours.
    public static let oldAge = Duration.seconds(7 * 3_600 + 30 * 60)

    /// What a phone that is awake and does not list the card makes of it: nil when the card was lost without the user's
    /// doing, so that a new generation is due at once.
    /// - Parameters:
    ///   - bootedAt: when the phone was last restarted, if it says so; a restart takes all cards away.
    ///   - seenAt: when the phone last said that the card was there.
    ///   - age: of the card when its token died.
    public static func afterAbsence(bootedAt: Moment?, seenAt: Moment?, age: Duration?) -> MissingCard? {
        if let bootedAt, let seenAt, bootedAt > seenAt { return nil }
        if let age, age > oldAge { return nil }
        return .gone
    }
}

/// What a phone that is awake says about the cards of one match.
public struct CardReport: Hashable, Sendable {
    public enum Card: Hashable, Sendable {
        case there, absent
        /// The app or the system has ended that one: it was not swiped away.
        case ended(ActivityID)
    }

    public var card: Card
    public var bootedAt: Moment?

    public init(_ card: Card, bootedAt: Moment? = nil) {
        self.card = card
        self.bootedAt = bootedAt
    }
}
