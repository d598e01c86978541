import Cricket
import FoundationEssentials
import HTTPClient
import Logging
import Postgres
import ServiceKit
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing
import Tokens

@testable import APIGateway

/// A gateway on a port of its own with a database of its own, and clients that talk HTTP to it.
struct GatewayHarness: Sendable {
    static let issuer = "https://issuer.example/pool"
    static let client = "ios-app"
    static let signer: RS256Signer = {
        do { return try RS256Signer.generate() } catch { fatalError("no test key: \(error)") }
    }()

    /// The time by which tokens are made.
    static let now: @Sendable () -> Int = { Int(Date.now.timeIntervalSince1970) }

    let pool: PostgresPool
    let notifier: RecordingNotifier
    let port: Int
    let http: HTTPClient
    let routes: [Route]
    /// Reads and finds the tokens that the gateway stores.
    let vault: TokenVault

    static let match = MatchID(1_304_076)
    static let laterMatch = MatchID(1_304_077)
    static let finishedMatch = MatchID(1_304_078)

    /// Runs `body` against a gateway whose database has one match in play, one to come and one that is over.
    /// - Parameter rows: a statement for further rows, which the gateway finds when it begins.
    static func run(
        now: @escaping @Sendable () -> Int = now, keys: KeySource? = nil, url: String? = nil,
        environment: [String: String] = [:], cacheAge: Duration = .zero,
        knowsDeletions: Bool = true,
        times: GatewayTimes = GatewayTimes(), connectionsMax: Int = GatewayLimits.connectionsMax,
        logger: Logger = Logger(label: "gateway-tests") { _ in SwiftLogNoOpLogHandler() },
        tracer: Tracer = .off, rows: String? = nil, _ body: (GatewayHarness) async throws -> Void
    ) async throws {
        let url = try await { () async throws -> String in
            if let url { return url }
            return try await PrivatePostgres.shared.makeDatabase()
        }()
        let pool = try PostgresPool(url: url, size: 4, applicationName: "gateway-tests")
        try await seed(pool)
        let notifier = RecordingNotifier()
        let keys = keys ?? KeySource(logger: logger) { Array(signer.jwks.utf8) }
        var variables = [
            "INSTANCE": "test", "DATABASE_URL": url, "COGNITO_ISSUER": issuer, "COGNITO_CLIENT_ID": client,
            "TOKEN_KEY_FILE": TestTokenKeys.path,
        ]
        variables.merge(environment) { $1 }
        let configuration = try APIGatewayConfiguration(
            Settings(environment: variables, arguments: [], service: APIGatewayConfiguration.service))
        try await configuration.vault.check(pool)
        if let rows { try await pool.execute(rows) }
        let accounts = AccountStore(pool: pool)
        let deleted = DeletedAccounts(logger: logger) { try await accounts.deletions(since: $0) }
        if knowsDeletions { await deleted.readOnce() }
        let security = SecurityLog(vault: configuration.vault, logger: logger)
        let blocked = BlockedAccounts(security: security) { try await accounts.blockedForBadTokens() }
        await blocked.readOnce()
        let cache = ReplyCache(ageMax: cacheAge)
        let responder = APIGatewayService.responder(
            configuration, pool: pool, keys: keys, notifier: notifier,
            deleted: deleted, blocked: blocked, control: ControlSource(settings: configuration.appConfig, cache: cache),
            cache: cache, now: now, missing: { [] }, logger: logger, tracer: tracer)
        let (ports, port) = AsyncStream<Int>.makeStream()
        let server = GatewayServer(
            host: "127.0.0.1", port: 0, responder: responder, addressFile: nil, logger: logger,
            proxies: configuration.trustedProxies, times: times, connectionsMax: connectionsMax,
            onRunning: { port.yield($0) })
        let running = Task { try await server.run() }
        defer { running.cancel() }
        guard let actual = await ports.first(where: { _ in true }) else { return }
        let harness = GatewayHarness(
            pool: pool, notifier: notifier, port: actual, http: HTTPClient(configuration: .init(allowHTTP: true)),
            routes: responder.table.routes, vault: configuration.vault)
        do { try await body(harness) } catch {
            await pool.close()
            throw error
        }
        await pool.close()
    }

