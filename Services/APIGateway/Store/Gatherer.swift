import Metrics
import NIOConcurrencyHelpers

/// What can be gathered with others into one batch.
protocol Gatherable: Sendable {
    associatedtype ConflictKey: Hashable, Sendable
    /// Requests with a key in common are never in flight at the same time, and take effect in the order they came.
    var conflictKeys: [ConflictKey] { get }
}

/// Why a request was not even tried, or is not waited for any longer.
package enum GatherRefusal: Error, Hashable, Sendable {
    /// As many wait or are under way as may.
    case full
    /// No answer in time. It may still take effect when it was with PostgreSQL by then, otherwise it does not.
    case late
}

/// Gathers what many ask for at the same time into batches, so that a stampede costs one transaction for hundreds of
/// requests.
///
/// There is no waiting for company: a batch starts as soon as one may, with whoever is there, and those that come while it
/// is under way are the next one. The busier it is, the larger the batches, and the less each request costs.
///
/// A lock and no actor: a caller that only has to take its place in the queue need not change threads for that.
final class Gatherer<Request: Gatherable, Answer: Sendable>: Sendable {
    /// What became of one request of a batch.
    enum Outcome: Sendable {
        case answered(Answer)
        case failed(any Error)
        /// Something was in its way: it is tried again a little later.
        case retry
        /// This has to be done before it is tried again. It keeps its place in line meanwhile.
        case retryAfter(@Sendable () async throws -> Void)
    }

    struct Limits: Sendable {
        /// Requests that wait or are under way: more than thirty full batches.
        var requests = 4_096
        /// Requests in one batch.
        var batch = 128
        /// Batches at a time, each on a connection of its own. While one waits for the disk, the other is read. A third makes
        /// all of them smaller, and each request dearer.
        var batches = 2
        /// A batch beside another starts only when this many could go in it: many small ones cost more than they gain.
        var companions = 24
        /// Before something is tried again.
        var pause = Duration.milliseconds(20)
        /// How long a caller waits for the answer.
        var patience = Duration.seconds(5)
    }

    /// Whether somebody still waits for the answer to a request of a batch, by its place. To be asked again after every
    /// wait and just before something is done that stays: a request of which its caller has heard that it failed, and which
    /// was asked for once more or taken back since, must not take effect after that.
    typealias IsAwaited = @Sendable (Int) -> Bool

    private typealias Queue = GatherQueue<Request.ConflictKey>

    /// `@unchecked Sendable`: what can change is touched under the lock, or by the one that has taken it out.
    private final class Caller: @unchecked Sendable {
        let request: Request
        let due: ContinuousClock.Instant
        var isTaken = false
        /// Nil when it was told that it is late, or gave up.
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
        /// A batch has been called for and will take whoever is ready when its turn comes.
        var batchIsStarting = false
        var isWatched = false
    }

    /// What has to be set going once the lock is open.
    private struct Start {
        var batch = false
        /// When to look for those who are late.
        var watch: ContinuousClock.Instant?
    }

    private let limits: Limits
    private let work: @Sendable ([Request], @escaping IsAwaited) async -> [Outcome]
    private let state: NIOLockedValueBox<State>
    private let meters: Meters?

    /// Requests that are here, and those of them that are under way.
    struct Meters: Sendable {
        let waiting: Meter
        let inFlight: Meter

        init(waiting: Meter, inFlight: Meter) {
            self.waiting = waiting
            self.inFlight = inFlight
            // They show before anything happens.
            waiting.increment(by: 0)
            inFlight.increment(by: 0)
        }
    }

    /// - Parameters:
    ///   - meters: show how many requests are here.
    ///   - work: does what all of a batch ask for; one outcome for each, in their order.
    init(
        limits: Limits = Limits(), meters: Meters? = nil,
        work: @escaping @Sendable ([Request], @escaping IsAwaited) async -> [Outcome]
    ) {
        self.limits = limits
        self.work = work
        self.meters = meters
        state = NIOLockedValueBox(State(queue: Queue(membersMax: limits.requests)))
    }

