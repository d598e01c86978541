import Activities

/// The provider's truth, and the event bus that commits it.
final class LabBus {
    struct Truth {
        var phase = ActivityPhase.notLive
        var content = 0
        var alerts = false
        /// A limited-overs tie waits for its super over until then.
        var waitsUntil: Int?
        /// No longer to be played, by the schedule's word.
        var isCalledOff = false
        var isDecided = false
    }

    static let superOverWait = 1_200_000
    static let keepAliveInterval = 1_200_000

    private unowned let world: World
    private(set) var truths: [Int: Truth] = [:]
    private var plannedAt: [Int: Int] = [:]

    init(_ world: World) { self.world = world }

    func truth(_ match: Int) -> Truth { truths[match] ?? Truth() }

    /// Something happens on the field; the next poll sees it.
    func play(_ match: Int, alert: Bool = false, _ change: (inout Truth) -> Void = { _ in }) {
        var truth = truth(match)
        truth.content = world.unique()
        truth.alerts = truth.alerts || alert
        change(&truth)
        truths[match] = truth
        plan(match, in: 500 + world.random.below(4_500))
    }

    private func plan(_ match: Int, in wait: Int) {
        let at = world.now + wait
        guard at < plannedAt[match] ?? .max else { return }
        plannedAt[match] = at
        world.at(at) { [unowned self] in
            guard plannedAt[match] == at else { return }
            plannedAt[match] = nil
            look(match)
        }
    }

    /// A frame against what is committed.
    private func look(_ match: Int) {
        guard world.database.isUp else { return plan(match, in: 1_000) }
        let row = world.database.match(match)
        let truth = truth(match)
        let phase = phase(truth)
        if row.content != truth.content || row.phase != phase && !(row.phase == .ended && phase == .settled) {
            if world.database.commit(match, content: truth.content, phase: phase, alert: truth.alerts) {
                truths[match]?.alerts = false
                keepAlive(match, world.database.match(match).version)
            } else {
                plan(match, in: 1_000)
            }
        }
        if let until = truth.waitsUntil, until > world.now { plan(match, in: until - world.now) }
    }

    private func phase(_ truth: Truth) -> ActivityPhase {
        guard let until = truth.waitsUntil else { return truth.phase }
        return world.now >= until || world.bug == .tieEndsAtOnce ? .settled : .inBreak
    }

    /// After a failover the frames are looked at again.
    func lookAgain() { for match in truths.keys.sorted() { plan(match, in: 500 + world.random.below(4_500)) } }

    private func keepAlive(_ match: Int, _ version: Int) {
        world.after(Self.keepAliveInterval) { [unowned self] in
            let row = world.database.match(match)
            guard row.version == version, row.phase.isInPlay, world.bug != .noKeepAlive else { return }
            guard world.database.isUp,
                world.database.commit(match, content: row.content, phase: row.phase, alert: false)
            else { return plan(match, in: 1_000) }
            keepAlive(match, version + 1)
        }
    }
}
