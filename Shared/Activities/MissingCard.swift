/// What is known of the card of a generation whose token APNs called dead. While one of these holds for the newest
/// generation, nothing starts a card of that match on that phone by itself: it may have been swiped away.
public enum MissingCard: String, Hashable, Sendable, CaseIterable {
    /// The phone has not said yet whether it is there under another token, lost, or swiped away.
    case unknown
    /// It is not there, and nothing but the user's hand explains that. The follow stays; the user may ask for it again.
    case gone

    /// An absent card of at least this age is taken for one that iOS ended: it lets none run for longer than eight hours.
    public static let oldAge = Duration.seconds(7 * 3_600 + 30 * 60)
}
