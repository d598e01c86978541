import Activities
import Postgres
import SightscreenModels

extension ActivityTokenStore {
    typealias Outcome = Gatherer<ActivityTokenJob, Registered>.Outcome
    typealias IsAwaited = Gatherer<ActivityTokenJob, Registered>.IsAwaited

    /// Somebody who waited when the batch was put together has gone, and nothing was sent yet.
    private struct SomebodyLeft: Error {}

    /// Many requests in one transaction, or two; answered when it is committed.
    static func registerTogether(
        _ jobs: [ActivityTokenJob], isAwaited: @escaping IsAwaited, _ pool: PostgresPool, _ dismissAfter: Int,
        _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        let shortcut = ActivityTokenShortcut(jobs)
        do {
            let answer = try shortcut.answer(
                try await pool.exchange(shortcut.statements, check: { try stay(jobs.indices, isAwaited) }))
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
            let answers = await registerByTheRule(
                others.map { jobs[$0] }, isAwaited: { isAwaited(others[$0]) }, pool, dismissAfter, contentStates)
            for (place, outcome) in zip(others, answers) { outcomes[place] = outcome }
            return outcomes
        } catch is SomebodyLeft {
            return await withThose(of: jobs.indices, isAwaited) { staying, isAwaited in
                await registerTogether(
                    staying.map { jobs[$0] }, isAwaited: isAwaited, pool, dismissAfter, contentStates)
            }
        } catch {
            return outcomes(of: jobs.count, after: error)
        }
    }

    /// Those that need a closer look.
    private static func registerByTheRule(
        _ jobs: [ActivityTokenJob], isAwaited: @escaping IsAwaited, _ pool: PostgresPool, _ dismissAfter: Int,
        _ contentStates: ContentStateCache
    ) async -> [Outcome] {
        let batch = ActivityTokenBatch(jobs, dismissAfter: dismissAfter)
        do {
            let (written, plan) = try await pool.exchange(
                reading: batch.reading, check: { try stay(jobs.indices, isAwaited) }
            ) { answers in try batch.decide(answers) }
            let states = await contentStates.decode(plan.matches.compactMapValues(\.contentState))
            return try batch.outcomes(plan, written: written, contentStates: states)
        } catch is SomebodyLeft {
            return await withThose(of: jobs.indices, isAwaited) { staying, isAwaited in
                await registerByTheRule(
                    staying.map { jobs[$0] }, isAwaited: isAwaited, pool, dismissAfter, contentStates)
            }
        } catch {
            return outcomes(of: jobs.count, after: error)
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
        case .unavailable, .deadline, .outcomeUnknown, .notDurable, .configuration: return false
        }
    }
}
