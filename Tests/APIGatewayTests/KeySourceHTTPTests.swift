import HTTPClient
import Logging
import ServiceKit
import Synchronization
import TestKit
import Testing
import Tokens

@testable import APIGateway

/// The issuer's keys over real HTTP, from an issuer that fails in every way; only the clock is the test's.
@Suite struct KeySourceHTTPTests {
    private static let signer = GatewayHarness.signer
    private static let next: RS256Signer = {
        do { return try RS256Signer.generate() } catch { fatalError("no test key: \(error)") }
    }()
    private static let now = 1_800_000_000

    private final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func pass(_ duration: Duration) { instant.withLock { $0 += duration } }
    }

    private let clock = Clock()

    private func source(_ issuer: FakeIssuer, allowHTTP: Bool = true, timeout: Duration = .seconds(20)) -> KeySource {
        KeySource(
            url: issuer.url, http: HTTPClient(configuration: .init(allowHTTP: allowHTTP)), timeout: timeout,
            logger: OutageTests.silent, clock: { [clock] in clock.now })
    }

    private func authenticator(_ keys: KeySource) -> Authenticator {
        Authenticator(
            verifier: BearerTokenVerifier(issuer: GatewayHarness.issuer, clientIDs: [GatewayHarness.client]),
            keys: keys, now: { Self.now })
    }

    private static func bearer(_ signer: RS256Signer = signer) throws -> String {
        let claims = """
            {"iss":"\(GatewayHarness.issuer)","sub":"\(GatewayHarness.sub("alice"))","token_use":"access",\
            "client_id":"\(GatewayHarness.client)","iat":\(now),"exp":\(now + 600)}
            """
        return "Bearer \(try signer.token(claims: Array(claims.utf8)))"
    }

    @Test func aTokenOfANewKeyIsTakenAsSoonAsTheIssuerPublishesIt() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        let authenticator = authenticator(source(issuer))
        #expect(try await authenticator.caller(authorization: Self.bearer(), apiKey: nil).claims.clientID == "ios-app")
        await #expect(throws: Authenticator.Refused.self) {
            try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
        }
        #expect(issuer.fetches == 1)
        issuer.behaviour(.keys(FakeIssuer.member(Self.signer), FakeIssuer.member(Self.next)))
        clock.pass(.seconds(10))
        _ = try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
        _ = try await authenticator.caller(authorization: Self.bearer(), apiKey: nil)
        #expect(issuer.fetches == 2)
        // The old one is gone: the whole set is replaced, nothing of it is kept.
        issuer.behaviour(.keys(FakeIssuer.member(Self.next)))
        clock.pass(.seconds(3600))
        try await eventually("the old key is no longer trusted") {
            do {
                _ = try await authenticator.caller(authorization: Self.bearer(), apiKey: nil)
                return false
            } catch let refused as Authenticator.Refused { return refused.kind == "bearer-token/unknown-key" }
        }
        _ = try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
        #expect(Set(issuer.targets) == [FakeIssuer.path])
    }

    private static func brokenAnswers() -> [(String, FakeIssuer.Behaviour)] {
        let good = FakeIssuer.member(next)
        let weak =
            #"{"kty":"RSA","alg":"RS256","kid":"weak","e":"AQAB","n":"\#(Base64URL.encode([UInt8](repeating: 0xff, count: 128)))"}"#
        let document = "{\"keys\":[\(good)]}"
        return [
            ("an error", .answer(status: 500, body: document)), ("away", .answer(status: 503, body: "")),
            ("not found", .answer(status: 404, body: document)),
            ("a redirect", .answer(status: 302, headers: ["location: /elsewhere"], body: document)),
            ("no content", .answer(status: 204, body: "")), ("nothing", .answer(body: "")),
            ("a page", .answer(headers: ["content-type: text/html"], body: "<html><body>Sign in</body></html>")),
            ("ten megabytes", .endless), ("too slow", .dripping), ("a broken connection", .broken),
            ("half a document", .answer(body: String(document.dropLast(100)))),
            ("two documents", .answer(body: document + document)), ("a list", .answer(body: "[\(good)]")),
            ("null", .answer(body: "null")), ("no keys", .keys()), ("keys that are none", .keys("null", "7")),
            ("a weak key", .keys(weak)), ("a private key", .keys(good.dropLast() + #","d":"AQAB"}"#)),
            ("a key for encryption", .keys(good.replacing(#""use":"sig""#, with: #""use":"enc""#))),
            ("a key of another algorithm", .keys(good.replacing("RS256", with: "RS512"))),
            ("a key of no algorithm", .keys(good.replacing(#""alg":"RS256","#, with: ""))),
            ("two keys of one id", .keys(good, FakeIssuer.member(signer, id: next.keyID))),
            ("the same key twice", .keys(good, good)),
            (
                "more keys than a pool has",
                .answer(
                    body:
                        "{\"keys\":[\((0..<33).map { FakeIssuer.member(next, id: "k\($0)") }.joined(separator: ","))]}")
            ),
            ("keys twice", .answer(body: "{\"keys\":[\(good)],\"keys\":[\(good)]}")),
            ("in UTF-16", .answer(body: document.map { "\($0)\u{0}" }.joined())),
        ]
    }

    @Test func aBrokenAnswerNeverReplacesAGoodSetWhichGoesOnForADay() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        let source = source(issuer, timeout: .seconds(2))
        let authenticator = authenticator(source)
        _ = try await authenticator.caller(authorization: Self.bearer(), apiKey: nil)
        for (name, behaviour) in Self.brokenAnswers() {
            issuer.behaviour(behaviour)
            clock.pass(.seconds(3300))
            let fetches = issuer.fetches
            #expect(await source.afterUnknownKey()?.keyIDs == [Self.signer.keyID], "\(name)")
            #expect(issuer.fetches == fetches + 1, "\(name)")
            #expect(
                try await authenticator.caller(authorization: Self.bearer(), apiKey: nil).isAdmin == false, "\(name)")
            await #expect(throws: Authenticator.Refused.self, "\(name)") {
                try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
            }
        }
        clock.pass(.seconds(600))
        #expect(await source.current() == nil)
        await #expect(throws: Problem.self) {
            try await authenticator.caller(authorization: Self.bearer(), apiKey: nil)
        }
        issuer.behaviour(.keys(FakeIssuer.member(Self.next)))
        clock.pass(.seconds(10))
        _ = try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
        #expect(Set(issuer.targets) == [FakeIssuer.path], "no redirect was followed")
    }

    @Test func whatCannotBeTrustedIsLeftOutOfASetThatHasMore() async throws {
        let good = FakeIssuer.member(Self.signer)
        let privateKey = FakeIssuer.member(Self.next).dropLast() + #","d":"AQAB"}"#
        let issuer = try FakeIssuer(.keys("{}", String(privateKey), good, #"{"kty":"oct","kid":"o","k":"AAAA"}"#))
        defer { issuer.stop() }
        let authenticator = authenticator(source(issuer))
        _ = try await authenticator.caller(authorization: Self.bearer(), apiKey: nil)
        await #expect(throws: Authenticator.Refused.self) {
            try await authenticator.caller(authorization: Self.bearer(Self.next), apiKey: nil)
        }
    }

    @Test func nobodyWaitsWhileASetThatHasAgedIsFetchedAgain() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        let source = source(issuer)
        #expect(await source.current() != nil)
        clock.pass(KeySource.ageMax)
        issuer.behaviour(.holding)
        for _ in 0..<100 { #expect(await source.current()?.keyIDs == [Self.signer.keyID]) }
        try await eventually("the issuer is asked") { issuer.fetches == 2 }
        #expect(await source.current()?.keyIDs == [Self.signer.keyID])
        issuer.behaviour(.keys(FakeIssuer.member(Self.next)))
        try await eventually("the new set is there") { await source.current()?.keyIDs == [Self.next.keyID] }
        #expect(issuer.fetches == 2)
    }

    @Test func aFloodOfUnknownKeysCostsOneFetchInTenSecondsAndNobodyElseAnything() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        let authenticator = authenticator(source(issuer))
        let good = try Self.bearer()
        _ = try await authenticator.caller(authorization: good, apiKey: nil)
        issuer.behaviour(.holding)
        let seconds = 20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for second in 0..<seconds {
                clock.pass(.seconds(1))
                for number in 0..<(10_000 / seconds) {
                    // The signature is never looked at.
                    let header = Base64URL.encode(#"{"alg":"RS256","kid":"unknown-\#(second)-\#(number)"}"#.utf8)
                    let token = "Bearer \(header)\(good.drop { $0 != "." })"
                    group.addTask {
                        await #expect(throws: Authenticator.Refused.self) {
                            try await authenticator.caller(authorization: token, apiKey: nil)
                        }
                    }
                }
                // The issuer has not answered: a user whose key is known does not notice.
                _ = try await authenticator.caller(authorization: good, apiKey: nil)
            }
            issuer.behaviour(.keys(FakeIssuer.member(Self.signer)))
            try await group.waitForAll()
        }
        // The first, and one for each ten seconds that began.
        #expect((2...1 + seconds / 10).contains(issuer.fetches))
        _ = try await authenticator.caller(authorization: good, apiKey: nil)
    }

    @Test func keysAreFetchedAgainThoughNobodyAsksForThem() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        let readiness = Readiness()
        let often = Duration.milliseconds(2)
        let source = source(issuer)
        let monitor = KeyMonitor(keys: source, readiness: readiness, interval: (often, often))
        let watching = Task { try await monitor.run() }
        defer { watching.cancel() }
        try await eventually("the keys are known") { issuer.fetches == 1 && readiness.isReady }
        issuer.behaviour(.keys(FakeIssuer.member(Self.next)))
        clock.pass(KeySource.ageMax)
        try await eventually("they are fetched again") { issuer.fetches == 2 }
        try await eventually("and taken") { await source.current()?.keyIDs == [Self.next.keyID] }
        issuer.behaviour(.answer(status: 503, body: ""))
        clock.pass(.seconds(7200))
        try await eventually("the issuer is away") { issuer.fetches == 3 && readiness.degraded.map(\.name) == ["keys"] }
        #expect(readiness.isReady)
        clock.pass(KeySource.staleMax)
        try await eventually("the keys are too old to be trusted") { !readiness.isReady }
        issuer.behaviour(.keys(FakeIssuer.member(Self.signer)))
        clock.pass(.seconds(10))
        try await eventually("the issuer is there again") { readiness.isReady && readiness.degraded.isEmpty }
    }

    @Test func plainHTTPIsForStandInsOnly() async throws {
        let issuer = try FakeIssuer(.keys(FakeIssuer.member(Self.signer)))
        defer { issuer.stop() }
        #expect(await source(issuer, allowHTTP: false).current() == nil)
        #expect(issuer.fetches == 0)
    }
}
