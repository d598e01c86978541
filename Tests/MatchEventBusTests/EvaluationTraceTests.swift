import LACoordinator
import FoundationEssentials
import Logging
import MatchEventBus
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import Synchronization
import TestKit
import Testing

@Suite struct EvaluationTraceTests {
    @Test func aVersionKeepsTheTraceOfItsOfferInTheLogAndInItsMessage() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let log = SpanLog()
            let published = Mutex<[MatchUpdate]>([])
            let process = MatchEventBusTests.Process(pool, instance: "bus", tracer: log.tracer) { update in
                published.withLock { $0.append(update) }
            }
            let at = try await MatchStore(pool: pool).now()
            let offer = TraceContext()
            #expect(
                await process.bus.evaluate(try source.frame("S1 0.4", fetchedAt: at), under: offer).outcome
                    == .committed)
            // What leads to nothing is no span.
            #expect(
                await process.bus.evaluate(try source.frame("S1 0.4", fetchedAt: at + 10), under: TraceContext())
                    .outcome
                    == .unchanged)
            let evaluation = try #require(log.spans.first)
            #expect(log.spans.map(\.name) == ["evaluate"])
            #expect(evaluation.context.traceID == offer.traceID && evaluation.parentID == offer.spanID)
            #expect(evaluation["match.version"] == .int(1) && evaluation["by.time"] == .bool(false))
            #expect(evaluation.error == nil)
            #expect(published.withLock { $0.map(\.traceparent) } == [evaluation.context.traceparent])
            let rows = try await pool.query("SELECT traceparent FROM match_updates")
            #expect(try rows.map { try $0.optionalString("traceparent") } == [evaluation.context.traceparent])
            let read = try await ActivityStore(pool: pool).updates(beyond: [:])
            #expect(read.map(\.traceparent) == [evaluation.context.traceparent])
        }
    }

    @Test func aFrameThatIsRefusedIsAnErrorInItsTrace() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let log = SpanLog()
            let process = MatchEventBusTests.Process(pool, instance: "bus", tracer: log.tracer)
            var frame = try source.frame("S1 0.4", fetchedAt: 1)
            frame.matchID = MatchID(7)
            let offer = TraceContext()
            #expect(await process.bus.evaluate(frame, under: offer).outcome == .rejected)
            let evaluation = try #require(log.spans.first)
            #expect(evaluation.parentID == offer.spanID)
            #expect(evaluation.error?.contains("not 7") == true)
        }
    }

    /// Binaries of the release before leave the column empty.
    @Test func aRowWithoutATraceIsRead() async throws {
        let source = try FrameSource()
        try await withDatabase { pool in
            let bus = MatchEventBusTests.Process(pool, instance: "bus").bus
            let at = try await MatchStore(pool: pool).now()
            #expect(await bus.evaluate(try source.frame("S1 0.4", fetchedAt: at)).outcome == .committed)
            try await pool.execute("UPDATE match_updates SET traceparent = NULL")
            let read = try await ActivityStore(pool: pool).updates(beyond: [:])
            #expect(read.map(\.version) == [MatchVersion(1)] && read[0].traceparent == nil)
        }
    }
}
