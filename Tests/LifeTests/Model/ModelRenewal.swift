/// When an activity is replaced by a new one, because iOS lets none run for longer than eight hours.
struct ModelRenewal: Hashable, Sendable {
    /// What its match does.
    enum Play: Hashable, Sendable {
        case going
        /// Innings break, lunch or tea: there is no play to follow.
        case inBreak
        /// Activities end there, and play next morning starts new ones.
        case atStumps
        /// Its result is announced, or it has ended.
        case over
    }

    enum Action: Hashable, Sendable {
        case wait
        /// Start a new generation beside it; no other start leaves for so long.
        case renew(lease: Duration)
        /// iOS has ended it, or is about to: it ends here, too, and a new one is started like any that is missing.
        case end
    }

    static let activityLife = Duration.seconds(8 * 3_600)
    var after = Duration.seconds(7 * 3_600 + 45 * 60)
    var afterInBreak: Duration { after - .seconds(3_600) }

    func isDue(age: Duration, _ play: Play) -> Bool {
        switch play {
        case .going: age >= after
        case .inBreak: age >= afterInBreak
        case .atStumps, .over: false
        }
    }

    /// - Parameters:
    ///   - isMarked: it was due before; then the end of a break does not take that back.
    ///   - tries: renewals of it that may have arrived.
    ///   - leaseIsOut: the last one may still appear.
    func next(
        age: Duration, _ play: Play, isMarked: Bool, tries: Int, leaseIsOut: Bool, sent: ModelStarts.Sent,
        _ starts: ModelStarts
    ) -> Action {
        guard play == .going || play == .inBreak, !leaseIsOut else { return .wait }
        if age >= Self.activityLife { return .end }
        guard isMarked || isDue(age: age, play) else { return .wait }
        guard case .start(let lease) = starts.next(tries: tries, leaseIsOut: false, sent: sent) else { return .wait }
        return .renew(lease: lease)
    }
}
