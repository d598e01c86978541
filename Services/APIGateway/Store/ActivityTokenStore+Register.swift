import Activities
import Postgres
import SightscreenModels
import Store

extension ActivityTokenStore {
    typealias Outcome = Gatherer<ActivityTokenJob, Registered>.Outcome
    typealias IsAwaited = Gatherer<ActivityTokenJob, Registered>.IsAwaited

    /// Somebody who waited when the batch was put together has gone, and nothing was sent yet.
    private struct SomebodyLeft: Error {}

    /// Many requests in one transaction; answered when it is committed.
    static func registerBatch(
        _ jobs: [ActivityTokenJob], isAwaited: @escaping IsAwaited, _ pool: PostgresPool, _ vault: TokenVault,
        _ dismissAfter: Int,
        _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        do {
            let batch = try ActivityTokenBatch(jobs, vault, dismissAfter: dismissAfter)
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
        } catch is SomebodyLeft {
            return await withThose(of: jobs.indices, isAwaited) { staying, isAwaited in
                await registerBatch(
                    staying.map { jobs[$0] }, isAwaited: isAwaited, pool, vault, dismissAfter, contentStates)
            }
        } catch let error where jobs.count > 1 && isOfOne(error) {
            let half = jobs.count / 2
            let first = await registerBatch(
                Array(jobs[..<half]), isAwaited: isAwaited, pool, vault, dismissAfter, contentStates)
            let second = await registerBatch(
                Array(jobs[half...]), isAwaited: { isAwaited(half + $0) }, pool, vault, dismissAfter, contentStates)
            return first + second
        } catch {
            return [Outcome](repeating: isLostRace(error) ? .retry : .failed(error), count: jobs.count)
        }
    }

    /// Few phones report an activity before they register: each of those gets its record by itself.
    private static func record(
        _ device: DeviceID, of user: UserID, _ pool: PostgresPool, isAwaited: () -> Bool
    ) async throws {
        try await pool.forUser(user) { transaction in
            // It may have waited for others of this user, longer than its account was there.
            guard isAwaited() else { throw GatherRefusal.late }
            try await UserDevices.touch(transaction, user: user, device: device)
        }
    }

    // MARK: - Those who have gone

    private static func stay(_ places: Range<Int>, _ isAwaited: IsAwaited) throws {
        guard places.allSatisfy(isAwaited) else { throw SomebodyLeft() }
    }

    /// Nobody hears of the outcome of those who have gone.
    private static func withThose(
        of places: Range<Int>, _ isAwaited: @escaping IsAwaited,
        _ body: ([Int], @escaping IsAwaited) async -> [Outcome]
    ) async -> [Outcome] {
        var outcomes = [Outcome](repeating: .failed(GatherRefusal.late), count: places.count)
        let staying = places.filter(isAwaited)
        guard !staying.isEmpty else { return outcomes }
        let answers = await body(staying) { isAwaited(staying[$0]) }
        for (place, outcome) in zip(staying, answers) { outcomes[place] = outcome }
        return outcomes
    }

    // MARK: - Those that failed

    private static func isLostRace(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return error.isLostRace || error.code == .server(ActivityTokenWrite.takenForNothing)
            // A row that somebody else holds.
            || error.code == .server("55P03")
    }

    /// Nothing of the batch was committed, and one of its requests was enough for that: a lost race, a lock that somebody
    /// holds for long, a text that PostgreSQL refuses. In halves of it the others need not suffer from it. When the server
    /// is in trouble, or it is not known what became of the batch, a hundred transactions more would not help anybody.
    private static func isOfOne(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        switch error.code {
        case .serialization, .constraint, .decoding: return true
        // Data that is refused; a state of the transaction or of an object; too many locks for the server's table.
        case .server(let state): return ["22", "25", "42", "55"].contains(state.prefix(2)) || state == "53200"
        case .unavailable, .deadline, .outcomeUnknown, .notDurable, .configuration: return false
        }
    }
}
