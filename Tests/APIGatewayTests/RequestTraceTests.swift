import Logging
import ServiceKit
import TestKit
import Testing

@testable import APIGateway

@Suite struct RequestTraceTests {
    private static let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func aSpanNamesNeitherThePathNorTheCaller() async throws {
        let log = SpanLog()
        try await GatewayHarness.run(tracer: log.tracer) { gateway in
            let answer = try await gateway.send("GET", "/matches/\(GatewayHarness.match)")
            #expect(answer.status == 200)
        }
        let span = try #require(log.spans.first)
        #expect(log.spans.count == 1)
        #expect(span.name == "request" && span.kind == .server)
        // The pattern, and nothing of the path, the caller or the query.
        #expect(
            span.attributes == [
                "http.request.method": .string("GET"), "http.route": .string("/matches/:id"),
                "http.response.status_code": .int(200),
            ])
        #expect(span.error == nil)
    }

    /// The trace's id decides whether it is exported, so one that a client names would be exported at will. A proxy hands
    /// on what its client sent.
    @Test(arguments: [
        [], [caller], ["00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"], [caller, caller], ["\(caller)-01"],
        ["alice"],
    ])
    func noCallerChoosesItsTrace(_ headers: [String]) async throws {
        let log = SpanLog()
        try await GatewayHarness.run(environment: ["TRUSTED_PROXIES": "127.0.0.1"], tracer: log.tracer) { gateway in
            let answer = try await gateway.send("GET", "/nowhere/alice", headers: headers.map { ("traceparent", $0) })
            #expect(answer.status == 404)
        }
        let span = try #require(log.spans.first)
        #expect(span.parentID == nil)
        #expect(span.context.traceID != "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span["http.route"] == .string("none") && span["http.response.status_code"] == .int(404))
    }
}
