import Metrics
import NIOConcurrencyHelpers
/// A request that can share a batch with others.
protocol Batchable: Sendable {
    associatedtype ConflictKey: Hashable, Sendable
    /// Requests with a key in common are never in flight at the same time, and take effect in the order in which they
    /// came.
    var conflictKeys: [ConflictKey] { get }
}

/// The reason why a request was not tried, or is not waited for any longer.
package enum BatcherRefusal: Error, Hashable, Sendable {
    /// The queue is full.
    case full
    /// There was no answer in time. The request may still take effect if PostgreSQL had it by then, otherwise it does
    /// not.
    case late
}

/// Combines concurrent requests into batches, so that a stampede costs one transaction for hundreds of requests.
///
/// A batch does not wait to be filled: it starts as soon as one may, with the requests that are there, and those that
/// arrive while it is in flight form the next one. The busier it is, the larger the batches, and the less each request
/// costs.
///
/// The state is behind a lock and not in an actor, so that a caller that only joins the queue need not change threads.
final class Batcher<Request: Batchable, Answer: Sendable>: Sendable {
    /// The outcome of one request of a batch.
    enum Outcome: Sendable {
        case answered(Answer)
        case failed(any Error)
        /// The request was blocked and is retried a little later.
        case retry
        /// The closure has to finish before the request is retried. The request keeps its place in line meanwhile.
        case retryAfter(@Sendable () async throws -> Void)
    }

    struct Limits: Sendable {
        /// The most requests that wait or are in flight: more than thirty full batches.
        var requests = 4_096
        /// The most requests in one batch.
        var batch = 128
        /// The most batches at a time, each on a connection of its own. While one waits for the disk, the other is
        /// read. A third would make all of them smaller, and each request more expensive.
        var batches = 2
        /// A second batch starts beside another only when this many requests are ready: many small batches cost more
        /// than they gain.
        var secondBatchMin = 24
        /// The pause before a retry.
        var pause = Duration.milliseconds(20)
        /// The time that a caller waits for the answer.
        var timeout = Duration.seconds(5)
    }

    /// Whether the caller of a request still waits, by the request's index in the batch. It must be asked after every
    /// wait and just before a change is written: a request whose caller has been told that it failed, and which has
    /// been repeated or reversed since, must not take effect after that.
    typealias IsAwaited = @Sendable (Int) -> Bool

    private typealias Queue = BatchQueue<Request.ConflictKey>

    /// `@unchecked Sendable`: mutable state is touched only under the lock, or by the batch that has removed the
    /// caller.
    private final class Caller: @unchecked Sendable {
        let request: Request
        let due: ContinuousClock.Instant
        var isInFlight = false
        /// The waiting caller; nil after it was told that it is late, or gave up.
        private var continuation: CheckedContinuation<Answer, any Error>?

        init(_ request: Request, _ due: ContinuousClock.Instant, _ continuation: CheckedContinuation<Answer, any Error>)
        {
            self.request = request
            self.due = due
            self.continuation = continuation
        }

        var isWaiting: Bool { continuation != nil }

        func giveUp() -> CheckedContinuation<Answer, any Error>? {
            defer { continuation = nil }
            return continuation
        }

        func answer(_ outcome: Outcome) {
            switch outcome {
            case .answered(let answer): continuation?.resume(returning: answer)
            case .failed(let error): continuation?.resume(throwing: error)
            case .retry, .retryAfter: break
            }
        }
    }

    private struct State {
        var queue: Queue
        var callers: [Queue.Ticket: Caller] = [:]
        var batchesInFlight = 0
        /// A batch has been scheduled and takes the ready requests when it runs.
        var batchIsStarting = false
        var isExpiryScheduled = false
    }
    /// The work to start after the lock is released.
    private struct Start {
        var batch = false
        /// The time at which to look for callers that are late.
        var expiry: ContinuousClock.Instant?
    }

    private let limits: Limits
    private let work: @Sendable ([Request], @escaping IsAwaited) async -> [Outcome]
    private let state: NIOLockedValueBox<State>
    private let meters: Meters?

    /// The numbers of requests that wait or are in flight, and of those in flight alone.
    struct Meters: Sendable {
        let waiting: Meter
        let inFlight: Meter

        init(waiting: Meter, inFlight: Meter) {
            self.waiting = waiting
            self.inFlight = inFlight
            // Both series are exported before the first request.
            waiting.increment(by: 0)
            inFlight.increment(by: 0)
        }
    }

    /// - Parameters:
    ///   - meters: show how many requests there are.
    ///   - work: does the work of a whole batch; it returns one outcome for each request, in their order.
    init(
        limits: Limits = Limits(), meters: Meters? = nil,
        work: @escaping @Sendable ([Request], @escaping IsAwaited) async -> [Outcome]
    ) {
        self.limits = limits
        self.work = work
        self.meters = meters
        state = NIOLockedValueBox(State(queue: Queue(membersMax: limits.requests)))
    }

