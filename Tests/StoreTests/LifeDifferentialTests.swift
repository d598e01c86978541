import Activities
import Postgres
import Testing

@testable import Store

/// What the statements of `Store` make of rows, against what `ActivityLife` makes of values: random lives, many at a time
/// in one database, step by step.
@Suite struct LifeDifferentialTests {
    private static let met = [
        "start", "renewal", "end", "lingering end", "budget used up", "fallback silent", "fallback visible",
        "match ended",
        "match settled", "match suspended", "match inBreak", "postponed", "token alone", "token together", "tokenTaken",
        "followed", "unfollowed", "dismissed", "appRegistered", "startTokenReported", "phoneLost", "startAnswered",
        "updateAnswered", "endAnswered", "card unknown", "card gone", "card lost", "card found",
    ]

    @Test(arguments: [UInt64(1)])
    func statementsDoWhatTheRulesSay(_ seed: UInt64) async throws {
        let begin = Moment(seconds: 1_800_000_000)
        try await LifeClock.withDatabase(at: begin) { pool, clock in
            var run = try await LifeRun(seed: seed, begin: begin, matches: 48, perMatch: 32, pool, clock)
            try await run.play(steps: 20)
            for report in run.reports.prefix(12) { Issue.record("seed \(seed)\n\(report)") }
            // What a run has to meet to say anything.
            for what in Self.met { #expect(run.counts[what, default: 0] >= 5, "\(what)") }
            print("seed \(seed): \(run.compared) comparisons, \(run.counts.sorted { $0.key < $1.key })")
        }
    }
}
