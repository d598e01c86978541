import Activities
import OperatorTool
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct HoldOrderTests {
    private static let match = MatchID(1_304_076)

    @Test func anOrderHoldsAKnownMatchOrEverythingAndIsOnRecord() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let order = HoldOrder(pool: pool)
            func give(_ level: HoldLevel, _ match: MatchID?) async throws -> HoldLevel? {
                try await order.give(level, match: match, actor: "shell:asha@host")?.effective
            }
            #expect(try await give(.pushes, Self.match) == nil, "nothing is known of it")
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state)
                VALUES ($1, 'live', 1, 1, '{}')
                """, [.int(Self.match.rawValue)])
            #expect(try await give(.alerts, Self.match) == .alerts)
            #expect(try await give(.pushes, nil) == .pushes)
            #expect(try await HoldStore(pool: pool).all().level(for: Self.match) == .pushes)
            // What is held of a match can be released though it is known no more.
            try await pool.execute("DELETE FROM active_matches")
            #expect(try await give(.none, Self.match) == .pushes)
            #expect(try await give(.none, nil) == HoldLevel.none)
            let audit = try await pool.query(
                """
                SELECT concat_ws(' ', actor, action, detail->>'match', detail->>'before', detail->>'level') AS line
                FROM admin_audit ORDER BY id
                """)
            #expect(
                try audit.map { try $0.string("line") } == [
                    "shell:asha@host hold 1304076 none alerts", "shell:asha@host hold none pushes",
                    "shell:asha@host hold 1304076 alerts none", "shell:asha@host hold pushes none",
                ])
        }
    }
}
