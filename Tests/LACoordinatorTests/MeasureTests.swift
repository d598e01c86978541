import HTTP2
import Messages
import Metrics
import ServiceKit
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct MeasureTests {
    @Test func whoWaitsForTheNewestVersionIsSeenUntilAllHaveIt() async throws {
        let registry = PrometheusRegistry()
        func has(_ line: String) -> Bool { registry.text().contains("\(line)\n") }
        try await Harness.with { harness in
            try await harness.follow("asha")
            try await harness.activate("asha", secondsAgo: 60)
            try await withMetricsFactory(registry) {
                try await harness.coordinate { coordinator in
                    try await eventually("its first state is there") { await harness.apns.pushes.count == 1 }
                    try await eventually("it shows") {
                        has("sightscreen_phones 1") && has("sightscreen_fanout_lag_seconds 0")
                            && registry.text().contains(#"sightscreen_apns_connections{environment="production"}"#)
                    }
                    #expect(registry.text().contains("sightscreen_apns_token_age_seconds "))
                    await harness.apns.answer { _, _ in .silence }
                    // The log is read at any moment, so the message comes before the row is there.
                    _ = try await harness.commit { await coordinator.matchUpdated(MatchUpdated(update: $0)) }
                    try await eventually("it waits") {
                        !has("sightscreen_fanout_lag_seconds 0")
                            && has(#"sightscreen_pushes_in_flight{environment="production"} 1"#)
                    }
                    #expect(has(#"sightscreen_version_delay_seconds_count{source="message"} 1"#), "\(registry.text())")
                    // No message tells of this one.
                    _ = try await harness.commit()
                    try await eventually("it is found in the log") {
                        has(#"sightscreen_version_delay_seconds_count{source="log"} 1"#)
                    }
                }
            }
        }
    }
}
