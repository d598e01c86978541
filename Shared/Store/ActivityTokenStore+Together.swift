import Postgres
import Sightscreen

extension ActivityTokenStore {
    typealias Outcome = Gatherer<ActivityTokenJob, Registered>.Outcome

    /// Many requests in one transaction; answered when it is committed.
    static func registerTogether(
        _ jobs: [ActivityTokenJob], _ pool: PostgresPool, _ dismissAfter: Int, _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        let batch = ActivityTokenBatch(jobs, dismissAfter: dismissAfter)
        do {
            let (written, plan) = try await pool.exchange(reading: batch.reading) { try batch.decide($0) }
            let states = await contentStates.decode(plan.matches.compactMapValues(\.contentState))
            return try batch.outcomes(plan, written: written, contentStates: states)
        } catch {
            let outcome: Outcome = isOfOne(error) ? .alone : .failed(error)
            return [Outcome](repeating: outcome, count: jobs.count)
        }
    }

    /// Nothing of the batch was committed, and one of its requests was enough for that: a lost race, a lock that somebody
    /// holds for long, a text that PostgreSQL refuses. By themselves the others need not suffer from it. When the server
    /// is in trouble, or it is not known what became of the batch, a hundred transactions more would not help anybody.
    private static func isOfOne(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        switch error.code {
        case .serialization, .constraint, .decoding: return true
        // Data that is refused; a state of the transaction or of an object; too many locks for the server's table.
        case .server(let state): return ["22", "25", "42", "55"].contains(state.prefix(2)) || state == "53200"
        case .unavailable, .deadline, .outcomeUnknown, .notDurable: return false
        }
    }
}
