import ServiceKit
import Testing

@Suite struct TraceContextTests {
    @Test func readsAndWritesTheHeader() throws {
        let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let trace = try #require(TraceContext(traceparent: text))
        #expect(trace.traceparent == text)
        #expect(trace.isSampled)
        let child = trace.child()
        #expect(child.traceID == trace.traceID && child.spanID != trace.spanID)
        let new = TraceContext()
        #expect(TraceContext(traceparent: new.traceparent) == new)
        #expect(TraceContext(traceparent: "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-later") != nil)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01", "00-é-é-01",
    ])
    func refusesOtherText(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}
