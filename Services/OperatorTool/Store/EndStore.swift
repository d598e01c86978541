package import Postgres
package import SightscreenModels

/// Asks event-bus to end a match by hand.
package struct EndStore: Sendable {
    package enum State: Equatable {
        case unknown
        /// The match has ended, or its result is announced.
        case over
        /// Event-bus has not done it yet.
        case asked
    }

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Asks for the end of a match that is not over, and records who asked. Event-bus looks every few seconds.
    /// - Parameter actor: who asks, as in `admin_audit`.
    package func ask(_ match: MatchID, actor: String) async throws -> State {
        let asked = try await pool.query(
            """
            WITH asked AS (
                UPDATE active_matches SET end_asked_at = clock_timestamp()
                WHERE match_id = $1 AND ended_at IS NULL AND settled_at IS NULL RETURNING match_id
            )
            INSERT INTO admin_audit (actor, action, detail)
            SELECT $2, 'end', jsonb_build_object('match', match_id::text) FROM asked RETURNING id
            """, [.int(match.rawValue), .text(actor)])
        return asked.isEmpty ? try await state(of: match) : .asked
    }

    package func state(of match: MatchID) async throws -> State {
        let rows = try await pool.query(
            "SELECT ended_at IS NOT NULL OR settled_at IS NOT NULL AS over FROM active_matches WHERE match_id = $1",
            [.int(match.rawValue)])
        guard let row = rows.first else { return .unknown }
        return try row.bool("over") ? .over : .asked
    }
}
