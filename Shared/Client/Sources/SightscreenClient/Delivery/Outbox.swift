/// Brings the newest value of each slot to its receiver, again and again until it is taken.
///
/// A slot never has two deliveries under way, so an older value cannot arrive after a newer one. A value that is put while
/// another is under way takes its turn; one that waits for its next attempt is replaced, and goes at once.
actor Outbox<Slot: Hashable & Sendable, Value: Sendable> {
    enum Outcome: Sendable {
        case taken
        /// Not yet; not before so long.
        case again(after: Duration?)
    }

    private struct Line {
        var value: Value?
        /// Counts what was put: tells whether there is something newer than what was delivered.
        var revision = 0
        var worker: Task<Void, Never>?
        var nap: Task<Void, Never>?
    }

    private let clock: any ClientClock
    private let delays: RetryDelays
    private let jitter: @Sendable () -> Double
    private let deliver: @Sendable (Slot, Value) async -> Outcome
    /// One for each slot that has something to deliver; a phone has as many as activities and followed matches.
    private var lines: [Slot: Line] = [:]
    private var isStopped = false
    /// Nothing waits for another attempt any more.
    private(set) var isFinishing = false
    /// Counts calls of `hurry`: one that comes while a delivery is under way spares it the wait after its failure.
    private var hurries = 0

    init(
        clock: any ClientClock, delays: RetryDelays = RetryDelays(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        deliver: @escaping @Sendable (Slot, Value) async -> Outcome
    ) {
        self.clock = clock
        self.delays = delays
        self.jitter = jitter
        self.deliver = deliver
    }

    /// What is not taken yet.
    var waiting: Set<Slot> { Set(lines.filter { $0.value.value != nil }.keys) }

    func put(_ value: Value, in slot: Slot) {
        guard !isStopped else { return }
        var line = lines[slot] ?? Line()
        line.value = value
        line.revision += 1
        line.nap?.cancel()
        if line.worker == nil { line.worker = Task { await self.work(slot) } }
        lines[slot] = line
    }

    /// Forgets the slot's value. What is under way goes on, and is not repeated.
    func discard(_ slot: Slot) {
        guard lines[slot] != nil else { return }
        lines[slot]?.value = nil
        lines[slot]?.revision += 1
        lines[slot]?.nap?.cancel()
    }

    /// Forgets the slot's value, and returns when nothing of it is under way any more. Never to be called by what
    /// delivers.
    func withdraw(_ slot: Slot) async {
        discard(slot)
        await lines[slot]?.worker?.value
    }

    /// What waits for its next attempt goes now: the app came to the front, the network is back.
    func hurry() {
        hurries += 1
        for line in lines.values { line.nap?.cancel() }
    }

    /// Tries everything once more, now, and returns when nothing is under way. Nothing is taken any more.
    func finish() async {
        isStopped = true
        isFinishing = true
        hurry()
        for worker in lines.values.compactMap(\.worker) { await worker.value }
    }

    /// Cancels what is under way and returns when it has ended.
    func stop() async {
        isStopped = true
        let workers = lines.values.compactMap(\.worker)
        for line in lines.values {
            line.worker?.cancel()
            line.nap?.cancel()
        }
        for worker in workers { await worker.value }
    }

    private func work(_ slot: Slot) async {
        var failures = 0
        while !Task.isCancelled, let line = lines[slot], let value = line.value {
            let hurriesBefore = hurries
            let outcome = await deliver(slot, value)
            guard lines[slot]?.revision == line.revision else {
                failures = 0
                continue
            }
            guard case .again(let asked) = outcome, !Task.isCancelled else { break }
            if hurries != hurriesBefore { continue }
            if isFinishing { break }
            failures += 1
            let delay = delays.delay(failures: failures, asked: asked, jitter: jitter())
            let nap = Task { [clock] in _ = try? await clock.sleep(for: delay) }
            lines[slot]?.nap = nap
            await nap.value
            lines[slot]?.nap = nil
        }
        lines[slot] = nil
    }
}
