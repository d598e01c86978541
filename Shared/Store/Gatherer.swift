/// What can be gathered with others into one batch.
protocol Gatherable: Sendable {
    associatedtype ConflictKey: Hashable, Sendable
    /// Requests with a key in common are never in flight at the same time, and take effect in the order they came.
    var conflictKeys: [ConflictKey] { get }
}

/// Why a request was not even tried, or is not waited for any longer.
public enum GatherRefusal: Error, Hashable, Sendable {
    /// As many wait or are under way as may.
    case full
    /// No answer in time. It may still take effect.
    case late
}

/// Gathers what many ask for at the same time into batches, so that a stampede costs one transaction for hundreds of
/// requests.
///
/// There is no waiting for company: a batch starts as soon as one may, with whoever is there, and those that come while it
/// is under way are the next one. The busier it is, the larger the batches, and the less each request costs.
actor Gatherer<Request: Gatherable, Answer: Sendable> {
    /// What became of one request of a batch.
    enum Outcome: Sendable {
        case answered(Answer)
        case failed(any Error)
        /// Nothing was done for it, and nothing can be together with others: it is done by itself.
        case alone
    }

    struct Limits: Sendable {
        /// Requests that wait or are under way: more than thirty full batches.
        var requests = 4_096
        /// Requests in one batch.
        var batch = 128
        /// Batches at a time, each on a connection of its own. While one waits for the disk, the next is read.
        var batches = 2
        /// A batch beside another starts only when this many could go in it: many small ones cost more than they gain.
        var companions = 24
        /// Requests that are done by themselves at a time, beside the batches.
        var alone = 3
        /// How long a caller waits for the answer.
        var patience = Duration.seconds(5)
    }

    private struct Caller {
        let request: Request
        let due: ContinuousClock.Instant
        /// Nil when it was told that it is late, or gave up.
        var continuation: CheckedContinuation<Answer, any Error>?
        var isTaken = false
    }

    private typealias Queue = GatherQueue<Request.ConflictKey>

    private let limits: Limits
    private let together: @concurrent @Sendable ([Request]) async -> [Outcome]
    private let alone: @concurrent @Sendable (Request) async throws -> Answer

    private var queue: Queue
    private var callers: [Queue.Ticket: Caller] = [:]
    private var batchesInFlight = 0
    /// A batch has been called for and will take whoever is ready when its turn comes.
    private var batchIsStarting = false
    private var lonely: [Queue.Ticket] = []
    private var lonelyInFlight = 0
    private var watch: Task<Void, Never>?

    /// - Parameters:
    ///   - together: does what all of them ask for; one outcome for each, in their order.
    ///   - alone: does what one asks for.
    init(
        limits: Limits = Limits(), together: @escaping @concurrent @Sendable ([Request]) async -> [Outcome],
        alone: @escaping @concurrent @Sendable (Request) async throws -> Answer
    ) {
        self.limits = limits
        self.together = together
        self.alone = alone
        queue = Queue(membersMax: limits.requests)
    }

    /// Done when the answer is known. A caller that is cancelled stops waiting; its request, once under way, is done all
    /// the same.
    ///
    /// - Throws: `GatherRefusal`, `CancellationError`, and what the batch failed with.
    func submit(_ request: Request) async throws -> Answer {
        guard let ticket = queue.add(request.conflictKeys) else { throw GatherRefusal.full }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                callers[ticket] = Caller(request: request, due: .now + limits.patience, continuation: continuation)
                if Task.isCancelled { return giveUp(ticket, CancellationError()) }
                startWhatMayStart()
                watchTheClock()
            }
        } onCancel: {
            Task { await self.giveUp(ticket, CancellationError()) }
        }
    }

    // MARK: - Starting

    private func startWhatMayStart() {
        while !lonely.isEmpty, lonelyInFlight < limits.alone {
            let ticket = lonely.removeFirst()
            lonelyInFlight += 1
            Task { await self.doAlone(ticket) }
        }
        guard !batchIsStarting, batchesInFlight < limits.batches else { return }
        guard queue.readyCount >= (batchesInFlight == 0 ? 1 : limits.companions) else { return }
        batchIsStarting = true
        // Who is about to call runs before this does, and goes with it.
        Task { await self.doTogether() }
    }

    private func doTogether() async {
        batchIsStarting = false
        let tickets = queue.take(limits.batch)
        let requests = tickets.compactMap { callers[$0]?.request }
        for ticket in tickets { callers[ticket]?.isTaken = true }
        guard !tickets.isEmpty else { return }
        batchesInFlight += 1
        startWhatMayStart()
        let outcomes = await together(requests)
        batchesInFlight -= 1
        precondition(outcomes.count == tickets.count, "a batch has one outcome for each of its requests")
        for (ticket, outcome) in zip(tickets, outcomes) {
            switch outcome {
            case .answered(let answer): finish(ticket, .success(answer))
            case .failed(let error): finish(ticket, .failure(error))
            case .alone: lonely.append(ticket)
            }
        }
        startWhatMayStart()
    }

    private func doAlone(_ ticket: Queue.Ticket) async {
        // Nothing was done for it yet: when nobody waits any longer, nothing needs to be.
        if let caller = callers[ticket], caller.continuation != nil {
            do {
                finish(ticket, .success(try await alone(caller.request)))
            } catch {
                finish(ticket, .failure(error))
            }
        } else {
            finish(ticket, .failure(GatherRefusal.late))
        }
        lonelyInFlight -= 1
        startWhatMayStart()
    }

    // MARK: - Ending

    private func finish(_ ticket: Queue.Ticket, _ result: Result<Answer, any Error>) {
        let caller = callers.removeValue(forKey: ticket)
        queue.leave(ticket)
        caller?.continuation?.resume(with: result)
    }

    /// The caller hears of it at once. One that only waited is gone; one that is under way keeps its keys until it is done.
    private func giveUp(_ ticket: Queue.Ticket, _ error: any Error) {
        guard let continuation = callers[ticket]?.continuation else { return }
        callers[ticket]?.continuation = nil
        if callers[ticket]?.isTaken == false {
            callers[ticket] = nil
            queue.leave(ticket)
            startWhatMayStart()
        }
        continuation.resume(throwing: error)
    }

    /// One sleeper for all: everybody has the same patience, so nobody is late before the one that came first.
    private func watchTheClock() {
        guard watch == nil, let due = callers.values.lazy.compactMap(Self.dueOfWaiting).min() else { return }
        watch = Task {
            try? await Task.sleep(until: due, clock: .continuous)
            self.tellTheLate()
        }
    }

    private func tellTheLate() {
        watch = nil
        let now = ContinuousClock.now
        for (ticket, caller) in callers where caller.continuation != nil && caller.due <= now {
            giveUp(ticket, GatherRefusal.late)
        }
        watchTheClock()
    }

    private static func dueOfWaiting(_ caller: Caller) -> ContinuousClock.Instant? {
        caller.continuation == nil ? nil : caller.due
    }
}
