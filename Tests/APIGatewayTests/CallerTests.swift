import Logging
import ServiceKit
import Testing
import Tokens

@testable import APIGateway

/// Who a request's headers say that it is from.
@Suite struct CallerTests {
    private static let key = "0123456789abcdef0123456789abcdef"

    private static func apiKey(_ text: String) throws(ConfigurationError) -> APIKey {
        try APIKey(name: "admin", secret: Secret(text), setting: "ADMIN_API_KEY")
    }

    private func authenticator(
        key: String? = key, now: @escaping @Sendable () -> Int = GatewayHarness.now
    ) throws -> Authenticator {
        let signer = GatewayHarness.signer
        return Authenticator(
            verifier: BearerTokenVerifier(issuer: GatewayHarness.issuer, clientIDs: [GatewayHarness.client]),
            keys: KeySource(logger: OutageTests.silent) { Array(signer.jwks.utf8) },
            apiKey: try key.map { try Self.apiKey($0) }, now: now)
    }

    private func refusal(_ authorization: String?, _ key: String?, of authenticator: Authenticator) async -> String {
        do {
            _ = try await authenticator.caller(authorization: authorization, apiKey: key)
            return "none"
        } catch let refused as Authenticator.Refused { return refused.kind } catch { return "\(error)" }
    }

    @Test func theKeyMakesAServerAndATokenAUser() async throws {
        let authenticator = try authenticator()
        let server = try await authenticator.caller(authorization: nil, apiKey: Self.key)
        #expect(server == .server(keyName: "admin"))
        #expect(server.isAdmin)
        #expect(throws: Problem.self) { try server.claims }
        let user = try await authenticator.caller(
            authorization: "bearer \(GatewayHarness.bearer("alice"))", apiKey: nil)
        #expect(try user.claims.sub == GatewayHarness.sub("alice"))
        #expect(!user.isAdmin)
    }

    /// A fresh token is of the time that PostgreSQL has, whatever this machine's clock says.
    @Test func tokensAreJudgedByTheGivenClock() async throws {
        let now = GatewayHarness.now()
        let claims = """
            {"iss":"\(GatewayHarness.issuer)","sub":"\(GatewayHarness.sub("alice"))","token_use":"access",\
            "client_id":"\(GatewayHarness.client)","iat":\(now),"nbf":\(now),"exp":\(now + 300)}
            """
        let token = "Bearer \(try GatewayHarness.signer.token(claims: Array(claims.utf8)))"
        for (offset, kind) in [(0, "none"), (-600, "bearer-token/not-yet-valid"), (600, "bearer-token/expired")] {
            #expect(await refusal(token, nil, of: try authenticator(now: { now + offset })) == kind, "\(offset)")
        }
        let clock = ProcessClock { Double(now - 600) }
        #expect(
            await refusal(token, nil, of: try authenticator(now: { clock.seconds })) == "bearer-token/not-yet-valid")
        _ = clock.note(Double(now), asked: .now)
        #expect(await refusal(token, nil, of: try authenticator(now: { clock.seconds })) == "none")
    }

    @Test func noOtherKeyIsTaken() async throws {
        let authenticator = try authenticator()
        let others = [
            "", " ", Self.key + "0", String(Self.key.dropLast()), Self.key.uppercased(), " " + Self.key, Self.key + " ",
            "\(Self.key), \(Self.key)", Self.key + "\u{0}", String(Self.key.reversed()), "null", "***",
            String(repeating: "a", count: 10_000), "Bearer \(Self.key)",
        ]
        for other in others {
            #expect(await refusal(nil, other, of: authenticator) == "api-key/unknown", "\(other.prefix(40))")
        }
        #expect(await refusal("Bearer \(Self.key)", nil, of: authenticator) == "bearer-token/malformed")
    }

    @Test func withoutTheSettingTheHeaderIsRefused() async throws {
        let authenticator = try authenticator(key: nil)
        for key in [Self.key, ""] { #expect(await refusal(nil, key, of: authenticator) == "api-key/not-in-use") }
    }

    @Test func bothAtOnceAreRefusedHoweverGoodTheyAre() async throws {
        let token = "Bearer \(try GatewayHarness.bearer("alice"))"
        for (token, key) in [(token, Self.key), (token, "wrong"), ("Bearer x", Self.key), ("", Self.key)] {
            #expect(await refusal(token, key, of: try authenticator()) == "credentials/two")
            #expect(await refusal(token, key, of: try authenticator(key: nil)) == "credentials/two")
        }
    }

    @Test(arguments: [
        "guess me", String(repeating: "k", count: 40), "0123456789abcde0123456789abcde0123456789abcde",
        "0123456789abcdef0123456789abcde", "0123456789abcdef 123456789abcdef0",
        "0123456789abcdef0123456789abcdé",
        "0123456789abcdef0123456789abcdef\n0", String(repeating: "a", count: 513),
    ])
    func aKeyThatIsNoGoodStopsTheStartWithTheSettingsName(key: String) {
        let error = #expect(throws: ConfigurationError.self) { try Self.apiKey(key) }
        #expect(error?.setting == "ADMIN_API_KEY")
        #expect(error.map { !"\($0)".contains(key) } == true)
    }

    @Test func theKeyIsInNoDumpOfItself() throws {
        var text = ""
        dump(try Self.apiKey(Self.key), to: &text)
        #expect(!text.contains(Self.key))
    }

    @Test func aUsersCallNeedsAUser() async throws {
        try await GatewayHarness.run(environment: ["ADMIN_API_KEY": Self.key]) { gateway in
            let key = ("x-api-key", Self.key)
            let server = try await gateway.send("GET", "/user/follows", as: nil, headers: [key])
            #expect(server.status == 401)
            #expect(server.problem == "unauthorized")
            #expect(!server.text.contains(Self.key))
            #expect(try await gateway.send("GET", "/user/follows", headers: [key]).status == 401)
            #expect(try await gateway.send("GET", "/user/follows").status == 200)
            // What is open to everybody asks nobody who he is.
            #expect(try await gateway.send("GET", "/app/config", as: nil, headers: [key]).status == 200)
            let two = try await gateway.send("GET", "/user/follows", as: nil, headers: [key, key])
            #expect(two.status == 401)
        }
    }
}
