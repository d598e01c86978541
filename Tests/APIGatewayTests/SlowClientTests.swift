import NIOCore
import TestKit
import Testing

@testable import APIGateway

/// Clients that take their time. The gateway's times are short here, and what is expected is who is closed and how, not
/// exactly when.
@Suite struct SlowClientTests {
    @Test func aHeaderThatComesInDropsIsCutOff() async throws {
        var times = GatewayTimes()
        times.head = .milliseconds(300)
        try await GatewayHarness.run(times: times) { gateway in
            let client = try RawClient(port: gateway.port)
            // More than there is time for.
            try await Self.dribble("GET /health/live HTTP/1.1\r\nHost: a\r\nX: ", to: client)
            #expect(try await client.answersUntilClosed().isEmpty)

            // The second request of a connection, too.
            let second = try RawClient(port: gateway.port)
            try await second.send(RawRequest.live)
            #expect(try await second.answers(1).map(\.status) == [200])
            try await second.send("GET /health/live HT")
            #expect(try await second.answersUntilClosed().map(\.status) == [200])
        }
    }

    @Test func aBodyThatComesInDropsIsCutOff() async throws {
        var times = GatewayTimes()
        times.body = .milliseconds(500)
        try await GatewayHarness.run(times: times) { gateway in
            for head in [RawRequest.post("Content-Length: 10000"), RawRequest.chunked("2710\r\n")] {
                let client = try RawClient(port: gateway.port)
                try await client.send(head)
                try await Self.dribble("", to: client)
                _ = try await client.answersUntilClosed()
            }
            let chunks = try RawClient(port: gateway.port)
            try await chunks.send(RawRequest.chunked(""))
            while try await chunks.send("1\r\nx\r\n"), !chunks.isClosed {
                chunks.take()
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(chunks.isClosed)
        }
    }

    /// Sends a byte every few milliseconds until the server closes, at most for as long as any test waits.
    private static func dribble(_ text: String, to client: RawClient) async throws {
        let bytes = Array(text.utf8) + Array(repeating: UInt8(ascii: "x"), count: 2_000 - text.utf8.count)
        for byte in bytes {
            guard try await client.send([byte]) else { return }
            client.take()
            if client.isClosed { return }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func aConnectionOnWhichNothingComesIsClosedWithoutAWord() async throws {
        var times = GatewayTimes()
        times.head = .seconds(1)
        try await GatewayHarness.run(times: times) { gateway in
            let silent = try RawClient(port: gateway.port)
            #expect(try await silent.answersUntilClosed().isEmpty)
            #expect(silent.received.isEmpty)
            let served = try RawClient(port: gateway.port)
            try await served.send(RawRequest.live)
            #expect(try await served.answersUntilClosed().map(\.status) == [200])
        }
    }

    @Test func aConnectionThatIsUsedStaysOpen() async throws {
        var times = GatewayTimes()
        times.head = .seconds(2)
        try await GatewayHarness.run(times: times) { gateway in
            let client = try RawClient(port: gateway.port)
            for count in 1...12 {
                try await client.send(RawRequest.live)
                #expect(try await client.answers(count).map(\.status) == Array(repeating: 200, count: count))
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    @Test func aClientThatDoesNotReadIsClosed() async throws {
        var times = GatewayTimes()
        times.answer = .milliseconds(300)
        try await GatewayHarness.run(times: times) { gateway in
            let client = try RawClient(port: gateway.port, receiveBuffer: 2_048)
            // Ten megabytes of answers: more than both kernels' buffers hold.
            let requests = String(repeating: RawRequest.get("/"), count: 10_000)
            try await client.send(requests)
            try await eventually("the connection is reset") {
                let isOpen = try await client.send("x")
                return !isOpen
            }
            #expect(try await gateway.send("GET", "/health/live").status == 200)
        }
    }

    @Test func aSlowClientThatIsClosedGivesItsPlaceFree() async throws {
        var times = GatewayTimes()
        times.head = .milliseconds(200)
        try await GatewayHarness.run(times: times) { gateway in
            for _ in 0..<3 {
                var clients: [RawClient] = []
                for _ in 0..<GatewayLimits.connectionsOfClientMax - 1 {
                    let client = try RawClient(port: gateway.port, source: "127.0.0.2")
                    try await client.send("GET / HTTP/1.1\r\n")
                    clients.append(client)
                }
                for client in clients { #expect(try await client.answersUntilClosed().isEmpty) }
                try await eventually("there is room again") {
                    let client = try RawClient(port: gateway.port, source: "127.0.0.2")
                    try await client.send(RawRequest.live)
                    return try await client.answers(1).map(\.status) == [200]
                }
            }
        }
    }
}
