import FoundationEssentials
package import Postgres
package import SightscreenModels

/// Changes and reads what administrators use (`app_config`, `admin_audit`, `fixtures` as last synced). A change and its
/// audit entry are one transaction.
package struct AdminStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// The administrator and the request behind a call.
    package struct Call: Hashable, Sendable {
        /// The administrator: `user:<sub>` or `api-key:<name>`.
        package var actor: String
        package var requestID: String

        package init(actor: String, requestID: String) {
            self.actor = actor
            self.requestID = requestID
        }
    }

    // MARK: - The app's config

    /// The state that every gateway reads once a second. Times are seconds since 1970.
    package struct Control: Hashable, Sendable {
        package var overrides: AppConfigOverrides
        package var changedAt: Int?
        /// The last order to clear the caches of all gateways; in microseconds, so that two orders can be told apart.
        package var cachesClearedAt: Int?
    }

    package func control() async throws -> Control {
        let rows = try await pool.query(
            """
            SELECT name, value::text AS value, extract(epoch FROM updated_at)::bigint AS updated_at,
                (extract(epoch FROM updated_at) * 1000000)::bigint AS updated_at_us
            FROM app_config WHERE name IN ('app', 'caches')
            """, deadline: .seconds(2))
        var control = Control(overrides: AppConfigOverrides())
        for row in rows {
            if try row.string("name") == "app" {
                control.overrides = try Self.decode(try row.string("value"))
                control.changedAt = try row.int("updated_at")
            } else {
                control.cachesClearedAt = try row.int("updated_at_us")
            }
        }
        return control
    }

    /// Applies `change` to the stored overrides.
    package func changeConfig(
        _ call: Call, _ change: @Sendable (inout AppConfigOverrides) -> Void
    ) async throws -> Control {
        try await pool.transaction { transaction in
            // The lock makes two administrators change the config one after the other.
            try await transaction.execute("SELECT pg_advisory_xact_lock(9)")
            let before = try await transaction.query("SELECT value::text AS value FROM app_config WHERE name = 'app'")
                .first?.string("value")
            var overrides = try before.map(Self.decode) ?? AppConfigOverrides()
            change(&overrides)
            let after = try Self.encode(overrides)
            try await transaction.execute(
                """
                INSERT INTO app_config (name, value) VALUES ('app', $1::jsonb)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()
                """, [.text(after)])
            try await Self.audit(transaction, call, "config", ["before": before ?? "{}", "after": after])
        }
        return try await control()
    }

    /// Orders all gateways to clear their caches.
    package func clearCaches(_ call: Call) async throws {
        try await pool.transaction { transaction in
            try await transaction.execute(
                """
                INSERT INTO app_config (name, value) VALUES ('caches', '{}')
                ON CONFLICT (name) DO UPDATE SET updated_at = clock_timestamp()
                """)
            try await Self.audit(transaction, call, "cache-clear", [:])
        }
    }

    private static func decode(_ text: String) throws -> AppConfigOverrides {
        try JSONDecoder().decode(AppConfigOverrides.self, from: Data(text.utf8))
    }

    private static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    // MARK: - The audit

    /// Records a call that changes nothing here: reading something, or an order to mock-sportmonks.
    package func audit(_ call: Call, _ action: String, _ detail: [String: String] = [:]) async throws {
        try await pool.execute(Self.auditStatement, try Self.auditParameters(call, action, detail))
    }

    static func audit(
        _ transaction: PostgresTransaction, _ call: Call, _ action: String, _ detail: [String: String]
    ) async throws {
        try await transaction.execute(auditStatement, try auditParameters(call, action, detail))
    }

    private static let auditStatement = "INSERT INTO admin_audit (actor, action, detail) VALUES ($1, $2, $3::jsonb)"

    private static func auditParameters(
        _ call: Call, _ action: String, _ detail: [String: String]
    ) throws -> [PostgresValue] {
        let detail = detail.merging(["requestId": call.requestID]) { $1 }
        return [.text(call.actor), .text(action), .text(try encode(detail))]
    }

    /// Returns the audit entries, newest first.
    /// - Parameter before: the id before which the page begins; nil begins with the newest.
    /// - Returns: one entry more than `limit` if there is another page.
    package func auditEntries(before: Int64?, limit: Int) async throws -> [AuditEntry] {
        try await pool.query(
            """
            SELECT id, extract(epoch FROM at)::bigint AS at, actor, action,
                (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each_text(detail))::text AS detail
            FROM admin_audit WHERE $1::bigint IS NULL OR id < $1 ORDER BY id DESC LIMIT $2
            """, [PostgresValue(before), .int(limit + 1)]
        ).map { row in
            let detail = try row.string("detail")
            return AuditEntry(
                id: String(try row.int64("id")), at: try row.int("at"), actor: try row.string("actor"),
                action: try row.string("action"),
                // A null in a row that another version wrote must not hide the other entries.
                detail: (try? JSONDecoder().decode([String: String?].self, from: Data(detail.utf8)))?
                    .compactMapValues { $0 } ?? [:])
        }
    }

    // MARK: - The provider's fixtures

    /// Returns the fixtures by start, then by id.
    /// - Returns: one fixture more than `limit` if there is another page.
    package func fixtures(after: ScheduleStore.Position?, limit: Int) async throws -> [SyncedFixture] {
        try await pool.query(
            """
            SELECT f.*, extract(epoch FROM f.starts_at)::bigint AS starts_at_seconds,
                extract(epoch FROM f.synced_at)::bigint AS synced_at_seconds,
                extract(epoch FROM f.missing_since)::bigint AS missing_since_seconds, a.display_state, a.version
            FROM fixtures f LEFT JOIN active_matches a USING (match_id)
            WHERE $1::bigint IS NULL
                OR (coalesce(extract(epoch FROM f.starts_at)::bigint, \(ScheduleStore.Position.withoutStart)), match_id)
                    > ($1, $2::bigint)
            ORDER BY coalesce(extract(epoch FROM f.starts_at)::bigint, \(ScheduleStore.Position.withoutStart)), match_id
            LIMIT $3
            """, [PostgresValue(after?.startsAt), PostgresValue(after?.match.rawValue), .int(limit + 1)]
        ).map { row in
            SyncedFixture(
                matchId: MatchID(try row.int64("match_id")), leagueId: String(try row.int64("league_id")),
                competition: try row.string("competition"), round: try row.string("round"),
                format: try row.string("format"), status: try row.string("status"),
                startsAt: try row.optionalInt("starts_at_seconds"), home: try ScheduleStore.side(row, "home"),
                away: try ScheduleStore.side(row, "away"), venue: try row.string("venue"),
                note: try row.optionalString("note"),
                winnerId: try row.optionalInt64("winner_id").map { String($0) },
                syncedAt: try row.int("synced_at_seconds"), missingSince: try row.optionalInt("missing_since_seconds"),
                displayState: try row.optionalString("display_state"), version: try row.optionalInt("version"))
        }
    }
}