    /// Submits a request and returns its answer. A caller that is cancelled stops waiting; its request, once sent,
    /// takes effect all the same.
    ///
    /// - Throws: `BatcherRefusal`, `CancellationError`, and what the batch failed with.
    func submit(_ request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let keys = request.conflictKeys
        let ticket = state.withLockedValue { $0.queue.newTicket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let caller = Caller(request, .now + limits.timeout, continuation)
                let start = state.withLockedValue { state -> Start? in
                    guard state.queue.add(ticket, keys) else { return nil }
                    state.callers[ticket] = caller
                    return nextStart(&state)
                }
                guard let start else { return continuation.resume(throwing: BatcherRefusal.full) }
                meters?.waiting.increment(by: 1)
                go(start)
                if Task.isCancelled { giveUp(ticket, CancellationError()) }
            }
        } onCancel: {
            giveUp(ticket, CancellationError())
        }
    }

    // MARK: - Starting

    private func nextStart(_ state: inout State) -> Start {
        var start = Start()
        if !state.batchIsStarting, state.batchesInFlight < limits.batches,
            state.queue.readyCount >= (state.batchesInFlight == 0 ? 1 : limits.secondBatchMin)
        {
            state.batchIsStarting = true
            start.batch = true
        }
        if !state.isExpiryScheduled, let due = firstDue(state) {
            state.isExpiryScheduled = true
            start.expiry = due
        }
        return start
    }

    private func go(_ start: Start) {
        // The batch starts in a new task, so callers that are about to submit run first and join it.
        if start.batch { Task { await self.doBatch() } }
        if let due = start.expiry { Task { await self.expireLate(until: due) } }
    }

    @concurrent private func doBatch() async {
        let (tickets, requests, start) = state.withLockedValue { state in
            state.batchIsStarting = false
            let tickets = state.queue.take(limits.batch)
            let requests = tickets.compactMap { ticket in
                state.callers[ticket]?.isInFlight = true
                return state.callers[ticket]?.request
            }
            meters?.inFlight.increment(by: Double(requests.count))
            if !tickets.isEmpty { state.batchesInFlight += 1 }
            return (tickets, requests, nextStart(&state))
        }
        go(start)
        guard !tickets.isEmpty else { return }
        let outcomes = await work(requests) { self.isAwaited(tickets[$0]) }
        precondition(outcomes.count == tickets.count, "a batch has one outcome for each of its requests")
        var again: [Queue.Ticket] = []
        var first: [(Queue.Ticket, @Sendable () async throws -> Void)] = []
        var done: [(Caller, Outcome)] = []
        done.reserveCapacity(tickets.count)
        let next = state.withLockedValue { state in
            state.batchesInFlight -= 1
            for (ticket, outcome) in zip(tickets, outcomes) {
                switch outcome {
                case .retry: again.append(ticket)
                case .retryAfter(let body): first.append((ticket, body))
                case .answered, .failed:
                    if let caller = remove(ticket, &state) { done.append((caller, outcome)) }
                }
            }
            return nextStart(&state)
        }
        // The next batch starts before the callers of this one are answered.
        go(next)
        for (caller, outcome) in done { caller.answer(outcome) }
        for (ticket, body) in first { Task { await self.retry(ticket, after: body) } }
        guard !again.isEmpty else { return }
        try? await Task.sleep(for: limits.pause)
        go(state.withLockedValue { state in putBack(again, &state) })
    }

    private func retry(_ ticket: Queue.Ticket, after body: @Sendable () async throws -> Void) async {
        do {
            try await body()
            go(state.withLockedValue { state in putBack([ticket], &state) })
        } catch {
            let (caller, start) = state.withLockedValue { state in (remove(ticket, &state), nextStart(&state)) }
            go(start)
            caller?.answer(.failed(error))
        }
    }

    /// Makes tickets ready again; they have kept their places in line.
    private func putBack(_ tickets: [Queue.Ticket], _ state: inout State) -> Start {
        for ticket in tickets {
            guard let caller = state.callers[ticket], caller.isWaiting else {
                _ = remove(ticket, &state)
                continue
            }
            caller.isInFlight = false
            meters?.inFlight.decrement(by: 1)
            state.queue.putBack(ticket)
        }
        return nextStart(&state)
    }

    private func isAwaited(_ ticket: Queue.Ticket) -> Bool {
        state.withLockedValue { $0.callers[ticket]?.isWaiting ?? false }
    }

    // MARK: - Ending

    private func remove(_ ticket: Queue.Ticket, _ state: inout State) -> Caller? {
        state.queue.leave(ticket)
        let caller = state.callers.removeValue(forKey: ticket)
        if let caller {
            meters?.waiting.decrement(by: 1)
            if caller.isInFlight { meters?.inFlight.decrement(by: 1) }
        }
        return caller
    }

    /// Tells the caller at once. A request that only waited is removed; one in flight keeps its keys until it is done.
    private func giveUp(_ ticket: Queue.Ticket, _ error: any Error) {
        let (continuation, start) = state.withLockedValue { state in
            let continuation = state.callers[ticket]?.giveUp()
            if state.callers[ticket]?.isInFlight == false { _ = remove(ticket, &state) }
            return (continuation, nextStart(&state))
        }
        go(start)
        continuation?.resume(throwing: error)
    }
    /// One timer serves all callers: the time-out is the same for all, so the oldest caller is late first.
    @concurrent private func expireLate(until due: ContinuousClock.Instant) async {
        try? await Task.sleep(until: due, clock: .continuous)
        let now = ContinuousClock.now
        let late = state.withLockedValue { state in
            state.callers.filter { $0.value.isWaiting && $0.value.due <= now }.map(\.key)
        }
        for ticket in late { giveUp(ticket, BatcherRefusal.late) }
        go(
            state.withLockedValue { state in
                state.isExpiryScheduled = false
                return nextStart(&state)
            })
    }

    private func firstDue(_ state: State) -> ContinuousClock.Instant? {
        state.callers.values.lazy.filter(\.isWaiting).map(\.due).min()
    }
}
