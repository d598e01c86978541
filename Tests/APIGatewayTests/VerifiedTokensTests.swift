import Testing

@testable import APIGateway
@testable import Tokens

@Suite struct VerifiedTokensTests {
    private static let signer = GatewayHarness.signer
    private static let keys: JWKS = {
        do { return try JWKS(json: Array(signer.jwks.utf8)) } catch { fatalError("no test keys: \(error)") }
    }()

    private static let claims = BearerClaims(
        sub: GatewayHarness.sub("alice"), tokenUse: .access, clientID: "ios-app", expiresAt: 2_000, issuedAt: 1_000,
        groups: [])

    /// How often a token has to be checked.
    private final class Checks {
        var count = 0

        func look(
            _ token: String, in tokens: VerifiedTokens, keys: JWKS = VerifiedTokensTests.keys, now: Int = 1_500,
            _ result: Result<BearerClaims, BearerTokenError> = .success(VerifiedTokensTests.claims)
        ) throws -> BearerClaims {
            try tokens.claims(of: token, keys: keys, now: now) { () throws(BearerTokenError) in
                count += 1
                return try result.get()
            }
        }
    }

    @Test func aGoodTokenIsCheckedOnce() throws {
        let (tokens, checks) = (VerifiedTokens(), Checks())
        for _ in 0..<3 { #expect(try checks.look("a.b.c", in: tokens) == Self.claims) }
        #expect(checks.count == 1)
        // Not one byte of it may differ.
        for other in ["a.b.C", "a.b.c ", "a.b.", "", "a.b.c\u{301}"] { _ = try checks.look(other, in: tokens) }
        #expect(checks.count == 6)
        #expect(tokens.count == 6)
    }

    @Test func aBadOneIsCheckedEachTime() {
        let (tokens, checks) = (VerifiedTokens(), Checks())
        for _ in 0..<3 {
            #expect(throws: BearerTokenError.badSignature) {
                try checks.look("a.b.c", in: tokens, .failure(.badSignature))
            }
        }
        #expect(checks.count == 3)
        #expect(tokens.count == 0)
    }

    @Test func anExpiredOneIsKnownAsSuchUnlessTheClockWasWrong() throws {
        let (tokens, checks) = (VerifiedTokens(), Checks())
        _ = try checks.look("a.b.c", in: tokens, now: 2_059)
        for _ in 0..<2 {
            #expect(throws: BearerTokenError.expired(at: 2_000)) { try checks.look("a.b.c", in: tokens, now: 2_060) }
        }
        #expect(checks.count == 1)
        // One that had expired when it first came.
        for _ in 0..<2 {
            #expect(throws: BearerTokenError.expired(at: 2_000)) {
                try checks.look("d.e.f", in: tokens, now: 2_060, .failure(.expired(at: 2_000)))
            }
        }
        #expect(checks.count == 2)
        #expect(try checks.look("d.e.f", in: tokens, now: 2_059) == Self.claims)
        #expect(checks.count == 3)
    }

    @Test func withOtherKeysNothingIsKnown() throws {
        let (tokens, checks) = (VerifiedTokens(), Checks())
        _ = try checks.look("a.b.c", in: tokens)
        // Also when they are the same again: each set that was read is another.
        let next = try JWKS(json: Array(Self.signer.jwks.utf8))
        _ = try checks.look("a.b.c", in: tokens, keys: next)
        #expect(checks.count == 2)
        _ = try checks.look("a.b.c", in: tokens, keys: next)
        #expect(checks.count == 2)
        #expect(tokens.count == 1)
    }

    @Test func thoseThatAreUsedAreRememberedAndNoMoreThanMay() throws {
        let (tokens, checks) = (VerifiedTokens(tokensMax: 320), Checks())
        _ = try checks.look("favourite", in: tokens)
        for number in 0..<5_000 {
            _ = try checks.look("token \(number)", in: tokens)
            _ = try checks.look("favourite", in: tokens)
            #expect(tokens.count <= 320)
        }
        #expect(checks.count == 5_001)
        #expect(tokens.count > 160)
    }

    @Test func throughTheAuthenticatorOnlyTheRealThingIsTaken() async throws {
        let signer = Self.signer
        let authenticator = Authenticator(
            verifier: BearerTokenVerifier(issuer: GatewayHarness.issuer, clientIDs: [GatewayHarness.client]),
            keys: KeySource(logger: OutageTests.silent) { Array(signer.jwks.utf8) }, now: GatewayHarness.now)
        let good = try GatewayHarness.bearer("alice")
        for _ in 0..<2 { _ = try await authenticator.caller(authorization: "Bearer \(good)", apiKey: nil) }
        #expect(await authenticator.keys.count.verifiedTokens == 1)
        for bad in [good + "A", String(good.dropLast()), good.replacing("e", with: "f", maxReplacements: 1)] {
            await #expect(throws: Authenticator.Refused.self) {
                try await authenticator.caller(authorization: "Bearer \(bad)", apiKey: nil)
            }
        }
        #expect(await authenticator.keys.count.verifiedTokens == 1)
    }
}
