import HTTP2
import Logging
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct FanOutTraceTests {
    private func span(_ log: SpanLog, _ version: MatchVersion) -> Span? {
        log.named("fan-out").first { $0["match.version"] == .int(version.rawValue) }
    }

    @Test func aVersionIsFollowedFromItsArrivalToItsLastPhone() async throws {
        try await Harness.with { harness in
            for user in ["asha", "ben"] {
                try await harness.follow(user)
                try await harness.activate(user)
            }
            let log = SpanLog()
            let lines = LogLines()
            try await harness.coordinate(logger: lines.logger, tracer: log.tracer) { coordinator in
                // Phones that come after a version say nothing of how long it took.
                try await eventually("both have had a state") { await harness.apns.pushes.count >= 2 }
                let origin = TraceContext()
                var update = try await harness.commit(alert: .wicket)
                update.traceparent = origin.traceparent
                await coordinator.matchUpdated(MatchUpdated(update: update))
                try await eventually("its span is over") { span(log, update.version) != nil }
                let fanOut = try #require(span(log, update.version))
                #expect(fanOut.context.traceID == origin.traceID && fanOut.parentID == origin.spanID)
                #expect(fanOut.kind == .consumer)
                #expect(fanOut["fanout.phones"] == .int(2) && fanOut["fanout.accepted"] == .int(2))
                #expect(fanOut["fanout.alerted"] == .int(2))
                #expect(fanOut["fanout.overtaken"] == .bool(false))
                #expect(fanOut["fanout.first_ms"] != nil)
                let ended = try #require(fanOut.endedAt)
                #expect(ended > fanOut.begunAt)
                try await eventually("it is logged") {
                    lines.all.contains { $0.contains("Version fanned out") && $0.contains("\"alerted\": 2") }
                }
            }
            #expect(Set(log.spans.map(\.context.spanID)).count == log.spans.count, "each is exported once")
        }
    }

    @Test func aVersionThatIsOvertakenEndsWhenTheNextOneComes() async throws {
        try await Harness.with { harness in
            try await harness.follow("asha")
            try await harness.activate("asha")
            await harness.apns.answer { _, _ in .silence }
            let log = SpanLog()
            try await harness.coordinate(tracer: log.tracer) { coordinator in
                try await eventually("it is taken in") { await coordinator.phones() == 1 }
                let slow = try await harness.commit()
                await coordinator.matchUpdated(MatchUpdated(update: slow))
                let next = try await harness.commit()
                await coordinator.matchUpdated(MatchUpdated(update: next))
                try await eventually("the first is over") { span(log, slow.version) != nil }
                let fanOut = try #require(span(log, slow.version))
                #expect(fanOut["fanout.overtaken"] == .bool(true))
                #expect(fanOut["fanout.phones"] == .int(1) && fanOut["fanout.accepted"] == .int(0))
                #expect(span(log, next.version) == nil, "it is still under way")
            }
            // Whoever takes over goes on with it.
            #expect(log.named("fan-out").last?["fanout.overtaken"] == .bool(true))
        }
    }
}
