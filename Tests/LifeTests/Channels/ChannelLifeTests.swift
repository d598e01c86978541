import Activities
import FoundationEssentials
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

    @Test func nobodyIsToldTwiceAndEveryCardAndChannelEnds() async throws {
        let least = ProcessInfo.processInfo.environment["LIFE_CHANNEL_LIVES"].flatMap { Int($0) } ?? 1_024
        var (lives, problems, seed): (Int, Int, UInt64) = (0, 0, 0)
        var met: [String: Int] = [:]
        while lives < least {
            seed += 1
            try await LifeClock.withDatabase(at: Self.begin) { pool, clock in
                var run = try await ChannelLives(
                    seed: seed, begin: Self.begin, matches: Self.matches, perMatch: Self.perMatch, pool, clock)
                try await run.play(steps: 60)
                for problem in run.problems.prefix(5) { Issue.record("seed \(seed)\n\(problem)") }
                problems += run.problems.count
                met.merge(run.counts, uniquingKeysWith: +)
                lives += Self.matches * Self.perMatch
            }
        }
        for what in Self.met { #expect(met[what, default: 0] >= 5, "\(what)") }
        #expect(met["switched off", default: 0] > 0)
        print(
            """
            {"soak":"life","lives":\(lives),"onChannels":true,"starts":\(met["start on a channel", default: 0]),\
            "alerts":\(met["alert", default: 0]),"problems":\(problems),"met":\(problems == 0)}
            """)
    }
}
