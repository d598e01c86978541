import ArgumentParser
import Postgres
import Store

/// `recovery-lab seed`: an empty database becomes one with a match in play and its followers, who have no activity yet.
struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Makes tables, phones and follows of a match in play.")

    @Option(help: "The database's URL.") var database: String
    @Option(help: "How many followers, and as many phones that can be started on; a multiple of 20.")
    var users = 1_000_000

    func validate() throws {
        guard users > 0, users % 20 == 0 else { throw ValidationError("--users is a multiple of 20") }
    }

    func run() async throws {
        let pool = try PostgresPool(url: database, applicationName: "recovery-lab")
        _ = try await Migrator(pool: pool).migrate()
        let users = users
        try await pool.withConnection { connection in
            try await connection.script(Self.script(users), deadline: .seconds(3_600))
        }
        await pool.close()
    }

    /// One follower in twenty has two phones, another one only a phone that nothing can be started on. All can listen to
    /// channels. Who follows came in another order than who registered.
    private static func script(_ users: Int) -> String {
        """
        SET statement_timeout = 0;
        INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
            home_code, away_id, away_name, away_code)
        VALUES (\(RecoveryLab.match), 10, 'Indian Premier League', 'twenty20', '1st Innings', clock_timestamp(), 1,
            'Rajasthan Royals', 'RR', 2, 'Kolkata Knight Riders', 'KKR');
        INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
        VALUES (\(RecoveryLab.match), 'live', 7, 1000, '{}', clock_timestamp());
        INSERT INTO devices (user_id, device_id, route, shard, device_token, device_token_at, push_to_start_token,
            push_to_start_token_at, broadcast)
        SELECT p.user_id, p.device_id, p.route, p.route >> 57,
            CASE WHEN p.capable THEN repeat(md5('device' || p.device_id), 2) END, clock_timestamp(),
            CASE WHEN p.capable THEN repeat(md5('start' || p.device_id), 5) END, clock_timestamp(), true
        FROM (
            SELECT md5('user' || n)::uuid::text AS user_id, md5(kind || n)::uuid::text AS device_id,
                hashtextextended(kind || n, 0) & 9223372036854775807 AS route, n % 20 <> 0 AS capable
            FROM generate_series(1, \(users)) AS n, unnest(ARRAY['phone', 'pad']) AS kind
            WHERE kind = 'phone' OR n % 20 = 10
        ) AS p;
        INSERT INTO match_follows (user_id, match_id)
        SELECT md5('user' || n)::uuid::text, \(RecoveryLab.match) FROM generate_series(1, \(users)) AS n
        ORDER BY md5('follow' || n);
        """
    }
}
