import Activities
import FoundationEssentials
import NIOConcurrencyHelpers
import SightscreenModels
import TestKit
import Testing

/// Random lives with broadcast channels: `LIFE_CHANNEL_LIVES` says how many there are at least, which `deploy/soak life`
/// sets.
@Suite(.serialized) struct ChannelLifeTests {
    private static let begin = Moment(seconds: 1_800_000_000)
    /// Lives in one database.
    private static let matches = 16, perMatch = 32

    /// What a run has to meet to say anything.
    private static let met = [
        "start on a channel", "start on a token", "card by the app", "level in the app", "level elsewhere", "dismissed",
        "asked to end", "reported", "second card", "state", "alert", "rest", "end", "created", "died before the call",
        "died before the answer", "takeover", "reopened", "orphan",
    ]

    @Test func noAlertComesTwiceAndEveryCardAndChannelEnds() async throws {
        let least = ProcessInfo.processInfo.environment["LIFE_CHANNEL_LIVES"].flatMap { Int($0) } ?? 1_024
        var (lives, problems, seed): (Int, Int, UInt64) = (0, 0, 0)
        var met: [String: Int] = [:]
        while lives < least {
            seed += 1
            // The first run also says whether the mistakes still are mistakes in the statements.
            var proxy: StatementProxy?
            defer { proxy?.close() }
            let texts = NIOLockedValueBox<Set<String>>([])
            let run = try await Self.play(seed: seed) { url in
                guard seed == 1 else { return url }
                return try LifeTests.through(&proxy, url) { text in
                    texts.withLockedValue { _ = $0.insert(text) }
                    return text
                }
            }
            for mistake in StatementMistake.onChannels where seed == 1 {
                let count = texts.withLockedValue { $0.count { $0.contains(mistake.old) } }
                #expect(count > 0 && count <= mistake.statements, "\(mistake.name): its text is in \(count) statements")
            }
            for problem in run.problems.prefix(5) { Issue.record("seed \(seed)\n\(problem)") }
            problems += run.problems.count
            met.merge(run.counts, uniquingKeysWith: +)
            lives += Self.matches * Self.perMatch
        }
        for what in Self.met { #expect(met[what, default: 0] >= 3, "\(what)") }
        #expect(met["switched off", default: 0] > 0)
        print(
            """
            {"soak":"life","lives":\(lives),"onChannels":true,"starts":\(met["start on a channel", default: 0]),\
            "alerts":\(met["alert", default: 0]),"problems":\(problems),"met":\(problems == 0)}
            """)
    }

    /// Each of these makes a difference that is seen, some only in the lives of another seed.
    @Test(.enabled(if: !planted.isEmpty), arguments: planted)
    func aMistakeInAStatementIsFound(_ mistake: StatementMistake) async throws {
        var found: String?
        for seed in 1...6 as ClosedRange<UInt64> where found == nil {
            var proxy: StatementProxy?
            defer { proxy?.close() }
            do {
                found = try await Self.play(seed: seed) { url in
                    try LifeTests.through(&proxy, url) { $0.replacing(mistake.old, with: mistake.new) }
                }.problems.first
            } catch { found = "\(error)" }
            let changed = proxy?.changed.count ?? 0
            #expect(changed > 0 && changed <= mistake.statements, "\(mistake.name): in \(changed) statements")
        }
        #expect(found != nil, "\(mistake.name): not found")
        print("mistake: \(mistake.name): \(found?.split(separator: "\n").last ?? "-")")
    }

    private static let planted = LifeTests.planted(of: StatementMistake.onChannels)

    private static func play(
        seed: UInt64, through: (String) throws -> String = { $0 }
    ) async throws -> ChannelLives {
        var played: ChannelLives?
        try await LifeClock.withDatabase(at: begin, through: through) { pool, clock in
            var lives = try await ChannelLives(
                seed: seed, begin: begin, matches: matches, perMatch: perMatch, pool, clock)
            try await lives.play(steps: 60)
            played = lives
        }
        return try #require(played)
    }
}
