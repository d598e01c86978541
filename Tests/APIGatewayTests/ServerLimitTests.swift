import TestKit
import Testing

@testable import APIGateway

/// Each limit of the server at one below, the limit itself, and one above.
@Suite struct ServerLimitTests {
    struct Case: Sendable {
        let name: String
        let limit: Int
        let request: @Sendable (Int) throws -> String
        /// Up to the limit, and above it.
        let statuses: (Int, Int)
    }

    static let cases = [
        Case(
            name: "target", limit: GatewayLimits.addressBytesMax,
            request: { RawRequest.get("/" + String(repeating: "a", count: $0 - 1)) }, statuses: (404, 414)),
        Case(
            name: "target with a query", limit: GatewayLimits.addressBytesMax,
            request: { RawRequest.get("/nothing?" + String(repeating: "a", count: $0 - 9)) }, statuses: (404, 414)),
        Case(
            name: "target, names and values", limit: GatewayLimits.headerBytesMax,
            request: { RawRequest.get("/health/live", "X: " + String(repeating: "a", count: $0 - 18)) },
            statuses: (200, 400)),
        Case(
            name: "header fields", limit: GatewayLimits.headerFieldsMax,
            request: { count in
                "GET /health/live HTTP/1.1\r\nHost: a\r\n" + (1..<count).map { "X\($0): y\r\n" }.joined() + "\r\n"
            }, statuses: (200, 400)),
        Case(
            name: "body", limit: GatewayLimits.bodyBytesMax,
            request: { RawRequest.post("Content-Length: \($0)", body: String(repeating: "a", count: $0)) },
            statuses: (401, 413)),
        Case(
            name: "body in a chunk", limit: GatewayLimits.bodyBytesMax,
            request: { count in
                try chunked("\(String(count, radix: 16))\r\n\(String(repeating: "a", count: count))\r\n0\r\n\r\n")
            }, statuses: (400, 413)),
        Case(
            name: "body in two chunks", limit: GatewayLimits.bodyBytesMax,
            request: { count in
                try chunked(
                    "2000\r\n\(String(repeating: "a", count: 8_192))\r\n"
                        + "\(String(count - 8_192, radix: 16))\r\n\(String(repeating: "a", count: count - 8_192))\r\n"
                        + "0\r\n\r\n")
            }, statuses: (400, 413)),
    ]

    /// Of a user: of anybody else a body is not read.
    private static func chunked(_ body: String) throws -> String {
        RawRequest.post(
            "Authorization: Bearer \(try GatewayHarness.bearer("alice"))", "Content-Type: application/json",
            "Transfer-Encoding: chunked", body: body)
    }

    @Test func everyLimitHoldsExactly() async throws {
        try await GatewayHarness.run(times: MalformedRequestTests.times) { gateway in
            for example in Self.cases {
                for count in [example.limit - 1, example.limit, example.limit + 1] {
                    let client = try RawClient(port: gateway.port)
                    try await client.send(try example.request(count))
                    let expected = count > example.limit ? example.statuses.1 : example.statuses.0
                    #expect(try await client.answers(1).map(\.status) == [expected], "\(example.name): \(count)")
                }
            }
        }
    }

    @Test func oneClientHasSoManyConnectionsAndNoMore() async throws {
        try await GatewayHarness.run(environment: ["TRUSTED_PROXIES": "127.0.0.9"]) { gateway in
            var clients: [RawClient] = []
            for _ in 0..<GatewayLimits.connectionsOfClientMax {
                let client = try RawClient(port: gateway.port, source: "127.0.0.2")
                try await client.send(RawRequest.live)
                clients.append(client)
            }
            for client in clients { #expect(try await client.answers(1).map(\.status) == [200]) }
            let refused = try RawClient(port: gateway.port, source: "127.0.0.2")
            let answer = try #require(try await refused.answersUntilClosed().first)
            #expect(answer.status == 503)
            #expect(answer.header("retry-after") == "2")
            // Others, and those who have one already, are served.
            let other = try RawClient(port: gateway.port, source: "127.0.0.3")
            try await other.send(RawRequest.live)
            #expect(try await other.answers(1).map(\.status) == [200])
            try await clients[0].send(RawRequest.live)
            #expect(try await clients[0].answers(2).map(\.status) == [200, 200])
            // One that goes makes room for one.
            try await clients[1].send(RawRequest.get("/health/live", "Connection: close"))
            _ = try await clients[1].answersUntilClosed()
            try await Self.connects(gateway.port, source: "127.0.0.2")
            // A proxy of ours brings everybody's connections.
            var ours: [RawClient] = []
            for _ in 0...GatewayLimits.connectionsOfClientMax {
                let client = try RawClient(port: gateway.port, source: "127.0.0.9")
                try await client.send(RawRequest.live)
                ours.append(client)
            }
            for client in ours { #expect(try await client.answers(1).map(\.status) == [200]) }
        }
    }

    @Test func thereAreSoManyConnectionsAndNoMore() async throws {
        try await GatewayHarness.run(
            environment: ["TRUSTED_PROXIES": "127.0.0.0/8"], connectionsMax: 50
        ) { gateway in
            var clients: [RawClient] = []
            for _ in 0..<50 {
                let client = try RawClient(port: gateway.port)
                try await client.send(RawRequest.live)
                clients.append(client)
            }
            for client in clients { #expect(try await client.answers(1).map(\.status) == [200]) }
            for _ in 0..<100 {
                let refused = try RawClient(port: gateway.port)
                #expect(try await refused.answersUntilClosed().map(\.status) == [503])
            }
            try await clients[0].send(RawRequest.get("/health/live", "Connection: close"))
            _ = try await clients[0].answersUntilClosed()
            try await Self.connects(gateway.port, source: "127.0.0.1")
        }
    }

    /// The server counts a connection as gone a moment after the client sees it closed.
    private static func connects(_ port: Int, source: String) async throws {
        try await eventually("there is room for a connection") {
            let client = try RawClient(port: port, source: source)
            try await client.send(RawRequest.live)
            return try await client.answers(1).map(\.status) == [200]
        }
    }
}
