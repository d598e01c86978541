import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import APIGateway

/// Each security event where it happens: its line, the account in it, and its counter.
@Suite struct SecurityLogTests {
    private static let device = try? GatewayHarness.token("a phone")

    private static func events(_ lines: LogLines) -> [String] { lines.all.filter { $0.contains("Security event") } }

    private static func pseudonym(of user: String) throws -> String {
        let settings = try Settings(
            environment: [
                "TOKEN_KEY_FILE": TestTokenKeys.path, "COGNITO_ISSUER": "https://x", "COGNITO_CLIENT_ID": "x",
            ],
            arguments: [], service: APIGatewayConfiguration.service)
        let vault = TokenVault(try settings.tokenKeys())
        return try #require(vault.pseudonym(of: UserID(GatewayHarness.sub(user))))
    }

    /// Runs `body`, and expects one event in the log and on its counter.
    private static func expect(
        _ event: SecurityLog.Event, account: String?, former: String? = nil, rows: String? = nil,
        environment: [String: String] = [:], _ body: (GatewayHarness) async throws -> Void
    ) async throws {
        let lines = LogLines()
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            SecurityLog.beginCounters()
            try await GatewayHarness.run(environment: environment, logger: lines.logger, rows: rows, body)
            for other in SecurityLog.Event.allCases {
                let line = "sightscreen_security_events_total{event=\"\(other.rawValue)\"} \(other == event ? 1 : 0)\n"
                #expect(registry.text().contains(line), "\(other)")
            }
        }
        let found = events(lines)
        #expect(found.count == 1 && found[0].hasPrefix("warning "), "\(found)")
        #expect(found.first?.contains("\"security.event\": \(event.rawValue)") == true, "\(found)")
        if let account {
            #expect(found.first?.contains("\"security.account\": \(try pseudonym(of: account))") == true, "\(found)")
        } else {
            #expect(found.first?.contains("security.account") == false)
        }
        if let former {
            let named = "\"security.formerAccount\": \(try pseudonym(of: former))"
            #expect(found.first?.contains(named) == true, "\(found)")
        } else {
            #expect(found.first?.contains("security.formerAccount") == false)
        }
        #expect(lines.count(GatewayHarness.sub("alice")) == 0, "the log holds no user ids")
    }

    private static func register(
        _ gateway: GatewayHarness, as user: String
    ) async throws -> GatewayHarness.Answer {
        try await gateway.send(
            "POST", "/devices",
            #"{"deviceId":"phone-\#(user)","platform":"ios","deviceToken":"\#(try #require(device))"}"#, as: user)
    }

    /// As if the coordinator had sent the claim's nonce.
    private static func echo(_ gateway: GatewayHarness, as user: String) async throws {
        let sent = try await gateway.pool.query(
            "UPDATE phone_claims SET sent_at = clock_timestamp(), due_at = NULL RETURNING challenge")
        let nonce = try gateway.vault.nonce(of: try #require(sent.first).string("challenge"))
        let answer = try await gateway.send(
            "POST", "/devices/confirm", #"{"nonce":"\#(nonce)","deviceId":"phone-\#(user)"}"#, as: user)
        #expect(answer.status == 204, "\(answer.text)")
    }

    @Test func aWrongKeyOfAnAdministratorIsOne() async throws {
        try await Self.expect(
            .wrongAdminKey, account: nil, environment: ["ADMIN_API_KEY": "the-key-of-0123456789-administrators"]
        ) { gateway in
            let guess = String(repeating: "x", count: 40)
            let answer = try await gateway.send("GET", "/admin/hold", as: nil, headers: [("x-api-key", guess)])
            #expect(answer.status == 401)
        }
    }

    @Test func anAccountWithTooManyBadTokensIsOne() async throws {
        let rows = """
            INSERT INTO bad_tokens (user_id, since, count) VALUES
                ('\(GatewayHarness.sub("alice"))', clock_timestamp(), 20), ('\(GatewayHarness.sub("bob"))', clock_timestamp(), 19)
            """
        try await Self.expect(.accountBlocked, account: "alice", rows: rows) { _ in }
    }

    /// After a restore these lines tell whose accounts are to be erased again.
    @Test func aDeletedAccountIsOne() async throws {
        try await Self.expect(.accountDeleted, account: "alice") { gateway in
            let answer = try await gateway.send("DELETE", "/user", as: "alice")
            #expect(answer.status == 204)
        }
    }

    @Test func aPhoneThatMovedIsOne() async throws {
        try await Self.expect(.phoneMoved, account: "bob", former: "alice") { gateway in
            #expect(try await Self.register(gateway, as: "alice").status == 200)
            #expect(try await Self.register(gateway, as: "bob").status == 202)
            try await Self.echo(gateway, as: "bob")
        }
    }

    /// A start or an update token that moves without the device token.
    @Test(arguments: [true, false])
    func anotherTokenThatMovedIsOne(isStart: Bool) async throws {
        let token = try GatewayHarness.token("another")
        try await Self.expect(.tokenMoved, account: "bob", former: "alice") { gateway in
            for user in ["alice", "bob"] {
                let phone = "phone-\(user)"
                _ = try await gateway.send(
                    "POST", "/devices", #"{"deviceId":"\#(phone)","platform":"ios"}"#, as: user)
                _ = try await gateway.send(
                    "POST", "/user/follow/match", #"{"matchId":"\#(GatewayHarness.match)"}"#, as: user)
                let answer =
                    if isStart {
                        try await gateway.send(
                            "POST", "/devices/push-to-start-token",
                            #"{"deviceId":"\#(phone)","pushToStartToken":"\#(token)"}"#, as: user)
                    } else {
                        try await gateway.send(
                            "POST", "/matches/\(GatewayHarness.match)/activity-token",
                            #"{"deviceId":"\#(phone)","activityToken":"\#(token)","activityId":"a1"}"#, as: user)
                    }
                #expect([200, 201].contains(answer.status), "\(answer.text)")
                try await gateway.pool.execute("UPDATE devices SET last_seen_at = now() - interval '8 days'")
            }
        }
    }

    @Test func aPhoneThatItsUserHadLeftIsOneWhenItMoves() async throws {
        try await Self.expect(.phoneMoved, account: "bob", former: "alice") { gateway in
            #expect(try await Self.register(gateway, as: "alice").status == 200)
            try await gateway.pool.execute("UPDATE devices SET last_seen_at = now() - interval '8 days'")
            #expect(try await Self.register(gateway, as: "bob").status == 200)
        }
    }

    @Test func aRefusedClaimIsOne() async throws {
        try await Self.expect(.claimRefused, account: "bob") { gateway in
            #expect(try await Self.register(gateway, as: "alice").status == 200)
            #expect(try await Self.register(gateway, as: "bob").status == 202)
            try await Self.echo(gateway, as: "alice")
        }
    }

    @Test func anAccountIsNotNamedWithoutAKey() {
        #expect(TokenVault.inClear.pseudonym(of: UserID("alice")) == nil)
    }
}
