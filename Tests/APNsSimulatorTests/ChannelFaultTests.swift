import APNsSimulator
import HTTP2
import TestKit
import Testing

/// Trouble with channels that a test asks for.
struct ChannelFaultTests {
    private func run(
        _ faults: [String], _ body: @Sendable @escaping (ChannelClient) async throws -> Void
    ) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            for fault in faults { #expect(try await apns.control("POST", "/faults", fault).status == 201) }
            try await body(try await ChannelClient(apns))
        }
    }

    private func outcomeOfCreate(_ client: ChannelClient) async -> HTTP2Outcome {
        await ChannelClient.send(
            "POST", ChannelClient.channels, [:], Array(ChannelClient.body(policy: 0).utf8), bearer: client.apns.bearer,
            on: client.management)
    }

    @Test func theAnswerOfACreateMayGetLostAfterTheChannelWasMade() async throws {
        try await run([#"{"match":{"call":"create"},"close":true}"#]) { client async throws in
            guard case .unknown = await outcomeOfCreate(client) else {
                Issue.record("it got an answer")
                return
            }
            let again = try await ChannelClient(client.apns)
            let listed = try await again.manage("GET", ChannelClient.allChannels).body
            #expect(listed.count > 30, "\(listed)")
        }
    }

    @Test func aCreateMayBeRefusedWithAnything() async throws {
        try await run([
            #"{"match":{"call":"create"},"status":418,"reason":"Teapot"}"#,
            #"{"match":{"call":"create"},"reason":"CannotCreateChannelConfig"}"#,
        ]) { client async throws in
            for (status, reason) in [(418, "Teapot"), (400, "CannotCreateChannelConfig")] {
                let answer = try await client.manage("POST", body: ChannelClient.body(policy: 0))
                #expect(answer.status == status)
                #expect(answer.reason == reason)
            }
            #expect(try await client.manage("GET", ChannelClient.allChannels).body == #"{"channels":[]}"#)
        }
    }

    @Test func aStormHitsWhatItIsAimedAt() async throws {
        try await run([]) { client async throws in
            let (one, two) = (try await client.create(), try await client.create())
            let body = try APNsSimulatorTests.update()
            func fault(_ match: String) async throws {
                let fault = #"{"match":{\#(match),"count":0},"reason":"TooManyRequests","retryAfter":9}"#
                #expect(try await client.apns.control("POST", "/faults", fault).status == 201)
            }
            try await fault(#""call":"publish","channel":"\#(one)""#)
            let refused = try await client.publish(body, to: one)
            #expect(refused.status == 429)
            #expect(refused.headers["retry-after"] == "9")
            #expect(try await client.publish(body, to: two).status == 200)
            #expect(try await client.manage("GET", ChannelClient.allChannels).status == 200)
            try await fault(#""call":"management""#)
            #expect(try await client.publish(body, to: two).status == 200)
            for (method, path) in [("GET", ChannelClient.allChannels), ("POST", ChannelClient.channels), ("GET", "/")] {
                #expect(try await client.manage(method, path).headers["retry-after"] == "9")
            }
            #expect(try await client.apns.control("DELETE", "/faults").status == 204)
            // One that names no call is of pushes and publishes.
            try await fault(#""environment":"production""#)
            #expect(try await client.manage("GET", ChannelClient.allChannels).status == 200)
            #expect(try await client.publish(body, to: two).status == 429)
        }
    }

    @Test func theManagementPortMayBeUnreachableWhilePublishesGo() async throws {
        try await run([]) { client async throws in
            let channel = try await client.create()
            let fault = #"{"match":{"call":"management","count":0},"close":true,"delivered":false}"#
            #expect(try await client.apns.control("POST", "/faults", fault).status == 201)
            guard case .unknown = await outcomeOfCreate(client) else {
                Issue.record("it got an answer")
                return
            }
            #expect(try await client.publish(try APNsSimulatorTests.update(), to: channel).status == 200)
            #expect(try await client.apns.control("DELETE", "/faults").status == 204)
            let listed = try await ChannelClient(client.apns).manage("GET", ChannelClient.allChannels).body
            #expect(listed == #"{"channels":["\#(channel)"]}"#)
        }
    }

    @Test func answersMayBeSlow() async throws {
        try await run([]) { client async throws in
            let channel = try await client.create()
            for call in ["publish", "list"] {
                let fault = #"{"match":{"call":"\#(call)"},"delayMs":300}"#
                #expect(try await client.apns.control("POST", "/faults", fault).status == 201)
            }
            let start = ContinuousClock.now
            #expect(try await client.publish(try APNsSimulatorTests.update(), to: channel).status == 200)
            #expect(try await client.manage("GET", ChannelClient.allChannels).status == 200)
            #expect(ContinuousClock.now - start >= .milliseconds(600))
        }
    }

    @Test(arguments: [
        #"{"match":{"call":"start"},"reason":"Shutdown"}"#, #"{"lostShare":2}"#,
        #"{"reason":"TooManyRequests","retryAfter":-1}"#,
    ])
    func aFaultThatIsNoneIsRefused(body: String) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            #expect(try await apns.control("POST", "/faults", body).status == 400)
        }
    }
}
