import SportMonks

/// Decides whether a frame of one match is worth offering to the bus.
///
/// A frame with a change is offered. So is the first one that repeats it: the provider's first word is often wrong, and
/// the bus alerts when two frames agree. From then on one frame per `heartbeat` is enough to show that the match goes
/// on.
struct OfferRule: Sendable {
    /// The interval of unchanged frames. A bus releases a match after 150 s without a frame, and a new holder waits no
    /// longer than this for its first.
    static let heartbeat = Duration.seconds(30)
    /// The times that the bus must have settled the same fixture.
    static let agreeing = 2

    private var newest: SlimFixture?
    /// The number of changes so far. The bus settles the change that a frame carries, and a newer one may have come by
    /// then.
    private(set) var change = 0
    private var settled = 0
    private var settledAt: ContinuousClock.Instant?

    init() {}

    /// Whether the bus has settled the newest change.
    var isSettled: Bool { settled > 0 }

    /// - Returns: whether the frame is to be offered, and whether it shows a change.
    mutating func fetched(
        _ fixture: SlimFixture, at now: ContinuousClock.Instant
    ) -> (isOffered: Bool, isChanged: Bool) {
        guard let newest, newest.tellsTheSame(as: fixture) else {
            newest = fixture
            change += 1
            settled = 0
            settledAt = nil
            return (true, true)
        }
        guard settled >= Self.agreeing, let settledAt else { return (true, false) }
        return (now - settledAt >= Self.heartbeat, false)
    }

    /// Notes that the bus has committed the change, found it unchanged or refused it for good.
    mutating func settled(change: Int, at now: ContinuousClock.Instant) {
        guard change == self.change else { return }
        settled += 1
        settledAt = now
    }
    /// Makes the next frame be offered, because a bus connected that has seen none.
    mutating func forget() { settled = 0 }
}