    private static func seed(_ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, round, format, status, starts_at, home_id, home_name,
                home_code, away_id, away_name, away_code, venue)
            SELECT id, 10, 'Test League', 'Final', 'twenty20', status, starts, 1, 'Mumbai', 'MI', 2, 'Chennai', 'CSK', 'X'
            FROM (VALUES ($1::bigint, '1st Innings', timestamptz '2026-03-01 10:00Z'),
                ($2, 'NS', '2026-03-02 10:00Z'), ($3, 'Finished', '2026-02-01 10:00Z')) v (id, status, starts)
            ON CONFLICT DO NOTHING
            """, [.int(match.rawValue), .int(laterMatch.rawValue), .int(finishedMatch.rawValue)])
        try await pool.execute(
            """
            INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, relevance, went_live_at)
            VALUES ($1, 'live', 7, 1000, $2, 62.5, now()) ON CONFLICT DO NOTHING
            """, [.int(match.rawValue), .text(contentState)])
    }

    static let contentState = """
        {"schema":1,"version":7,"matchDisplayState":"live","matchSentiment":"neutral",\
        "compactLeading":{"teamAbbr":"MI","score":"87/6"},"compactTrailing":{"overs":"12.3","runRate":"6.96"},\
        "expanded":{"title":"MI v CSK","subtitle":"Final","innings":[],"batters":[],"recentBalls":[]}}
        """

    // MARK: - Users

    /// A bearer token; the same name is the same user.
    static func bearer(
        _ name: String, expiresIn: Int = 600, client: String = client, isAdmin: Bool = false
    ) throws -> String {
        let now = now()
        let groups = isAdmin ? #","cognito:groups":["admin"]"# : ""
        let claims = """
            {"iss":"\(issuer)","sub":"\(sub(name))","token_use":"access","client_id":"\(client)","iat":\(now - 1000),\
            "exp":\(now + expiresIn)\(groups)}
            """
        return try signer.token(claims: Array(claims.utf8))
    }

    static func sub(_ name: String) -> String {
        let digits = name.utf8.reduce(into: "") { $0 += String($1, radix: 16) } + String(repeating: "0", count: 32)
        let hex = Array(digits.prefix(32))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }

    // MARK: - Requests

    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]
        var headers: [(String, String)]
        var text: String { String(decoding: body, as: UTF8.self) }

        func header(_ name: String) -> String? { headers.first { $0.0 == name }?.1 }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try JSONDecoder().decode(type, from: Data(body)) }
        /// The last part of the problem's type.
        var problem: String? {
            (try? decode(ProblemDocument.self))?.type.split(separator: "/").last.map(String.init)
        }
    }

    func send(
        _ method: String, _ path: String, _ body: String? = nil, as user: String? = "alice",
        isAdmin: Bool = false, headers: [(String, String)] = []
    ) async throws -> Answer {
        var headers = headers
        if let user {
            headers.append(("authorization", "Bearer \(try Self.bearer(user, isAdmin: isAdmin))"))
        }
        if body != nil, !headers.contains(where: { $0.0 == "content-type" }) {
            headers.append(("content-type", "application/json"))
        }
        let answer = try await http.send(
            HTTPClientRequest(
                method: method, url: "http://127.0.0.1:\(port)\(path)", headers: headers,
                body: body.map { Array($0.utf8) },
                timeout: .seconds(20)))
        return Answer(status: answer.status, body: answer.body, headers: answer.headers)
    }

    /// Registers a phone that can be started by push.
    func register(_ device: String, as user: String = "alice", start: String? = nil) async throws {
        let answer = try await send("POST", "/devices", #"{"deviceId":"\#(device)","platform":"ios"}"#, as: user)
        #expect(answer.status == 200, "\(answer.text)")
        let token = try start ?? Self.token("start-\(user)-\(device)")
        let second = try await send(
            "POST", "/devices/push-to-start-token", #"{"pushToStartToken":"\#(token)","deviceId":"\#(device)"}"#,
            as: user)
        #expect(second.status == 200, "\(second.text)")
    }

    @discardableResult
    func follow(_ match: MatchID = match, as user: String = "alice", _ more: String = "") async throws -> FollowResponse
    {
        let answer = try await send("POST", "/user/follow/match", #"{"matchId":"\#(match)"\#(more)}"#, as: user)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(FollowResponse.self)
    }

    /// A push token made of a name.
    static func token(_ name: String) throws -> String {
        try SHA256Digest.of(Array(name.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func postToken(
        _ token: String, device: String, as user: String = "alice", match: MatchID = match, _ more: String = ""
    ) async throws -> Answer {
        try await send(
            "POST", "/matches/\(match)/activity-token",
            #"{"activityToken":"\#(try Self.token(token))","deviceId":"\#(device)"\#(more)}"#, as: user)
    }

    /// One line per record: "device generation status reason end-push".
    func activities(_ match: MatchID = match, of user: String = "alice") async throws -> [String] {
        try await pool.query(
            """
            SELECT device_id || ' ' || generation || ' ' || status || coalesce(' ' || end_reason, '')
                || CASE WHEN end_push <> 'none' THEN ' ' || end_push ELSE '' END AS line
            FROM live_activities WHERE match_id = $1 AND user_id = $2 ORDER BY device_id, generation
            """, [.int(match.rawValue), .text(Self.sub(user))]
        ).map { try $0.string("line") }
    }

    func tokenOfRecord(_ device: String, _ generation: Int, of user: String = "alice") async throws -> String? {
        try await pool.query(
            "SELECT update_token FROM live_activities WHERE user_id = $1 AND device_id = $2 AND generation = $3",
            [.text(Self.sub(user)), .text(device), .int(generation)]
        ).first?.optionalString("update_token").flatMap { try vault.decrypt($0, as: .update) }
    }

    /// What a coordinator does before it sends a start.
    func sendStarts(_ startID: String) async throws {
        try await pool.execute(
            """
            UPDATE live_activities SET start_id = $1, start_sent_at = now(), start_attempts = start_attempts + 1,
                start_lease_until = now() + interval '2 minutes'
            WHERE status = 'pending' AND (start_lease_until IS NULL OR start_lease_until < now())
            """, [.text(startID)])
    }
}

/// Records what it was notified of.
final class RecordingNotifier: CoordinatorNotifier {
    private let notified = Mutex<[MatchID]>([])
    private let notifiedOfHolds = Mutex(0)

    var matches: [MatchID] { notified.withLock { $0 } }
    /// How often it was notified of holds.
    var holdNotifications: Int { notifiedOfHolds.withLock { $0 } }

    func notify(of matches: Set<MatchID>) async { notified.withLock { $0 += matches.sorted() } }

    func notifyOfHolds() async { notifiedOfHolds.withLock { $0 += 1 } }
}
