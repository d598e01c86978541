import APNsProtocol
import HTTP2
import TestKit
import Testing

struct SimulatorFaultTests {
    private static let path = "/3/device/\(APNsSimulatorTests.token)"

    /// Sends the same good push again and again on one connection.
    private struct Push: Sendable {
        let connection: HTTP2ClientConnection
        let headers: HTTP2HeaderTemplate

        func outcome() async throws -> HTTP2Outcome {
            await connection.submit(
                path: SimulatorFaultTests.path, headers: headers, body: try APNsSimulatorTests.update(),
                timeout: .seconds(3))
        }

        func answer() async throws -> APNsAnswer { try APNsSimulatorTests.answer(try await outcome()) }
    }

    private func run(
        _ faults: [String], _ body: @Sendable @escaping (SimulatorUnderTest, Push) async throws -> Void
    ) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register(APNsSimulatorTests.token)
            for fault in faults { #expect(try await apns.control("POST", "/faults", fault).status == 201) }
            try await body(apns, Push(connection: try await apns.connect(), headers: apns.headers()))
        }
    }

    @Test func anAnswerIsPutInPlaceOfTheRealOne() async throws {
        try await run([#"{"match":{"after":1,"count":2},"reason":"ServiceUnavailable"}"#]) { apns, push async throws in
            #expect(try await push.answer() == .accepted)
            for _ in 0..<2 {
                #expect(try await push.answer() == APNsAnswer(.serviceUnavailable))
            }
            #expect(try await push.answer() == .accepted)
            let lines = try await apns.deliveries()
            #expect(lines.map(\.fault) == [nil, "answer", "answer", nil])
            #expect(lines.map { $0.deviceVerdict != nil } == [true, false, false, true])
        }
    }

    @Test func faultsAreAimed() async throws {
        try await run([
            #"{"match":{"tokenPrefix":"ffff"},"reason":"TooManyRequests"}"#,
            #"{"match":{"event":"end"},"reason":"TooManyRequests"}"#,
            #"{"match":{"environment":"sandbox"},"reason":"TooManyRequests"}"#,
            #"{"match":{"pushType":"background"},"reason":"TooManyRequests"}"#,
            #"{"match":{"tokenPrefix":"A1A1","event":"update","count":0},"status":410,"reason":"ExpiredToken","timestamp":9}"#,
        ]) { apns, push async throws in
            for _ in 0..<3 {
                #expect(try await push.answer() == APNsAnswer(.expiredToken, timestampMs: 9))
            }
            #expect(try await apns.control("DELETE", "/faults").status == 204)
            #expect(try await push.answer() == .accepted)
        }
    }

    @Test func aRefusedStreamWasNeverProcessed() async throws {
        try await run([#"{"rst":"REFUSED_STREAM"}"#]) { apns, push async throws in
            #expect(try await push.outcome() == .refused)
            let lines = try await apns.deliveries()
            #expect(lines.map(\.verdict.status) == [0])
            #expect(lines.map(\.deviceVerdict) == [nil])
        }
    }

    @Test func aStreamAboveTheLastOneOfAGoAwayWasNeverProcessed() async throws {
        try await run([#"{"goaway":"Shutdown"}"#]) { apns, push async throws in
            #expect(try await push.outcome() == .refused)
            #expect(try await push.outcome() == .refused)
            #expect(try await apns.deliveries().map(\.deviceVerdict) == [nil])
        }
    }

    @Test func theLastStreamOfAGoAwayIsAnswered() async throws {
        try await run([#"{"goaway":"Shutdown","processed":true}"#]) { apns, push async throws in
            #expect(try await push.answer() == .accepted)
            #expect(try await apns.deliveries().map(\.deviceVerdict) == ["handled"])
        }
    }

    @Test func aLostAnswerMayOrMayNotHaveReachedThePhone() async throws {
        try await run([#"{"mute":true}"#, #"{"mute":true,"delivered":false}"#]) { apns, push async throws in
            #expect(try await push.outcome() == .unknown(.deadline))
            #expect(try await push.outcome() == .unknown(.deadline))
            let lines = try await apns.deliveries()
            #expect(lines.map(\.verdict.status) == [200, 0])
            #expect(lines.map { $0.deviceVerdict != nil } == [true, false])
            #expect(lines.map(\.fault) == ["mute", "mute"])
        }
    }

    @Test func aClosedConnectionLeavesItsRequestsUnknown() async throws {
        try await run([#"{"close":true}"#]) { apns, push async throws in
            guard case .unknown(.connectionLost) = try await push.outcome() else {
                Issue.record("it got an answer")
                return
            }
            #expect(try await apns.deliveries().map(\.verdict.status) == [200])
        }
    }

    @Test func anAnswerMayComeLate() async throws {
        try await run([#"{"delayMs":300}"#]) { apns, push async throws in
            let start = ContinuousClock.now
            #expect(try await push.answer() == .accepted)
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }

    @Test func theStreamLimitCanFall() async throws {
        try await run([#"{"streamLimit":1}"#]) { apns, push async throws in
            #expect(try await push.answer() == .accepted)
            #expect(try await push.answer() == .accepted)
        }
    }

    @Test(arguments: [
        "{}", "[]", "nonsense", #"{"rst":"WHATEVER"}"#, #"{"status":99}"#, #"{"delayMs":-1}"#,
        #"{"match":{"event":"begin"},"reason":"Shutdown"}"#, #"{"reason":"NoSuchReason"}"#,
    ])
    func aFaultThatIsNoneIsRefused(body: String) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let answer = try await apns.control("POST", "/faults", body)
            #expect(answer.status == 400)
            #expect(answer.body.contains("\"detail\""))
            #expect(try await apns.control("GET", "/faults").body == "[]")
        }
    }
}
