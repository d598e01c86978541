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
            try await harness.crowd(3)
            try await harness.pool.execute("DELETE FROM bucket_progress")
            let timing = LACoordinator.Timing(auditInterval: .seconds(60), newFor: .zero)
            try await withMetricsFactory(registry) {
                try await harness.coordinate(timing: timing) { coordinator in
                    try await eventually("their first states are there") { await harness.apns.pushes.count == 3 }
                    try await eventually("it shows") {
                        has("sightscreen_phones 3") && has("sightscreen_fanout_lag_seconds 0")
                            && has("sightscreen_fanout_stuck_seconds 0")
                            && registry.text().contains(#"sightscreen_apns_connections{environment="production"}"#)
                    }
                    #expect(registry.text().contains("sightscreen_apns_token_age_seconds "))
                    await harness.apns.answer { _, _ in .silence }
                    // The log is read at any moment, so the message comes before the row is there.
                    _ = try await harness.commit { await coordinator.matchUpdated(MatchUpdated(update: $0)) }
                    try await eventually("they wait") {
                        !has("sightscreen_fanout_lag_seconds 0") && !has("sightscreen_fanout_stuck_seconds 0")
                            && has(#"sightscreen_pushes_in_flight{environment="production"} 3"#)
                    }
                    #expect(has(#"sightscreen_version_delay_seconds_count{source="message"} 1"#), "\(registry.text())")
                    // No message tells of this one.
                    _ = try await harness.commit()
                    try await eventually("it is found in the log") {
                        has(#"sightscreen_version_delay_seconds_count{source="log"} 1"#)
                    }
                    try await harness.hold(.pushes, of: coordinator)
                    try await eventually("an operator holds them") {
                        has(#"sightscreen_phones_left_out{why="held"} 3"#) && has("sightscreen_fanout_lag_seconds 0")
                    }
                }
            }
        }
    }

    /// What is overtaken has taken longest.
    @Test func aVersionThatIsOvertakenIsTimedToItsLastPhoneToo() async throws {
        let registry = PrometheusRegistry()
        try await Harness.with { harness in
            try await harness.crowd(3)
            let valve = Valve(3)
            await harness.apns.answer(through: valve)
            let timing = LACoordinator.Timing(auditInterval: .seconds(60), newFor: .zero)
            try await withMetricsFactory(registry) {
                try await harness.coordinate(timing: timing) { coordinator in
                    try await eventually("they are there") { await coordinator.phones() == 3 }
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await eventually("they show something") {
                        registry.text().contains("sightscreen_fanout_seconds_count 1\n")
                    }
                    for _ in 1...2 {
                        await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                        try await eventually("it is on its way") { await coordinator.pushesInFlight() == 3 }
                    }
                    await valve.open()
                    try await eventually("both are timed") {
                        registry.text().contains("sightscreen_fanout_seconds_count 3\n")
                    }
                }
            }
        }
    }

    @Test func theLogNamesAMatchWhilePhonesWaitForNothing() {
        let lines = LogLines()
        var stuck = StuckMatches()
        for seconds: Int64 in [0, 19, 21, 30, 0, 0] {
            stuck.log([Harness.match: seconds * 1_000_000_000, MatchID(7): 0], lines.logger)
        }
        #expect(lines.all.count == 2)
        #expect(lines.all.allSatisfy { $0.contains("\(Harness.match)") })
        #expect(lines.all.first?.contains("21") == true)
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