    /// Done when the answer is known. A caller that is cancelled stops waiting; its request, once sent, is done all the
    /// same.
    ///
    /// - Throws: `GatherRefusal`, `CancellationError`, and what the batch failed with.
    func submit(_ request: Request) async throws -> Answer {
        try Task.checkCancellation()
        let keys = request.conflictKeys
        let ticket = state.withLockedValue { $0.queue.newTicket() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let caller = Caller(request, .now + limits.patience, continuation)
                let start = state.withLockedValue { state -> Start? in
                    guard state.queue.add(ticket, keys) else { return nil }
                    state.callers[ticket] = caller
                    return whatMayStart(&state)
                }
                guard let start else { return continuation.resume(throwing: GatherRefusal.full) }
                meters?.waiting.increment(by: 1)
                go(start)
                if Task.isCancelled { giveUp(ticket, CancellationError()) }
            }
        } onCancel: {
            giveUp(ticket, CancellationError())
        }
    }

    // MARK: - Starting

    private func whatMayStart(_ state: inout State) -> Start {
        var start = Start()
        if !state.batchIsStarting, state.batchesInFlight < limits.batches,
            state.queue.readyCount >= (state.batchesInFlight == 0 ? 1 : limits.companions)
        {
            state.batchIsStarting = true
            start.batch = true
        }
        if !state.isWatched, let due = firstDue(state) {
            state.isWatched = true
            start.watch = due
        }
        return start
    }

    private func go(_ start: Start) {
        // Who is about to call runs before this does, and goes with it.
        if start.batch { Task { await self.doBatch() } }
        if let due = start.watch { Task { await self.watchTheClock(until: due) } }
    }

    @concurrent private func doBatch() async {
        let (tickets, requests, start) = state.withLockedValue { state in
            state.batchIsStarting = false
            let tickets = state.queue.take(limits.batch)
            let requests = tickets.compactMap { ticket in
                state.callers[ticket]?.isTaken = true
                return state.callers[ticket]?.request
            }
            meters?.inFlight.increment(by: Double(requests.count))
            if !tickets.isEmpty { state.batchesInFlight += 1 }
            return (tickets, requests, whatMayStart(&state))
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
            return whatMayStart(&state)
        }
        // First the next batch: it need not wait until everybody has heard of this one.
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
            let (caller, start) = state.withLockedValue { state in (remove(ticket, &state), whatMayStart(&state)) }
            go(start)
            caller?.answer(.failed(error))
        }
    }

    /// They have kept their places in line meanwhile.
    private func putBack(_ tickets: [Queue.Ticket], _ state: inout State) -> Start {
        for ticket in tickets {
            guard let caller = state.callers[ticket], caller.isWaiting else {
                _ = remove(ticket, &state)
                continue
            }
            caller.isTaken = false
            meters?.inFlight.decrement(by: 1)
            state.queue.putBack(ticket)
        }
        return whatMayStart(&state)
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
            if caller.isTaken { meters?.inFlight.decrement(by: 1) }
        }
        return caller
    }

    /// The caller hears of it at once. One that only waited is gone; one that is under way keeps its keys until it is done.
    private func giveUp(_ ticket: Queue.Ticket, _ error: any Error) {
        let (continuation, start) = state.withLockedValue { state in
            let continuation = state.callers[ticket]?.giveUp()
            if state.callers[ticket]?.isTaken == false { _ = remove(ticket, &state) }
            return (continuation, whatMayStart(&state))
        }
        go(start)
        continuation?.resume(throwing: error)
    }

    /// One sleeper for all: everybody has the same patience, so nobody is late before the one that came first.
    @concurrent private func watchTheClock(until due: ContinuousClock.Instant) async {
        try? await Task.sleep(until: due, clock: .continuous)
        let now = ContinuousClock.now
        let late = state.withLockedValue { state in
            state.callers.filter { $0.value.isWaiting && $0.value.due <= now }.map(\.key)
        }
        for ticket in late { giveUp(ticket, GatherRefusal.late) }
        go(
            state.withLockedValue { state in
                state.isWatched = false
                return whatMayStart(&state)
            })
    }

    private func firstDue(_ state: State) -> ContinuousClock.Instant? {
        state.callers.values.lazy.filter(\.isWaiting).map(\.due).min()
    }
}
