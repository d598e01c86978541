package import Postgres
package import SightscreenModels
package import Store

/// An operator's order to hold or release pushes, given without the API.
package struct HoldOrder: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Sets or lifts a hold, with its entry in the audit. As for the API, a match that is unknown cannot be held, but what is
    /// held of one can be released.
    ///
    /// - Parameters:
    ///   - match: the match; nil for everywhere.
    ///   - actor: who gives the order, as in `admin_audit`.
    /// - Returns: nil when nothing is known of the match; that is no entry of the audit.
    package func give(_ level: HoldLevel, match: MatchID?, actor: String) async throws -> HoldState? {
        let holds = HoldStore(pool: pool)
        if let match, try await holds.hold(of: match).level == .none {
            let known = try await pool.query(
                """
                SELECT FROM fixtures WHERE match_id = $1
                UNION ALL SELECT FROM active_matches WHERE match_id = $1 LIMIT 1
                """, [.int(match.rawValue)])
            guard !known.isEmpty else { return nil }
        }
        return try await holds.set(
            level, match: match, actor: actor, requestID: String(UInt64.random(in: 0...UInt64.max), radix: 16))
    }
}
