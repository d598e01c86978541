import Sightscreen

/// Rings at once for the first that asks, and for all who ask within the next moment once more at its end: when a match
/// goes live, thousands a second have a reason to ring, and a coordinator looks at everything when it hears one.
actor GatheredBell: CoordinatorBell {
    static let interval = Duration.milliseconds(50)

    private let bell: any CoordinatorBell
    private let pause: @Sendable () async -> Void
    /// Matches for which it rang a moment ago; true where somebody has asked since.
    private var recent: [MatchID: Bool] = [:]

    /// - Parameter pause: how long a moment is.
    init(
        _ bell: any CoordinatorBell,
        pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: interval) }
    ) {
        self.bell = bell
        self.pause = pause
    }

    func ring(for matches: Set<MatchID>) async {
        var first: Set<MatchID> = []
        for match in matches where recent.updateValue(true, forKey: match) == nil {
            recent[match] = false
            first.insert(match)
            Task { await self.repeatRing(match) }
        }
        if !first.isEmpty { await bell.ring(for: first) }
    }

    /// Holds are set by hand: nothing to gather.
    func ringHolds() async { await bell.ringHolds() }

    private func repeatRing(_ match: MatchID) async {
        await pause()
        while recent[match] == true {
            recent[match] = false
            await bell.ring(for: [match])
            await pause()
        }
        recent[match] = nil
    }
}
