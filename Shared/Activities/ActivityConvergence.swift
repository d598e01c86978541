public import SightscreenModels

/// Brings one activity to the match's newest stamp: one push under way at a time, and whatever was not sent when
/// something newer arrives is skipped.
public struct ActivityConvergence: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// Send the state of this stamp now.
        case send(Stamp)
        /// Nothing to do: a push is under way, or the activity shows the newest state.
        case wait
        /// Never send to this token again.
        case retire
    }

    /// What became of a push.
    public enum Answer: Hashable, Sendable {
        /// APNs took it.
        case accepted
        /// It did not reach the phone, or nobody knows: the newest state is sent again.
        case notDelivered
        /// APNs said that the token is dead.
        case tokenIsDead
    }

    public private(set) var newest: Stamp?
    public private(set) var delivered: Stamp?
    public private(set) var underWay: Stamp?
    private var isRetired = false

    /// - Parameter delivered: what the activity is known to show; nil when that is not known.
    public init(delivered: Stamp? = nil) { self.delivered = delivered }

    /// Shows the newest state, and nothing is under way.
    public var isSettled: Bool { underWay == nil && !isBehind }

    /// A state with a new stamp exists.
    public mutating func published(_ stamp: Stamp) -> Action {
        newest = max(newest ?? stamp, stamp)
        return next()
    }

    /// The push with this stamp was answered.
    /// - Parameter thenSend: false when whoever asks wants to wait before the next push, or look for a newer state first;
    ///   `next` or `published` goes on then.
    @discardableResult
    public mutating func answered(_ stamp: Stamp, _ answer: Answer, thenSend: Bool = true) -> Action {
        if underWay == stamp { underWay = nil }
        switch answer {
        case .accepted: delivered = max(delivered ?? stamp, stamp)
        case .notDelivered: break
        case .tokenIsDead: isRetired = true
        }
        if isRetired { return .retire }
        return thenSend ? next() : .wait
    }

    /// What to do now, by all that is known. `send` counts as sent.
    public mutating func next() -> Action {
        if isRetired { return .retire }
        guard underWay == nil, isBehind, let newest else { return .wait }
        underWay = newest
        return .send(newest)
    }

    private var isBehind: Bool {
        guard let newest else { return false }
        return delivered.map { $0 < newest } ?? true
    }
}
