import Logging
import Postgres
import SightscreenModels
import Synchronization
import TestKit
import Testing
import Tokens

@testable import APIGateway

@Suite struct OutageTests {
    @Test func withoutPostgreSQLTheAnswerIs503AndAfterwardsAllIsWell() async throws {
        let server = PrivatePostgres()
        let url = try await server.makeDatabase()
        try await GatewayHarness.run(url: url) { gateway in
            try await gateway.follow()
            await server.stop(immediately: true)
            let answer = try await gateway.send("GET", "/user/follows")
            #expect(answer.status == 503)
            #expect(answer.problem == "unavailable")
            #expect(answer.header("retry-after") != nil)
            #expect(try await gateway.send("GET", "/health/ready", as: nil).status == 503)
            #expect(try await gateway.send("GET", "/health/live", as: nil).status == 200)
            try await server.start()
            try await eventually("follows are read again", within: .seconds(20)) {
                try await gateway.send("GET", "/user/follows").status == 200
            }
            let follows = try await gateway.send("GET", "/user/follows").decode(FollowsResponse.self)
            #expect(follows.follows.map(\.matchId) == [GatewayHarness.match])
        }
        await server.stop()
    }

    @Test func withoutTheIssuersKeysTheAnswerIs503() async throws {
        let keys = KeySource(logger: Self.silent) { throw KeyFetchFailure(description: "no issuer") }
        try await GatewayHarness.run(keys: keys) { gateway in
            let answer = try await gateway.send("GET", "/matches")
            #expect(answer.status == 503)
            #expect(answer.header("retry-after") != nil)
            #expect(try await gateway.send("GET", "/app/config", as: nil).status == 200)
        }
    }

    static let silent = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
}

@Suite struct KeySourceTests {
    /// An issuer whose answer and clock the test sets.
    private final class Issuer: Sendable {
        struct State {
            var document: String?
            var fetches = 0
            var now = ContinuousClock.now
        }
        let state: Mutex<State>
        init(_ document: String?) { state = Mutex(State(document: document)) }

        var fetches: Int { state.withLock { $0.fetches } }
        func publish(_ document: String?) { state.withLock { $0.document = document } }
        func pass(_ duration: Duration) { state.withLock { $0.now += duration } }

        func source() -> KeySource {
            KeySource(logger: OutageTests.silent, clock: { self.state.withLock { $0.now } }) {
                try self.state.withLock { state in
                    state.fetches += 1
                    guard let document = state.document else { throw KeyFetchFailure(description: "away") }
                    return Array(document.utf8)
                }
            }
        }
    }

    private func document(_ id: String) throws -> String {
        let own = GatewayHarness.signer
        return own.jwks.split(separator: own.keyID, omittingEmptySubsequences: false).joined(separator: id)
    }

    @Test func keysAreFetchedOnceAndAgainForAnUnknownKeyAtMostEveryTenSeconds() async throws {
        let issuer = Issuer(try document("one"))
        let source = issuer.source()
        #expect(await source.current()?.keyIDs == ["one"])
        #expect(await source.current()?.keyIDs == ["one"])
        #expect(issuer.fetches == 1)
        issuer.publish(try document("two"))
        for _ in 0..<50 { #expect(await source.afterUnknownKey()?.keyIDs == ["one"]) }
        #expect(issuer.fetches == 1)
        issuer.pass(.seconds(10))
        await withTaskGroup(of: Set<String>?.self) { group in
            for _ in 0..<50 { group.addTask { await source.afterUnknownKey()?.keyIDs } }
            for await ids in group { #expect(ids == ["two"]) }
        }
        #expect(issuer.fetches == 2)
    }

    @Test func theLastGoodSetGoesOnForADayWhileTheIssuerIsAwayOrBroken() async throws {
        let issuer = Issuer(try document("one"))
        let source = issuer.source()
        #expect(await source.current() != nil)
        for broken in [nil, "<html></html>", #"{"keys":[]}"#, ""] {
            issuer.publish(broken)
            issuer.pass(.seconds(5 * 3600))
            #expect(await source.current()?.keyIDs == ["one"])
        }
        issuer.pass(.seconds(5 * 3600))
        #expect(await source.current() == nil)
        issuer.publish(try document("two"))
        issuer.pass(.seconds(10))
        #expect(await source.current()?.keyIDs == ["two"])
    }
}
