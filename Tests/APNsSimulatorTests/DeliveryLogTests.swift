import APNsProtocol
import APNsSimulator
import HTTP2
import TestKit
import Testing

struct DeliveryLogTests {
    private func push(_ apns: SimulatorUnderTest, _ connection: HTTP2ClientConnection, _ token: String) async throws {
        let outcome = await connection.submit(
            path: "/3/device/\(token)", headers: apns.headers(), body: try APNsSimulatorTests.update(),
            timeout: .seconds(10))
        #expect(try APNsSimulatorTests.answer(outcome) == .accepted)
    }

    @Test func aReaderGoesOnWhereItWas() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let body = ["aa01", "aa02"].map { #"{"token":"\#($0)","kind":"update","environment":"production"}"# }
            #expect(try await apns.control("POST", "/tokens", "[\(body.joined(separator: ","))]").status == 201)
            let connection = try await apns.connect()
            #expect(try await apns.deliveries("?since=0").isEmpty)
            for token in ["aa01", "aa02", "aa01", "aa01"] { try await push(apns, connection, token) }
            #expect(try await apns.deliveries("?since=0").map(\.seq) == [1, 2, 3, 4])
            #expect(try await apns.deliveries("?since=2").map(\.seq) == [3, 4])
            #expect(try await apns.deliveries("?since=4").isEmpty)
            #expect(try await apns.deliveries("?token=AA01").map(\.seq) == [1, 3, 4])
            #expect(try await apns.deliveries("?token=aa01&token=aa02&limit=2").map(\.seq) == [1, 2])
            #expect(try await apns.deliveries("?token=aa01&since=1&limit=1").map(\.seq) == [3])
        }
    }

    @Test func whatTheLogNoLongerHasIsGone() async throws {
        try await SimulatorUnderTest.run({ $0.deliveriesMax = 3 }) { apns async throws in
            try await apns.register("aa01")
            let connection = try await apns.connect()
            for _ in 0..<5 { try await push(apns, connection, "aa01") }
            #expect(try await apns.deliveries().map(\.seq) == [3, 4, 5])
            #expect(try await apns.deliveries("?since=2").map(\.seq) == [3, 4, 5])
            let gone = try await apns.control("GET", "/deliveries?since=1")
            #expect(gone.status == 410)
            #expect(gone.body.contains(#""newest":5"#) && gone.body.contains(#""oldest":3"#))
            // A number of another run: the reader must begin anew.
            #expect(try await apns.control("GET", "/deliveries?since=6").status == 410)
            #expect(try await apns.control("GET", "/deliveries?since=-1").status == 400)
            #expect(try await apns.control("GET", "/deliveries?since=x").status == 400)
        }
    }

    @Test func aFollowerIsShownWhatComes() async throws {
        try await SimulatorUnderTest.run { apns async throws in
            try await apns.register("aa01")
            try await apns.register("aa02")
            let connection = try await apns.connect()
            try await push(apns, connection, "aa01")
            async let followed = apns.control("GET", "/deliveries?since=0&follow=1&token=aa01&limit=3")
            try await push(apns, connection, "aa02")
            try await push(apns, connection, "aa01")
            try await Task.sleep(for: .milliseconds(50))
            try await push(apns, connection, "aa01")
            let lines = try DeliveryLine.parse(try await followed.body)
            #expect(lines.map(\.seq) == [1, 3, 4])
        }
    }

    @Test func aFollowerDoesNotHoldUpTheStop() async throws {
        // curl would complain about an answer that breaks off.
        #expect(try await SimulatorUnderTest.leavingAFollower() == 0)
    }

    @Test(arguments: [
        #"{"token":"xyz","kind":"update","environment":"production"}"#,
        #"{"token":"aa","kind":"other","environment":"production"}"#,
        #"{"token":"aa","kind":"update","environment":"staging"}"#, #"{"token":"aa","kind":"update"}"#, "", "[1]", "{",
    ])
    func aTokenThatIsNoneIsRefused(body: String) async throws {
        try await SimulatorUnderTest.run { apns async throws in
            let answer = try await apns.control("POST", "/tokens", body)
            #expect(answer.status == 400)
            #expect(answer.body.contains("\"detail\""))
        }
    }
}

extension SimulatorUnderTest {
    /// Stops a simulator while somebody follows its log, and gives back how many lines that reader was shown.
    fileprivate static func leavingAFollower() async throws -> Int {
        let (results, report) = AsyncStream.makeStream(of: Int.self)
        try await run { apns async throws in
            Task {
                // The answer ends when the simulator does: no error, no more lines.
                let answer = try? await apns.control("GET", "/deliveries?follow=1")
                report.yield(answer.map { $0.body.split(separator: "\n").count } ?? -1)
            }
            // Long enough for the reader to be connected on a busy machine; it is never told that it is.
            try await Task.sleep(for: .seconds(2))
        }
        for await count in results { return count }
        return -1
    }
}
