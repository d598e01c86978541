import ArgumentParser
import Postgres
import Store

/// An empty database becomes one with a match in play whose phones all show its newest state.
struct RosterSeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster-seed", abstract: "Fills a database with active activities of one match.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "Phones.") var phones = 1_000_000

    func validate() throws { guard phones > 0 else { throw ValidationError("--phones is a number from 1") } }

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "fanout-lab")
        _ = try await Migrator(pool: pool).migrate()
        let phones = phones
        try await pool.withConnection { connection in
            try await connection.script(Self.script(phones), deadline: .seconds(3_600))
        }
        await pool.close()
    }

    /// Who follows, who has a phone and whose token came when: each in an order of its own. Tokens are as long as those
    /// of ActivityKit today.
    private static func script(_ phones: Int) -> String {
        """
        SET statement_timeout = 0;
        INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
        VALUES (\(WicketCommand.match), 'live', 7, floor(extract(epoch FROM clock_timestamp())), '{}', clock_timestamp());
        CREATE TEMPORARY TABLE phones AS
        SELECT md5('user' || n)::uuid::text AS user_id, md5('phone' || n)::uuid::text AS device_id,
            hashtextextended('phone' || n, 0) & 9223372036854775807 AS route, repeat(md5('token' || n), 5) AS token
        FROM generate_series(1, \(phones)) AS n;
        INSERT INTO devices (user_id, device_id, route, shard)
        SELECT user_id, device_id, route, route >> 57 FROM phones ORDER BY md5('device' || user_id);
        INSERT INTO match_follows (user_id, match_id, alerts)
        SELECT user_id, \(WicketCommand.match), (ARRAY['all', 'key', 'none'])[1 + route % 3]
        FROM phones ORDER BY md5('follow' || user_id);
        INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status, update_token,
            token_at, activated_at)
        SELECT \(WicketCommand.match), user_id, device_id, 1, route, route >> 57, 'active', token,
            clock_timestamp() - interval '1 hour', clock_timestamp() - interval '1 hour'
        FROM phones ORDER BY token;
        INSERT INTO bucket_progress (match_id, bucket, bucket_count, settled_stamp, bundle)
        SELECT \(WicketCommand.match), bucket, 64, floor(extract(epoch FROM clock_timestamp())), 'dev.sightscreen.app'
        FROM generate_series(0, 63) AS bucket;
        """
    }
}
