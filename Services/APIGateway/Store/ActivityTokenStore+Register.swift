import Activities
import Postgres
import SightscreenModels
import Store

extension ActivityTokenStore {
    typealias Outcome = Batcher<ActivityTokenJob, Registered>.Outcome
    typealias IsAwaited = Batcher<ActivityTokenJob, Registered>.IsAwaited
    /// A caller left before any statement that writes was sent; the batch is built anew without it.
    private struct CallerLeft: Error {}

    /// Registers many tokens in one transaction; returns when it is committed.
    static func registerBatch(
        _ jobs: [ActivityTokenJob], isAwaited: @escaping IsAwaited, _ pool: PostgresPool, _ vault: TokenVault,
        _ dismissAfter: Int,
        _ contentStates: ContentStateCache, security: SecurityLog = .off
    ) async -> [Outcome] {
        do {
            let batch = try ActivityTokenBatch(jobs, vault, dismissAfter: dismissAfter, security: security)
            let (written, plan) = try await pool.exchange(
                reading: batch.reading, check: { try stay(jobs.indices, isAwaited) }
            ) { answers in try batch.decide(answers) }
            let states = await contentStates.decode(plan.matches.compactMapValues(\.contentState))
            var outcomes = try batch.outcomes(plan, written: written, contentStates: states)
            for (place, device) in batch.phonesWithoutRecord(plan) {
                let user = jobs[place].user
                outcomes[place] = .retryAfter { try await record(device, of: user, pool) { isAwaited(place) } }
            }
            return outcomes
        } catch is CallerLeft {
            return await withStaying(of: jobs.indices, isAwaited) { staying, isAwaited in
                await registerBatch(
                    staying.map { jobs[$0] }, isAwaited: isAwaited, pool, vault, dismissAfter, contentStates,
                    security: security)
            }
        } catch let error where jobs.count > 1 && isFaultOfOneRequest(error) {
            let half = jobs.count / 2
            let first = await registerBatch(
                Array(jobs[..<half]), isAwaited: isAwaited, pool, vault, dismissAfter, contentStates,
                security: security)
            let second = await registerBatch(
                Array(jobs[half...]), isAwaited: { isAwaited(half + $0) }, pool, vault, dismissAfter, contentStates,
                security: security)
            return first + second
        } catch {
            return [Outcome](repeating: isLostRace(error) ? .retry : .failed(error), count: jobs.count)
        }
    }

    /// Makes the record of a phone that reports an activity before it registers. Such phones are few, so each gets a
    /// transaction of its own.
    private static func record(
        _ device: DeviceID, of user: UserID, _ pool: PostgresPool, isAwaited: () -> Bool
    ) async throws {
        try await pool.forUser(user) { transaction in
            // The request may have waited for others of this user until after the account was deleted.
            guard isAwaited() else { throw BatcherRefusal.late }
            try await UserDevices.touch(transaction, user: user, device: device)
        }
    }

    // MARK: - Callers that have left

    private static func stay(_ places: Range<Int>, _ isAwaited: IsAwaited) throws {
        guard places.allSatisfy(isAwaited) else { throw CallerLeft() }
    }
    /// Runs the batch for the callers that still wait; the others get `BatcherRefusal.late`.
    private static func withStaying(
        of places: Range<Int>, _ isAwaited: @escaping IsAwaited,
        _ body: ([Int], @escaping IsAwaited) async -> [Outcome]
    ) async -> [Outcome] {
        var outcomes = [Outcome](repeating: .failed(BatcherRefusal.late), count: places.count)
        let staying = places.filter(isAwaited)
        guard !staying.isEmpty else { return outcomes }
        let answers = await body(staying) { isAwaited(staying[$0]) }
        for (place, outcome) in zip(staying, answers) { outcomes[place] = outcome }
        return outcomes
    }

    // MARK: - Failures

    private static func isLostRace(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return error.isLostRace || error.code == .server(ActivityTokenWrite.takenForNothing)
            // Another transaction holds the row's lock (55P03, lock_not_available).
            || error.code == .server("55P03")
    }

    /// Whether one request alone may have made the batch fail, with nothing committed: a lost race, a lock that is held
    /// for long, a text that PostgreSQL refuses. Then the batch is repeated in halves, so that the other requests are
    /// not affected. When the server is in trouble, or the outcome is unknown, a hundred more transactions would not
    /// help.
    private static func isFaultOfOneRequest(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        switch error.code {
        case .serialization, .constraint, .decoding: return true
        // Refused data (22), a state of the transaction (25) or of an object (55), a wrong name or right (42), or too
        // many locks for the server's table (53200); not a session that nothing can be written in.
        case .server(let state):
            return error.rule?.connection == .kept && ["22", "25", "42", "55"].contains(state.prefix(2))
                || state == "53200"
        case .unavailable, .deadline, .outcomeUnknown, .notDurable, .configuration: return false
        }
    }
}
