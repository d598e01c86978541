import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The authorisation, repetition and refusal of calls.
@Suite struct SightscreenAPITests {
    private static let match = Sample.match()

    private func gateway() async throws -> ScriptedGateway {
        let gateway = try ScriptedGateway()
        await gateway.accept("fresh", as: Sample.user)
        await gateway.play(Self.match)
        return gateway
    }

    @Test func aRefusedTokenIsRefreshedOnce() async throws {
        let gateway = try await gateway()
        let session = FakeSession(user: Sample.user, token: "expired", refreshed: ["fresh"])
        let api = SightscreenAPI(transport: gateway, session: session, clock: StoppedClock())
        #expect(try await api.follows().isEmpty)
        #expect(await gateway.calls.map(\.status) == [401, 200])
        #expect(await session.refreshes == 1)
    }

    @Test(arguments: [[], ["expired too"]])
    func withoutAGoodTokenTheUserIsSignedOut(refreshed: [String]) async throws {
        let gateway = try await gateway()
        let session = FakeSession(user: Sample.user, token: "expired", refreshed: refreshed)
        let api = SightscreenAPI(transport: gateway, session: session, clock: StoppedClock())
        await #expect(throws: APIError.signedOut) { try await api.follows() }
        #expect(await gateway.calls.count == 1 + refreshed.count)
    }

    @Test func nobodySignedInIsNotAsked() async throws {
        let gateway = try await gateway()
        let api = SightscreenAPI(
            transport: gateway, session: FakeSession(user: nil, token: nil), clock: StoppedClock())
        await #expect(throws: APIError.signedOut) { try await api.follows() }
        #expect(await gateway.calls.isEmpty)
    }

    @Test func whatPassesIsRepeatedAfterTheTimeThatTheGatewayAsksFor() async throws {
        let gateway = try await gateway()
        await gateway.trouble("/user/follows", .refusal(429, "rate-limited", retryAfter: 3), .transport(.timeout))
        let clock = SimulatedClock(now: Sample.now)
        let api = SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "fresh"), clock: clock
        ) { 0 }
        async let follows = api.follows()
        try await eventually("it waits") { clock.untilNext == .seconds(3) }
        clock.advance(by: .milliseconds(2_999))
        #expect(await gateway.calls.count == 1)
        clock.advance(by: .milliseconds(1))
        try await eventually("it waits again") { clock.untilNext == .milliseconds(500) }
        clock.advance(by: .milliseconds(500))
        #expect(try await follows.isEmpty)
        #expect(await gateway.calls.count == 3)
    }

    /// A call that is wrong stays wrong, and is not repeated.
    @Test(arguments: [
        (400, "invalid-request"), (404, "unknown-match"), (409, "limit-reached"), (501, "method-not-implemented"),
    ])
    func whatDoesNotPassIsNotRepeated(status: Int, problem: String) async throws {
        let gateway = try await gateway()
        await gateway.trouble("/follow", .refusal(status, problem))
        let api = SightscreenAPI(
            transport: gateway, session: FakeSession(user: Sample.user, token: "fresh"), clock: StoppedClock())
        do {
            _ = try await api.follow(FollowRequest(matchId: Self.match.id))
            Issue.record("it was not refused")
        } catch {
            #expect(error.status == status)
            #expect(error.problem == problem)
            #expect(!error.passes)
        }
        #expect(await gateway.calls.count == 1)
    }

    @Test func retryRule() {
        let rule = APIRetryRule()
        let refused = { (status: Int, after: Int?) in APIError.refused(status: status, nil, retryAfter: after) }
        #expect(rule.wait(after: refused(503, nil), attempt: 1, jitter: 1) == .milliseconds(500))
        #expect(rule.wait(after: refused(500, nil), attempt: 2, jitter: 0) == .milliseconds(500))
        #expect(rule.wait(after: refused(503, nil), attempt: 3, jitter: 1) == nil)
        #expect(rule.wait(after: refused(503, 10), attempt: 1, jitter: 0) == .seconds(10))
        // The outboxes wait longer; a user who looks at a screen does not.
        #expect(rule.wait(after: refused(503, 11), attempt: 1, jitter: 0) == nil)
        #expect(rule.wait(after: .transport(.offline), attempt: 1, jitter: 0) == nil)
        #expect(rule.wait(after: .transport(.timeout), attempt: 1, jitter: 1) == .milliseconds(500))
        #expect(rule.wait(after: refused(409, 1), attempt: 1, jitter: 0) == nil)
        #expect(APIRetryRule.never.wait(after: .transport(.timeout), attempt: 1, jitter: 1) == nil)
    }

    @Test func anAnswerThatIsNotUnderstoodIsNoSuccess() async throws {
        struct MalformedTransport: APITransport {
            func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
                APIResponse(status: 200, body: Array("<html>".utf8))
            }
        }
        let api = SightscreenAPI(
            transport: MalformedTransport(), session: FakeSession(user: Sample.user, token: "fresh"),
            clock: StoppedClock())
        await #expect(throws: APIError.unreadable(status: 200)) { try await api.follows() }
    }
}
