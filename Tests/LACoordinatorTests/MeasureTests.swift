import APNsProtocol
import Activities
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

    private struct Outage: CustomTestStringConvertible {
        var testDescription: String
        var measure: FanOutMeasure
        var begins: String
        var ends: String
        var degraded: String

        init(
            _ name: String, begins: String, ends: String, degraded: String,
            _ change: (inout FanOutMeasure, inout MatchBacklog) -> Void
        ) {
            (testDescription, self.begins, self.ends, self.degraded) = (name, begins, ends, degraded)
            measure = FanOutMeasure()
            var backlog = MatchBacklog()
            change(&measure, &backlog)
            measure.backlogs[Harness.match] = backlog
        }
    }

    private static func trouble(_ kind: HostTrouble.Kind) -> HostTrouble {
        HostTrouble(host: "apns", kind: kind, cause: "cause", reason: "reason")
    }

    private static let outages = [
        Outage(
            "a host that is stopped", begins: "warning APNs is in trouble", ends: "APNs takes pushes again",
            degraded: "apns production: apns: cause, reason"
        ) { measure, _ in measure.pools[.production] = .init(connections: 4, stopped: trouble(.stopped)) },
        Outage(
            "a key that is refused", begins: "error APNs refuses our key or topic", ends: "APNs takes pushes again",
            degraded: "apns sandbox: apns: cause, reason"
        ) { measure, _ in measure.pools[.sandbox] = .init(connections: 4, stopped: trouble(.refused)) },
        Outage(
            "a host out of reach", begins: "warning APNs cannot be reached", ends: "APNs takes pushes again",
            degraded: "apns production: apns: cause, reason"
        ) { measure, _ in measure.pools[.production] = .init(lost: trouble(.unreachable)) },
        Outage(
            "a match that waits", begins: "warning Phones lack a version", ends: "phones wait no longer",
            degraded: "matches: APNs accepts nothing for the phones of 1"
        ) { _, backlog in
            backlog.phones = 3
            backlog.add(.init(since: 9_000_000_000, version: 2, phones: 3))
        },
        Outage(
            "a match whose phones are all refused", begins: "warning APNs refuses every phone of a match",
            ends: "takes pushes to a match's phones again",
            degraded: "matches: APNs accepts nothing for the phones of 1"
        ) { _, backlog in backlog.leftOut.backingOff = 3 },
        Outage(
            "a channel", begins: "warning APNs throttles a channel", ends: "takes a channel's publishes again",
            degraded: "channels: APNs throttles 1"
        ) { _, backlog in
            let key = ChannelKey(
                match: Harness.match, environment: .production, audience: AudienceClass(.all), generation: 1)
            backlog.channels = [
                .init(key: key, listeners: 9, wait: nil, acceptedAt: 5, restsUntil: 60_000_000_000, perMinute: 6)
            ]
        },
    ]

    @Test(arguments: outages)
    private func anOutageIsALineAtItsBeginningAndOneAtItsEnd(_ outage: Outage) {
        let (lines, readiness) = (LogLines(), Readiness())
        var outages = Outages()
        for (measure, degraded) in [
            (FanOutMeasure(), []), (outage.measure, [outage.degraded]), (outage.measure, [outage.degraded]),
            (FanOutMeasure(), []), (FanOutMeasure(), []),
        ] {
            outages.note(measure, at: 30_000_000_000, lines.logger, readiness)
            #expect(readiness.degraded.map { "\($0.name): \($0.reason ?? "")" } == degraded)
            #expect(readiness.isReady)
        }
        #expect(lines.all.count == 2, "\(lines.all)")
        #expect(lines.all.first?.contains(outage.begins) == true, "\(lines.all)")
        #expect(lines.all.last?.contains(outage.ends) == true, "\(lines.all)")
        #expect(lines.all.last?.contains("notice") == true)
    }

    /// A connection that is there, or a wait of 20 s.
    @Test func whatMayStillGetThroughIsNoOutage() {
        let (lines, readiness) = (LogLines(), Readiness())
        var outages = Outages()
        var measure = FanOutMeasure()
        measure.pools[.production] = .init(connections: 1, lost: Self.trouble(.unreachable))
        var backlog = MatchBacklog()
        backlog.phones = 3
        backlog.add(.init(since: 10_000_000_000, version: 2, phones: 3))
        measure.backlogs[Harness.match] = backlog
        outages.note(measure, at: 30_000_000_000, lines.logger, readiness)
        #expect(lines.all.isEmpty && readiness.degraded.isEmpty, "\(lines.all)")
    }

    /// Each thread has its own connections, and finds out by itself.
    @Test func aHostThatTakesNothingIsOneLineWhateverTheThreads() async throws {
        let (lines, readiness) = (LogLines(), Readiness())
        try await Harness.with { harness in
            try await harness.crowd(600)
            await harness.apns.answer { _, _ in StubAPNs.refusal(.serviceUnavailable) }
            try await harness.coordinate(
                settings: ["PUSH_THREADS": "2"], logger: lines.logger, readiness: readiness
            ) { coordinator in
                await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                try await eventually("it is said", within: .seconds(20)) { lines.count("APNs is in trouble") == 1 }
                try await eventually("it is degraded") { readiness.degraded.map(\.name).contains("apns production") }
                #expect(readiness.isReady)
                #expect(lines.count("warning APNs refuses a push") == 1)
                await harness.apns.answer(nil)
                try await eventually("it is over", within: .seconds(20)) {
                    lines.count("notice APNs takes pushes again") == 1
                }
                try await eventually("all is well") { readiness.degraded.isEmpty }
                #expect(lines.count("APNs is in trouble") == 1)
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
