/// Delivers the newest value of each slot, and repeats until it is delivered.
///
/// A slot never has two deliveries under way, so an older value cannot arrive after a newer one. A value that is put
/// during a delivery waits for its end. A value that waits for its next attempt is replaced, and the new one goes at
/// once. The app is kept from being suspended while there is a value to deliver, as far as the system gives it time.
actor Outbox<Slot: Hashable & Sendable, Value: Sendable> {
    enum Outcome: Sendable {
        case delivered
        /// The delivery failed. The next attempt comes no earlier than `after`.
        case retry(after: Duration?)
    }

    private struct Entry {
        var value: Value?
        /// Counts the values that were put, to tell whether there is a newer one than the delivered one.
        var revision = 0
        var worker: Task<Void, Never>?
        var backoff: Task<Void, Never>?
    }

    private let clock: any ClientClock
    private let background: any BackgroundTimePort
    private let delays: RetryDelays
    private let jitter: @Sendable () -> Double
    private let deliver: @Sendable (Slot, Value) async -> Outcome
    /// The slots that have a value to deliver: on a phone, as many as activities and followed matches.
    private var entries: [Slot: Entry] = [:]
    private var isStopped = false
    /// Whether failed deliveries are no longer repeated.
    private(set) var isFinishing = false
    /// Counts the calls of `retryNow`. A call during a delivery removes the wait after its failure.
    private var retries = 0
    /// Ends the background task; nil while there is none.
    private var awake: AsyncStream<Never>.Continuation?
    private var beginning: Task<BackgroundTaskID?, Never>?
    /// Counts the background tasks.
    private var awakenings = 0

    init(
        clock: any ClientClock, background: any BackgroundTimePort, delays: RetryDelays = RetryDelays(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        deliver: @escaping @Sendable (Slot, Value) async -> Outcome
    ) {
        self.clock = clock
        self.background = background
        self.delays = delays
        self.jitter = jitter
        self.deliver = deliver
    }
    /// The slots whose value is not delivered yet.
    var waiting: Set<Slot> { Set(entries.filter { $0.value.value != nil }.keys) }

    func put(_ value: Value, in slot: Slot) {
        guard !isStopped else { return }
        var entry = entries[slot] ?? Entry()
        entry.value = value
        entry.revision += 1
        entry.backoff?.cancel()
        if entry.worker == nil { entry.worker = Task { await self.work(slot) } }
        entries[slot] = entry
        stayAwake()
    }

    /// Removes the slot's value. A delivery under way goes on and is not repeated.
    func discard(_ slot: Slot) {
        guard entries[slot] != nil else { return }
        entries[slot]?.value = nil
        entries[slot]?.revision += 1
        entries[slot]?.backoff?.cancel()
    }

    /// Removes the slot's value, and returns when no delivery of it is under way. `deliver` must not call it.
    func withdraw(_ slot: Slot) async {
        discard(slot)
        await entries[slot]?.worker?.value
    }

    /// Starts the waiting attempts now: the app is in the foreground again, or the network is back.
    func retryNow() {
        retries += 1
        for entry in entries.values { entry.backoff?.cancel() }
        stayAwake()
    }

    /// Returns when there is nothing to deliver.
    func emptied() async {
        while let worker = entries.values.lazy.compactMap(\.worker).first { await worker.value }
    }

    /// Tries every value once more, and returns when no delivery is under way. No value is accepted after it.
    func finish() async {
        isStopped = true
        isFinishing = true
        retryNow()
        for worker in entries.values.compactMap(\.worker) { await worker.value }
    }

    /// Cancels the deliveries under way, and returns when they have ended.
    func stop() async {
        isStopped = true
        let workers = entries.values.compactMap(\.worker)
        for entry in entries.values {
            entry.worker?.cancel()
            entry.backoff?.cancel()
        }
        for worker in workers { await worker.value }
    }

    private func work(_ slot: Slot) async {
        // A delivery that begins in the foreground may end in the background.
        _ = await beginning?.value
        var failures = 0
        while !Task.isCancelled, let entry = entries[slot], let value = entry.value {
            let retriesBefore = retries
            let outcome = await deliver(slot, value)
            guard entries[slot]?.revision == entry.revision else {
                failures = 0
                continue
            }
            guard case .retry(let asked) = outcome, !Task.isCancelled else { break }
            if retries != retriesBefore { continue }
            if isFinishing { break }
            failures += 1
            let delay = delays.delay(failures: failures, asked: asked, jitter: jitter())
            let backoff = Task { [clock] in _ = try? await clock.sleep(for: delay) }
            entries[slot]?.backoff = backoff
            await backoff.value
            entries[slot]?.backoff = nil
        }
        entries[slot] = nil
        guard entries.isEmpty else { return }
        awake?.finish()
        awake = nil
    }

    /// Begins a background task that ends when there is nothing to deliver. The system may end it before, and then the
    /// next value or retry begins another.
    private func stayAwake() {
        guard awake == nil, !entries.isEmpty else { return }
        let (over, end) = AsyncStream.makeStream(of: Never.self)
        awake = end
        awakenings += 1
        let beginning = Task { [background] in
            await background.begin("Sightscreen sends", expired: { end.finish() })
        }
        self.beginning = beginning
        Task { [awakenings] in
            if let task = await beginning.value {
                for await _ in over {}
                await background.end(task)
            }
            // A later value may have begun another one.
            if self.awakenings == awakenings { awake = nil }
        }
    }
}
