import Cricket
import FoundationEssentials
import Postgres
import SightscreenModels
import Store
import Tokens

/// The phones of the benchmark: one for each user, all of them in one match.
struct LabPhones: Sendable {
    static let match = MatchID(1_304_076)

    struct Phone: Sendable {
        var user: UserID
        var device: DeviceID
        /// Which user it is, from 1; `LabPhones.seed` has made this one's ids of it.
        var number: Int
    }

    let phones: [Phone]

    init(_ pool: PostgresPool) async throws {
        phones = try await pool.query(
            """
            SELECT user_id, device_id, route FROM devices
            WHERE user_id IN (SELECT user_id FROM match_follows WHERE match_id = $1) ORDER BY route
            """, [.int(Self.match.rawValue)], deadline: .seconds(60)
        ).map { row in
            Phone(
                user: UserID(try row.string("user_id")), device: DeviceID(try row.string("device_id")),
                number: try row.int("route"))
        }
    }

    /// - Parameter keyFile: `TOKEN_KEY_FILE`; nil: tokens are in clear.
    static func vault(_ keyFile: String?) throws -> TokenVault {
        TokenVault(
            try keyFile.map { path in
                try TokenKeyFile { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }
            })
    }

    /// The token that a phone has in a round: 160 digits, as those of APNs, and like them in no order.
    static func token(_ phone: Int, round: Int) -> UpdateToken {
        let mixed = (phone * 2_654_435_761 + round % (1 << 32) * 40_503) % (1 << 32)
        return UpdateToken(hex(mixed, 8) + hex(phone, 8) + hex(round, 16) + filling)
    }

    /// The round of a token, 0 for none.
    static func round(of token: String?) -> Int { token.flatMap { Int($0.dropFirst(16).prefix(16), radix: 16) } ?? 0 }

    private static let filling = String(repeating: "5a", count: 64)

    private static func hex(_ number: Int, _ width: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Makes them: phones with push-to-start tokens, follows, and a start that is out for each, of a match in play.
    static func seed(_ count: Int, _ pool: PostgresPool) async throws {
        let statements: [(String, [PostgresValue])] = [
            (
                """
                INSERT INTO fixtures (match_id, league_id, competition, format, status, starts_at, home_id, home_name,
                    home_code, away_id, away_name, away_code)
                VALUES ($1, 10, 'Indian Premier League', 'twenty20', '1st Innings', clock_timestamp(), 1,
                    'Rajasthan Royals', 'RR', 2, 'Kolkata Knight Riders', 'KKR')
                """, [.int(match.rawValue)]
            ),
            (
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES ($1, 'live', 7, 1000, $2, clock_timestamp())
                """, [.int(match.rawValue), .text(contentState)]
            ),
            (
                """
                INSERT INTO devices (user_id, device_id, route, shard, push_to_start_token, push_to_start_token_at)
                SELECT md5('user' || n)::uuid::text, md5('phone' || n)::uuid::text, n, n % 64,
                    repeat(md5('start' || n), 5), clock_timestamp()
                FROM generate_series(1, $1::int) n
                """, [.int(count)]
            ),
            (
                "INSERT INTO match_follows (user_id, match_id) SELECT user_id, $1 FROM devices",
                [.int(match.rawValue)]
            ),
            (
                """
                INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, start_id,
                    start_attempts, start_sent_at, start_lease_until)
                SELECT $1, user_id, device_id, 1, route, shard, md5('id' || route)::uuid::text, 1, clock_timestamp(),
                    clock_timestamp() + interval '2 minutes'
                FROM devices
                """, [.int(match.rawValue)]
            ),
        ]
        for (sql, parameters) in statements { try await pool.execute(sql, parameters, deadline: .seconds(5)) }
    }

    /// As the bus writes it in play.
    static let contentState = """
        {"schema":1,"version":7,"matchDisplayState":"live","matchSentiment":"tense","compactLeading":{"teamAbbr":"RR",\
        "score":"87/6"},"compactTrailing":{"overs":"12.3","runRate":"6.96"},"minimal":{"teamAbbr":"RR","score":"87/6"},\
        "expanded":{"title":"RR v KKR","subtitle":"IPL · Match 30","innings":[{"teamAbbr":"KKR","score":"171/10",\
        "overs":"19.4"},{"teamAbbr":"RR","score":"87/6","overs":"12.3"}],"batters":[{"name":"Jos Buttler",\
        "score":"45 (32)","strikeRate":"140.6","onStrike":true},{"name":"Sanju Samson","score":"12 (9)",\
        "strikeRate":"133.3","onStrike":false}],"bowler":{"name":"Sunil Narine","figures":"3.3-0-27-2","economy":"7.71"},\
        "recentBalls":["1","W","4","•","wd","6"],"target":"172","requiredRunRate":"11.33","equation":"RR need 85 off 45",\
        "lastEvent":{"kind":"wicket","text":"Hetmyer c Russell b Narine 12 (9)"}}}
        """
}
