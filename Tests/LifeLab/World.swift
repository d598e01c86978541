import Activities

/// One schedule: phones, APNs, the services and the database on one virtual clock. All times are milliseconds.
final class World {
    static let begin = 1_800_000_000_000

    let seed: UInt64
    let bug: PlantedBug?
    let policy = LifePolicy()
    var random: SplitMix64
    var faults: FaultPlan
    private(set) var now = World.begin
    private(set) var steps = 0
    private var queue = EventQueue()
    private var count = 0
    /// Nothing has gone wrong since.
    private(set) var calmSince = World.begin
    private(set) var trace: [String] = []
    let isTraced: Bool
    /// The first thing that must not happen.
    private(set) var failure: String?

    lazy var database = LabDatabase(self)
    lazy var apns = SimulatedAPNs(self)
    lazy var bus = LabBus(self)
    lazy var gateway = LabGateway(self)
    lazy var orchestrator = LabOrchestrator(self)
    lazy var coordinators = [LabCoordinator(self, 0), LabCoordinator(self, 1)]
    lazy var oracle = Oracle(self)
    var phones: [SimulatedPhone] = []
    /// What a named schedule does when a coordinator is about to send something.
    var aboutToLeave: ((LabPush, LabCoordinator) -> Void)?

    init(seed: UInt64, bug: PlantedBug? = nil, faults: FaultPlan = .none, isTraced: Bool = false) {
        self.seed = seed
        self.bug = bug
        self.faults = faults
        self.isTraced = isTraced
        random = SplitMix64(seed: seed)
    }

    var moment: Moment { Moment(milliseconds: now) }
    var seconds: Int { now / 1_000 }

    func unique() -> Int {
        count += 1
        return count
    }

    func at(_ time: Int, _ body: @escaping () -> Void) { queue.add(at: max(time, now), body) }
    func after(_ wait: Int, _ body: @escaping () -> Void) { queue.add(at: now + wait, body) }

    /// Goes on until that time, or until something is wrong.
    func run(until end: Int) {
        while failure == nil, let next = queue.nextAt, next <= end {
            let event = queue.removeFirst()
            now = event.at
            steps += 1
            event.body()
        }
        now = max(now, end)
    }

    /// Whether a fault of that rate happens now.
    func fault(_ rate: Int) -> Bool {
        guard random.perMille(rate) else { return false }
        noteFault()
        return true
    }

    /// A push is still on its way.
    func noteDelivery(until end: Int) { if end - now > 5_000 { noteFault(until: end) } }

    func noteFault(until end: Int = 0) { calmSince = max(calmSince, now, end) }

    func note(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        let elapsed = now - World.begin
        let clock = [elapsed / 3_600_000, elapsed / 60_000 % 60, elapsed / 1_000 % 60].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        let rest = elapsed % 1_000
        let digits = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
        trace.append("\(clock.joined(separator: ":")).\(digits)  \(text())")
    }

    func fail(_ invariant: String, _ text: @autoclosure () -> String) {
        guard failure == nil else { return }
        failure = "\(invariant): \(text())"
        note("✗ \(failure ?? "")")
    }
}
