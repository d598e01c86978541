import Activities
import Postgres
import Sightscreen

extension ActivityTokenStore {
    typealias Outcome = Gatherer<ActivityTokenJob, Registered>.Outcome

    /// Many requests in one transaction, or two; answered when it is committed.
    static func registerTogether(
        _ jobs: [ActivityTokenJob], _ pool: PostgresPool, _ dismissAfter: Int, _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        let shortcut = ActivityTokenShortcut(jobs)
        do {
            let answer = try shortcut.answer(try await pool.exchange(shortcut.statements))
            let states = await contentStates.decode(answer.contentStates)
            var outcomes = [Outcome](repeating: .alone, count: jobs.count)
            for (place, action) in answer.taken {
                let match = jobs[place].match
                let isKept = if case .keep(_) = action { true } else { false }
                outcomes[place] = .answered(
                    Registered(action: action, contentState: states[match], changedMatches: isKept ? [] : [match]))
            }
            guard answer.taken.count < jobs.count else { return outcomes }
            let others = jobs.indices.filter { answer.taken[$0] == nil }
            let answers = await registerByTheRule(others.map { jobs[$0] }, pool, dismissAfter, contentStates)
            for (place, outcome) in zip(others, answers) { outcomes[place] = outcome }
            return outcomes
        } catch {
            return outcomes(of: jobs.count, after: error)
        }
    }

    /// Those that need a closer look.
    private static func registerByTheRule(
        _ jobs: [ActivityTokenJob], _ pool: PostgresPool, _ dismissAfter: Int, _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        let batch = ActivityTokenBatch(jobs, dismissAfter: dismissAfter)
        do {
            let (written, plan) = try await pool.exchange(reading: batch.reading) { try batch.decide($0) }
            let states = await contentStates.decode(plan.matches.compactMapValues(\.contentState))
            return try batch.outcomes(plan, written: written, contentStates: states)
        } catch {
            return outcomes(of: jobs.count, after: error)
        }
    }

    private static func outcomes(of count: Int, after error: any Error) -> [Outcome] {
        [Outcome](repeating: isOfOne(error) ? .alone : .failed(error), count: count)
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
