import Synchronization
import Testing

@testable import ServiceKit

@Suite struct TracerTests {
    private final class Exported: Sendable {
        let spans = Mutex<[Span]>([])
        var names: [String] { spans.withLock { $0.map(\.name) } }
        func tracer(ratio: Double = 1) -> Tracer {
            Tracer(ratio: ratio) { span in self.spans.withLock { $0.append(span) } }
        }
    }

    @Test func spansOfOneTraceKnowTheirParents() throws {
        let exported = Exported()
        let tracer = exported.tracer()
        let poll = tracer.begin("poll", .client, under: nil)
        let offer = tracer.begin("offer", .client, under: poll.context)
        // As it comes over a socket.
        let judge = tracer.begin("evaluate", .server, under: TraceContext(traceparent: offer.context.traceparent))
        #expect(poll.parentID == nil)
        #expect(offer.parentID == poll.context.spanID)
        #expect(judge.parentID == offer.context.spanID)
        #expect(Set([poll, offer, judge].map(\.context.traceID)).count == 1)
        #expect(Set([poll, offer, judge].map(\.context.spanID)).count == 3)
        for span in [judge, offer, poll] { tracer.end(span) }
        #expect(exported.names == ["evaluate", "offer", "poll"])
        for span in exported.spans.withLock({ $0 }) { #expect(try #require(span.endedAt) >= span.begunAt) }
    }

    @Test func aSpanNeverEndsBeforeItBegan() {
        let exported = Exported()
        var span = exported.tracer().begin("poll", .client, under: nil)
        span.endedAt = span.begunAt - 1
        exported.tracer().end(span)
        #expect(exported.spans.withLock { $0.first?.endedAt } == span.begunAt)
    }

    @Test func processesWithTheSameRatioAgree() {
        let (one, other) = (TraceSampling(ratio: 0.3), TraceSampling(ratio: 0.3))
        let traces = (0..<10_000).map { _ in TraceContext() }
        #expect(traces.allSatisfy { one.admits($0) == other.admits($0) })
        // Six deviations of 10,000 draws.
        #expect(abs(traces.count { one.admits($0) } - 3_000) < 275)
        // What a smaller ratio has, a larger one has, too.
        let more = TraceSampling(ratio: 0.6)
        #expect(traces.allSatisfy { !one.admits($0) || more.admits($0) })
        #expect(traces.allSatisfy { TraceSampling(ratio: 1).admits($0) })
        #expect(!traces.contains { TraceSampling(ratio: 0).admits($0) })
    }

    @Test func theSmallestAndTheLargestIDAreDecidedByTheirLastSevenBytes() throws {
        let low = try #require(TraceContext(traceparent: "00-ffffffffffffffffff00000000000000-00f067aa0ba902b7-01"))
        let high = try #require(TraceContext(traceparent: "00-000000000000000000ffffffffffffff-00f067aa0ba902b7-01"))
        #expect(!TraceSampling(ratio: 0.999).admits(low))
        #expect(TraceSampling(ratio: 1).admits(low))
        #expect(TraceSampling(ratio: 0.001).admits(high))
    }

    @Test func whatWasBegunAsNotToBeExportedStaysSo() throws {
        let exported = Exported()
        let foreign = try #require(
            TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))
        let span = exported.tracer().begin("request", .server, under: foreign)
        #expect(span.context.traceparent.hasSuffix("-00"))
        exported.tracer().end(span)
        #expect(exported.names == [])
    }

    @Test func aCallerCannotHaveMoreExportedThanTheRatioSays() throws {
        let exported = Exported()
        let wanted = try #require(
            TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))
        let span = exported.tracer(ratio: 0).begin("request", .server, under: wanted)
        exported.tracer(ratio: 0).end(span)
        #expect(span.context.traceID == wanted.traceID)
        #expect(!span.context.isSampled)
        #expect(exported.names == [])
    }

    @Test func aProcessThatExportsNothingPassesTheTraceOn() throws {
        let wanted = TraceContext()
        let span = Tracer.off.begin("evaluate", .server, under: wanted)
        #expect(span.context.traceID == wanted.traceID && span.context.isSampled)
        // Those after it need not export what nobody shows the beginning of.
        #expect(!Tracer.off.begin("poll", .client, under: nil).context.isSampled)
    }

    @Test func aHeldSpanIsExportedOnceAndOnlyWhenReleased() {
        let exported = Exported()
        let tracer = exported.tracer()
        let span = tracer.begin("poll", .client, under: nil)
        let held = HeldSpan(span, of: tracer)
        #expect(held.context == span.context)
        #expect(exported.names == [])
        held.release()
        held.release()
        #expect(exported.names == ["poll"])
    }
}
