import NIOCore
import SightscreenModels
import Testing

@testable import APIGateway

/// Raw bytes on a real connection.
@Suite struct MalformedRequestTests {
    /// So short that a test sees them pass, and long enough for a busy machine.
    static let times: GatewayTimes = {
        var times = GatewayTimes()
        times.head = .seconds(2)
        times.body = .seconds(3)
        times.answer = .seconds(5)
        return times
    }()

    @Test func everyRequestOfTheCorpusIsAnsweredAsItShould() async throws {
        try await GatewayHarness.run(times: Self.times) { gateway in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for request in RawRequest.all {
                    group.addTask { try await Self.check(request, port: gateway.port) }
                }
                try await group.waitForAll()
            }
            #expect(try await gateway.send("GET", "/health/live").status == 200)
        }
    }

    private static func check(_ request: RawRequest, port: Int) async throws {
        let client = try RawClient(port: port)
        client.isHead = request.name == "HEAD"
        try await client.send(request.bytes)
        let answers = try await client.answersUntilClosed()
        let statuses = answers.map(\.status)
        #expect(statuses.prefix(request.statuses.count) == request.statuses[...], "\(request.name)")
        var others = answers.dropFirst(request.statuses.count)
        // The decoder's word on what follows, with which the connection ends.
        if others.last?.isBare == true { others.removeLast() }
        #expect(others.count <= (request.rest == .nothing ? 0 : 1), "\(request.name): \(statuses)")
        let refusals = request.rest == .odd ? 200..<500 : 400..<500
        #expect(others.allSatisfy { refusals.contains($0.status) }, "\(request.name): \(statuses)")
        for answer in answers {
            #expect(answer.header("server") == nil, "\(request.name)")
            #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control") }, "\(request.name)")
            if answer.status == 405 { #expect(answer.header("allow")?.isEmpty == false, "\(request.name)") }
            guard !answer.isBare else { continue }
            #expect(answer.header("x-content-type-options") == "nosniff", "\(request.name)")
            #expect(answer.header("cache-control") == "no-store" || answer.status == 200, "\(request.name)")
            #expect(answer.header("x-request-id")?.isEmpty == false, "\(request.name)")
            #expect(answer.header("date")?.hasSuffix(" GMT") == true, "\(request.name)")
        }
    }

    @Test func headIsGetWithoutItsBody() async throws {
        try await GatewayHarness.run(times: Self.times) { gateway in
            for path in ["/", "/health/live", "/app/config", "/nothing", "/devices", "/matches"] {
                let get = try RawClient(port: gateway.port)
                try await get.send(RawRequest.get(path))
                let head = try RawClient(port: gateway.port)
                head.isHead = true
                try await head.send(RawRequest.get(path, method: "HEAD"))
                let whole = try #require(try await get.answersUntilClosed().first)
                let headers = try #require(try await head.answersUntilClosed().first)
                #expect(headers.status == whole.status, "\(path)")
                #expect(head.received.suffix(4) == [13, 10, 13, 10], "\(path)")
                for name in ["content-length", "content-type", "cache-control", "etag", "allow"] {
                    #expect(headers.header(name) == whole.header(name), "\(path) \(name)")
                }
                #expect(headers.header("content-length") == "\(whole.body.utf8.count)", "\(path)")
            }
        }
    }

    @Test func aRefusalReachesAClientThatIsStillSending() async throws {
        try await GatewayHarness.run(times: Self.times) { gateway in
            for _ in 0..<3 {
                let client = try RawClient(port: gateway.port)
                try await client.send(RawRequest.post("Content-Length: 1000000"))
                for _ in 0..<10 { try await client.send(String(repeating: "a", count: 10_000)) }
                #expect(try await client.answersUntilClosed().map(\.status) == [413])
            }
        }
    }

    @Test func aClientThatEndsInTheMiddleIsTold() async throws {
        try await GatewayHarness.run(times: Self.times) { gateway in
            let requests = [
                (RawRequest.live, [200]), (RawRequest.live + "GET /", [200, 400]),
                ("GET / HTTP/1.1\r\nHost: a\r\n", [400]),
                // Nobody is logged in: the answer does not wait for the body.
                (RawRequest.post("Content-Length: 5", body: "hell"), [401, 400]),
                (RawRequest.chunked("5\r\nhello\r\n"), [401, 400]),
                (RawRequest.chunked("5\r\nhello\r\n0\r\n"), [401, 400]), ("", []),
            ]
            for (text, statuses) in requests {
                let client = try RawClient(port: gateway.port)
                if !text.isEmpty { try await client.send(text) }
                client.endSending()
                #expect(try await client.answersUntilClosed().map(\.status) == statuses, "\(text)")
            }
        }
    }

    /// What comes after the part that makes a body malformed may be complete JSON; no handler may see it.
    @Test func whatIsRefusedIsNotDone() async throws {
        try await GatewayHarness.run(times: Self.times) { gateway in
            let json = #"{"matchId":"\#(GatewayHarness.match)"}"#
            let size = String(json.utf8.count, radix: 16)
            let bearer = "Authorization: Bearer \(try GatewayHarness.bearer("alice"))"
            let head = "POST /user/follow/match HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\(bearer)\r\n"
            for end in ["", "zz\r\n", "0\r\nbad\r\n\r\n", "5\r\nhello!\r\n0\r\n\r\n"] {
                let client = try RawClient(port: gateway.port)
                try await client.send("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(json)\r\n\(end)")
                client.endSending()
                #expect(try await client.answersUntilClosed().map(\.status) == [400], "\(end)")
            }
            #expect(try await gateway.send("GET", "/user/follows").decode(FollowsResponse.self).follows.isEmpty)
            let client = try RawClient(port: gateway.port)
            try await client.send("\(head)Transfer-Encoding: chunked\r\n\r\n\(size)\r\n\(json)\r\n0\r\n\r\n")
            #expect(try await client.answersUntilClosed().map(\.status) == [200])
        }
    }
}
