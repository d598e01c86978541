import Cricket
import Postgres
import TestKit
import Testing

@testable import Store

/// What the provider's status says, asked of Swift and of PostgreSQL.
@Suite struct FixtureSQLTests {
    private static let statuses =
        MatchPhase.words.keys.sorted() + [
            "NS", "Postp.", "Cancl.", "Cancl", "Aban.", "Int.", "Innings Break", "Tea Break", "Finished", "1st Innings",
            "2nd Innings", "5th Innings", "12th Innings", "0th Innings", "01st Innings", "1innings", "100th Innings",
            "Innings", "Stump Day 3",
            "Stumps",
            "Bad light", "O'Neill", "",
        ]

    @Test func theyAgreeOnEveryWord() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let rows = try await pool.query(
                """
                SELECT s.status, \(FixtureSQL.isInPlay("s.status")) AS in_play, \(FixtureSQL.isAtStumps("s.status")) AS stumps,
                    \(FixtureSQL.hasNotStarted("s.status")) AS not_started, \(FixtureSQL.isOver("s.status")) AS is_over,
                    \(FixtureSQL.isCalledOff("s.status")) AS called_off
                FROM unnest($1::text[]) AS s (status)
                """, [.textArray(Self.statuses)])
            #expect(rows.count == Self.statuses.count)
            for row in rows {
                let status = try row.string("status")
                let phase = MatchPhase(status: status)
                let isAtStumps = if case .stumps = phase { true } else { false }
                #expect(try row.bool("in_play") == phase.isInPlay, "\(status)")
                #expect(try row.bool("stumps") == isAtStumps, "\(status)")
                #expect(try row.bool("not_started") == (phase == .notStarted), "\(status)")
                #expect(try row.bool("is_over") == phase.isOver, "\(status)")
                #expect(try row.bool("called_off") == phase.isCalledOff, "\(status)")
            }
        }
    }
}
