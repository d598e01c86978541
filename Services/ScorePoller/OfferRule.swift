import SportMonks

/// Whether a frame of one match is worth offering to the bus.
///
/// A frame that tells something new is. So is the first that tells the same again: the provider's first word is often wrong,
/// and the bus alerts when two frames agree. From then on one in `heartbeat` is enough to show that the match goes on.
struct OfferRule: Sendable {
    /// A bus lets a match go when it has seen no frame for 150 s; a new holder waits no longer than this for its first.
    static let heartbeat = Duration.seconds(30)
    /// How often the bus must have taken the same.
    static let agreeing = 2

    private var told: SlimFixture?
    /// Counts what was told: a frame is settled for what it tells, which may be news of yesterday by then.
    private(set) var news = 0
    private var settled = 0
    private var settledAt: ContinuousClock.Instant?

    init() {}

    /// Whether the bus has taken what was told last.
    var isSettled: Bool { settled > 0 }

    /// - Returns: whether the frame is to be offered, and whether it tells something new.
    mutating func fetched(
        _ fixture: SlimFixture, at now: ContinuousClock.Instant
    ) -> (isOffered: Bool, isNews: Bool) {
        guard let told, told.tellsTheSame(as: fixture) else {
            told = fixture
            news += 1
            settled = 0
            settledAt = nil
            return (true, true)
        }
        guard settled >= Self.agreeing, let settledAt else { return (true, false) }
        return (now - settledAt >= Self.heartbeat, false)
    }

    /// The bus has committed it, found it unchanged or refused it for good.
    mutating func settled(news: Int, at now: ContinuousClock.Instant) {
        guard news == self.news else { return }
        settled += 1
        settledAt = now
    }

    /// Another bus came, which has seen nothing.
    mutating func forget() { settled = 0 }
}
