public import Activities
package import Postgres
public import SightscreenModels

/// The operator's holds (`holds`) on alerts or pushes, of one match or everywhere. Coordinators read them twice a
/// second, so a hold is obeyed within a second after it is committed.
public struct HoldStore: Sendable {
    private static let everywhere = "everywhere"
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Sets or lifts a hold and records the administrator in the audit, in one transaction. Setting the present level
    /// again changes nothing, but is recorded.
    ///
    /// - Parameters:
    ///   - match: the match; nil for everywhere. The caller checks that the match exists.
    ///   - actor: the administrator, as in `admin_audit`.
    @discardableResult
    public func set(
        _ level: HoldLevel, match: MatchID?, actor: String, requestID: String
    ) async throws -> HoldState {
        let scope = Self.scope(match)
        return try await pool.transaction { transaction in
            // The lock makes changes of one scope run one after the other, even without a row, so that the audit knows
            // the level before.
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 9))", [.text(scope)])
            let before = try Self.state(try await transaction.query(Self.stateQuery, [.text(scope)]))
            try await transaction.execute(
                """
                INSERT INTO holds (scope, level, set_by) VALUES ($1, $2, $3)
                ON CONFLICT (scope) DO UPDATE SET
                    level = excluded.level, set_by = excluded.set_by, set_at = clock_timestamp()
                WHERE holds.level <> excluded.level
                """, [.text(scope), .text(level.rawValue), .text(actor)])
            try await transaction.execute(
                """
                INSERT INTO admin_audit (actor, action, detail)
                VALUES ($1, 'hold', jsonb_build_object(
                    'match', $2::text, 'level', $3::text, 'before', $4::text, 'requestId', $5::text))
                """,
                [
                    .text(actor), PostgresValue(match?.description), .text(level.rawValue),
                    .text(before.level.rawValue), .text(requestID),
                ])
            return try Self.state(try await transaction.query(Self.stateQuery, [.text(scope)]))
        }
    }

    /// Returns the hold of a match; with nil the one for everywhere.
    public func hold(of match: MatchID?) async throws -> HoldState {
        try Self.state(try await pool.query(Self.stateQuery, [.text(Self.scope(match))]))
    }

    /// Returns all holds that are in force.
    public func all(deadline: Duration = .seconds(5)) async throws -> Holds {
        let rows = try await pool.query("SELECT match_id, level FROM holds WHERE level <> 'none'", deadline: deadline)
        var holds = Holds()
        for row in rows {
            let level = Self.level(try row.string("level"))
            if let match = try row.optionalInt64("match_id") {
                holds.matches[MatchID(match)] = level
            } else {
                holds.everywhere = level
            }
        }
        return holds
    }

    private static func scope(_ match: MatchID?) -> String { match?.description ?? everywhere }

    private static let stateQuery = """
        SELECT own.level, coalesce(everywhere.level, 'none') AS everywhere, own.set_by,
            floor(extract(epoch FROM own.set_at))::bigint AS set_at
        FROM (SELECT 1) AS one
        LEFT JOIN holds own ON own.scope = $1
        LEFT JOIN holds everywhere ON everywhere.scope = '\(everywhere)'
        """

    private static func state(_ rows: [PostgresRow]) throws -> HoldState {
        guard let row = rows.first else { throw PostgresError(.decoding, "no row") }
        let own = try row.optionalString("level").map(level) ?? .none
        return HoldState(
            level: own, effective: max(own, level(try row.string("everywhere"))), setAt: try row.optionalInt("set_at"),
            setBy: try row.optionalString("set_by"))
    }

    /// Reads a level. One that only a newer version knows counts as the strongest: a hold that is not understood stops
    /// pushes.
    private static func level(_ text: String) -> HoldLevel { HoldLevel(rawValue: text) ?? .pushes }
}
