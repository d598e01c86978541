import APNsProtocol
import HTTP2
import Messages
import Metrics
import Postgres
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

    /// Three accounts whose start tokens are refused as not for our topic: the bundle id may be wrong, unless a token
    /// was accepted under it before this process started.
    @Test(arguments: [("another bundle id", 3), (Harness.bundleID, 0)])
    func accountsThatAreRefusedCountWhileNothingSpeaksForTheTopic(provenFor bundle: String, count: Int) async throws {
        let registry = PrometheusRegistry()
        try await Harness.with { harness in
            for user in ["asha", "ben", "cat", "dan"] { try await harness.follow(user) }
            try await harness.pool.execute(
                """
                UPDATE devices SET proven_bundle = $1, device_token_proven_at = clock_timestamp() WHERE user_id = 'dan'
                """, [.text(bundle)])
            await harness.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
            try await withMetricsFactory(registry) {
                try await harness.coordinate { _ in
                    try await eventually("all are refused") { await harness.apns.pushes.count == 4 }
                    // Measured once a second.
                    try await Task.sleep(for: .milliseconds(2_200))
                    let name = #"sightscreen_apns_accounts_refused{environment="production"} "#
                    let line = registry.text().split(separator: "\n").first { $0.hasPrefix(name) }
                    let found = try #require(line.flatMap { Int($0.dropFirst(name.count)) })
                    // Each of the loops remembers three at most.
                    #expect(count == 0 ? found == 0 : found >= count)
                }
            }
        }
    }
}
