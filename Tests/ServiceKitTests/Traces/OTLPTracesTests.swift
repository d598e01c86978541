import Testing

@testable import ServiceKit

/// Against the JSON of `ExportTraceServiceRequest` as the OTLP specification has it.
@Suite struct OTLPTracesTests {
    @Test func encodesIDsInHexAndLongNumbersAsText() throws {
        let parent = try #require(
            TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        var root = Span(name: "poll", kind: .client, context: parent, parentID: nil, begunAt: 1_795_254_364_123_456_789)
        root.endedAt = 1_795_254_364_223_456_789
        root["poll.matches"] = .int(2)
        root["poll.group"] = .string("all \"leagues\"")
        let child = try #require(
            TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-53995c3f42cd8ad8-01"))
        var refused = Span(
            name: "evaluate", kind: .server, context: child, parentID: parent.spanID, begunAt: 1_795_254_364_223_456_790
        )
        refused["by.time"] = .bool(false)
        refused.error = "the fixture is another"
        let bytes = try OTLPTraces.encode(
            [root, refused], of: .init(service: "event-bus", instance: "bus-1", version: "0.1.0"))
        let expected = """
            {"resourceSpans":[{"resource":{"attributes":[\
            {"key":"service.name","value":{"stringValue":"event-bus"}},\
            {"key":"service.instance.id","value":{"stringValue":"bus-1"}},\
            {"key":"service.version","value":{"stringValue":"0.1.0"}}]},\
            "scopeSpans":[{"scope":{"name":"sightscreen","version":"0.1.0"},"spans":[\
            {"attributes":[{"key":"poll.group","value":{"stringValue":"all \\"leagues\\""}},\
            {"key":"poll.matches","value":{"intValue":"2"}}],\
            "endTimeUnixNano":"1795254364223456789","kind":3,"name":"poll","spanId":"00f067aa0ba902b7",\
            "startTimeUnixNano":"1795254364123456789","status":{},"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"},\
            {"attributes":[{"key":"by.time","value":{"boolValue":false}}],\
            "endTimeUnixNano":"1795254364223456790","kind":2,"name":"evaluate","parentSpanId":"00f067aa0ba902b7",\
            "spanId":"53995c3f42cd8ad8","startTimeUnixNano":"1795254364223456790",\
            "status":{"code":2,"message":"the fixture is another"},"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"}]}]}]}
            """
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }
}
