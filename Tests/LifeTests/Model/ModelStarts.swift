/// When the next push-to-start of an activity may go out. The numbers are those of `deploy/docs/life.md`, not the
/// product's constants: a wrong one there differs.
struct ModelStarts: Hashable, Sendable {
    static let triesMax = 3

    /// Starts that went out lately and may have arrived.
    struct Sent: Hashable, Sendable {
        var deviceHour = 0
        var deviceDay = 0
        var userDay = 0

        var leavesRoom: Bool { deviceHour < 6 && deviceDay < 24 && userDay < 240 }
    }

    enum Action: Hashable, Sendable {
        /// Send a start; no other one leaves for so long.
        case start(lease: Duration)
        /// A start is out, or the phone has had enough of them.
        case wait
        /// The tries of this generation are used up.
        case giveUp
    }

    var firstLease = Duration.seconds(120)

    /// - Parameters:
    ///   - tries: starts of this generation that may have arrived.
    ///   - leaseIsOut: the last one may still appear.
    func next(tries: Int, leaseIsOut: Bool, sent: Sent = Sent()) -> Action {
        if leaseIsOut { return .wait }
        if tries >= Self.triesMax { return .giveUp }
        return sent.leavesRoom ? .start(lease: min(firstLease * (1 << tries), .seconds(600))) : .wait
    }
}
