/// When an activity is replaced by a new one, because iOS lets none run for longer than eight hours.
public struct RenewalRule: Hashable, Sendable {
    /// iOS ends an activity after so long.
    public static let activityLife = Duration.seconds(8 * 3_600)
    /// In a break it is renewed earlier by at most this.
    public static let earlierMax = Duration.seconds(3_600)

    /// What its match does.
    public enum Play: String, CaseIterable, Hashable, Sendable {
        case going
        /// Innings break, lunch or tea: nobody looks.
        case inBreak
        /// Activities end there, and play next morning starts new ones.
        case atStumps
        /// Its result is announced, or it has ended.
        case over
    }

    public enum Action: Hashable, Sendable {
        case wait
        /// Start a new generation beside it, and let nobody start another for so long.
        case renew(lease: Duration)
        /// iOS has ended it, or is about to: it ends here, too, and a new one is started like any that is missing.
        case end
    }

    /// From its beginning (`ACTIVITY_RENEW_AFTER`).
    public var after: Duration

    public init(after: Duration = .seconds(7 * 3_600 + 45 * 60)) { self.after = after }

    /// The age at which a break is taken for it: an hour before it is due, or a quarter of the time if that is shorter.
    public var afterInBreak: Duration { after - min(Self.earlierMax, after / 4) }

    /// - Parameter isOut: a renewal of it was sent and is not resolved.
    public func isDue(age: Duration, _ play: Play, isOut: Bool = false) -> Bool {
        guard !isOut else { return false }
        switch play {
        case .going: return age >= after
        case .inBreak: return age >= afterInBreak
        case .atStumps, .over: return false
        }
    }

    /// - Parameters:
    ///   - isMarked: it was due before; then the end of a break does not take that back.
    ///   - tries: renewals of it that may have arrived.
    ///   - leaseIsOut: the last one may still appear.
    public func next(
        age: Duration, _ play: Play, isMarked: Bool, tries: Int, leaseIsOut: Bool, sent: StartPolicy.Sent,
        _ policy: StartPolicy
    ) -> Action {
        guard play == .going || play == .inBreak, !leaseIsOut else { return .wait }
        if age >= Self.activityLife { return .end }
        guard isMarked || isDue(age: age, play) else { return .wait }
        guard case .start(let lease) = policy.next(tries: tries, leaseIsOut: false, sent: sent) else { return .wait }
        return .renew(lease: lease)
    }
}
