/// The state of a card whose generation's token APNs called dead. While the newest generation has one of these states,
/// no card of that match is started on that phone automatically, because the user may have swiped it away.
public enum MissingCard: String, Hashable, Sendable, CaseIterable {
    /// The phone has not said yet whether the card is there under another token, lost, or swiped away.
    case unknown
    /// The card is not there, and only the user's own action explains that. The follow stays; the user may ask for the
    /// card again.
    case gone

    /// The age from which an absent card is taken for one that iOS ended, because iOS lets none run longer than eight
    /// hours.
    public static let oldAge = Duration.seconds(7 * 3_600 + 30 * 60)
}
