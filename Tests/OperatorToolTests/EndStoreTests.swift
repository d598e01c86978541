import OperatorTool
import Postgres
import SightscreenModels
import TestKit
import Testing

@Suite struct EndStoreTests {
    private static let match = MatchID(1_304_076)

    @Test func asksForTheEndOfAMatchThatIsNotOver() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = EndStore(pool: pool)
            #expect(try await store.ask(Self.match, actor: "shell:asha@host") == .unknown)
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state)
                VALUES ($1, 'live', 1, 1, '{}')
                """, [.int(Self.match.rawValue)])
            #expect(try await store.ask(Self.match, actor: "shell:asha@host") == .asked)
            #expect(try await pool.query("SELECT FROM active_matches WHERE end_asked_at IS NOT NULL").count == 1)
            #expect(try await store.state(of: Self.match) == .asked)
            try await pool.execute("UPDATE active_matches SET ended_at = now()")
            #expect(try await store.state(of: Self.match) == .over)
            #expect(try await store.ask(Self.match, actor: "shell:asha@host") == .over)
            // What was not asked for is not on record.
            let audit = try await pool.query("SELECT actor, action, detail->>'match' AS match FROM admin_audit")
            #expect(
                try audit.map { [try $0.string("actor"), try $0.string("action"), try $0.string("match")] }
                    == [["shell:asha@host", "end", "1304076"]])
        }
    }
}
