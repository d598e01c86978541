import Activities
import FoundationEssentials
import NIOConcurrencyHelpers
import Postgres
import TestKit
import Testing

@testable import Store

/// Lives of activities on a virtual clock, many in one database: what the product's statements make of rows, against
/// what the model makes of values, step by step.
///
/// `LIFE_LIVES` is how many there are at least, `LIFE_SECONDS` for how long there are more, and `LIFE_MISTAKES` (all,
/// or the name of one) says which mistakes are planted: `deploy/test` and `deploy/soak life` set them.
@Suite(.serialized) struct LifeTests {
    private static let begin = Moment(seconds: 1_800_000_000)
    /// Lives in one database.
    private static let matches = 48, perMatch = 32

    /// What a run has to meet to say anything.
    private static let met = [
        "start", "renewal", "end", "lingering end", "budget used up", "fallback silent", "fallback visible",
        "match ended", "match settled", "match suspended", "match inBreak", "postponed", "tokenReported", "tokenTaken",
        "followed", "unfollowed", "dismissed", "appRegistered", "startTokenReported", "phoneLost", "startAnswered",
        "updateAnswered", "endAnswered", "card unknown", "card gone", "card lost", "card found",
    ]

    @Test func statementsDoWhatTheModelSays() async throws {
        let (least, seconds) = (Self.setting("LIFE_LIVES") ?? 1_500, Self.setting("LIFE_SECONDS") ?? 0)
        let begun = ContinuousClock.now
        var (lives, compared, differences) = (0, 0, 0)
        var met: [String: Int] = [:]
        var seed: UInt64 = 0
        while lives < least || ContinuousClock.now - begun < .seconds(seconds) {
            seed += 1
            // The first run also says whether the mistakes still are mistakes in the statements.
            var proxy: StatementProxy?
            let texts = NIOLockedValueBox<Set<String>>([])
            defer { proxy?.close() }
            func through(_ url: String) throws -> String {
                guard seed == 1 else { return url }
                return try Self.through(&proxy, url) { text in
                    texts.withLockedValue { _ = $0.insert(text) }
                    return text
                }
            }
            try await LifeClock.withDatabase(at: Self.begin, through: through) { pool, clock in
                var run = try await LifeRun(
                    seed: seed, begin: Self.begin, matches: Self.matches, perMatch: Self.perMatch, pool, clock)
                try await run.play(steps: 20)
                for report in run.reports { Issue.record("seed \(seed)\n\(report)") }
                met.merge(run.counts, uniquingKeysWith: +)
                lives += Self.matches * Self.perMatch
                compared += run.compared
                differences += run.reports.count
            }
            guard seed == 1 else { continue }
            let statements = texts.withLockedValue { $0 }
            for mistake in StatementMistake.all {
                let count = statements.count { $0.contains(mistake.old) }
                #expect(count > 0 && count <= mistake.statements, "\(mistake.name): its text is in \(count) statements")
            }
        }
        for what in Self.met { #expect(met[what, default: 0] >= 5, "\(what)") }
        print(
            """
            {"soak":"life","lives":\(lives),"comparisons":\(compared),"differences":\(differences),\
            "met":\(differences == 0 && lives >= max(least, 1_500))}
            """)
    }

    /// Each mistake that is planted in a statement is found, some only by the lives of another seed.
    @Test(.enabled(if: !planted.isEmpty), arguments: planted)
    func aMistakeInAStatementIsFound(_ mistake: StatementMistake) async throws {
        var found: String?
        for seed in 1...5 as ClosedRange<UInt64> where found == nil {
            found = try await Self.differenceMade(by: mistake, seed: seed)
        }
        #expect(found != nil, "\(mistake.name): not found")
        let how = found?.split(separator: "\n").first ?? "-"
        print("mistake: \(mistake.name): \(how)")
    }

    private static func differenceMade(by mistake: StatementMistake, seed: UInt64) async throws -> String? {
        var proxy: StatementProxy?
        defer { proxy?.close() }
        func through(_ url: String) throws -> String {
            try Self.through(&proxy, url) { $0.replacing(mistake.old, with: mistake.new) }
        }
        var found: String?
        try await LifeClock.withDatabase(at: begin, through: through) { pool, clock in
            var run = try await LifeRun(
                seed: seed, begin: begin, matches: matches, perMatch: perMatch, reportsMax: 1, pool, clock)
            defer {
                // It stops at the first difference: not all that share the text need have come by.
                let changed = proxy?.changed.count ?? 0
                #expect(changed > 0 && changed <= mistake.statements, "\(mistake.name): in \(changed) statements")
            }
            do {
                try await run.play(steps: 20)
                found = run.reports.first
            } catch let error as TestSupportError { found = error.description }
        }
        return found
    }

    /// - Returns: the database's URL by way of a proxy.
    static func through(
        _ proxy: inout StatementProxy?, _ url: String, _ change: @escaping @Sendable (String) -> String
    ) throws -> String {
        let parts = url.split(separator: "host=", maxSplits: 1)
        let new = try StatementProxy(server: String(parts[1]), change: change)
        proxy = new
        return "\(parts[0])host=\(new.host)"
    }

    private static let planted = planted(of: StatementMistake.all)

    /// Those that `LIFE_MISTAKES` asks for.
    static func planted(of mistakes: [StatementMistake]) -> [StatementMistake] {
        let wanted = ProcessInfo.processInfo.environment["LIFE_MISTAKES"]
        return mistakes.filter { wanted == "all" || $0.name == wanted }
    }

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
