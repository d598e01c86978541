import APNsProtocol
import Metrics
import Postgres
import ServiceKit
import SightscreenModels
import TestKit
import Testing

@testable import LACoordinator

/// What an operator hears of channels: those that are missing, those that no row names, calls that are refused.
@Suite struct ChannelWatchTests {
    @Test func aChannelThatNoRowNamesIsReportedAfterTenMinutes() async throws {
        try await Harness.with { harness in
            let store = ChannelStore(pool: harness.pool)
            let listed = [ChannelID("orphan"), ChannelID("known")]
            try await harness.askForChannel()
            try await harness.pool.execute("UPDATE broadcast_channels SET channel_id = 'known'")
            #expect(try await store.unknown(listed, in: .production).isEmpty)
            try await harness.pool.execute("UPDATE unknown_channels SET seen_at = now() - interval '11 minutes'")
            #expect(try await store.unknown(listed, in: .production) == [ChannelID("orphan")])
            #expect(try await store.unknown(listed, in: .sandbox).isEmpty, "first seen there now")
            #expect(try await store.unknown([], in: .production).isEmpty)
            #expect(try await store.unknown(listed, in: .production).isEmpty, "it was away, and counts anew")
        }
    }

    @Test func aChannelThatWasAskedForAMinuteAgoAndIsNotOpenIsMissing() async throws {
        try await Harness.with { harness in
            let store = ChannelStore(pool: harness.pool)
            func standing(shards: [Int] = [7]) async throws -> ChannelStore.Standing? {
                try await store.standing(shards: shards).first { $0.environment == .production }
            }
            try await harness.askForChannel()
            #expect(try await standing()?.missing == 0, "just asked for")
            try await harness.pool.execute("UPDATE broadcast_channels SET created_at = now() - interval '61 seconds'")
            #expect(try await standing()?.missing == 1)
            #expect(try await standing(shards: [8])?.missing == 0, "another holder counts it")
            try await harness.pool.execute("UPDATE broadcast_channels SET channel_id = 'one', opened_at = now()")
            #expect(try await standing()?.missing == 0)
            try await store.stopped(.production, reason: "CannotCreateChannelConfig", isOff: false)
            let full = try await standing()
            #expect(full?.missing == 0 && full?.isFull == true && full?.isOff == false, "open ones go on")
            try await store.stopped(.production, reason: "BroadcastFeatureNotEnabled", isOff: true)
            let off = try await standing()
            #expect(off?.missing == 1 && off?.isFull == false && off?.isOff == true, "it is lost")
            try await harness.pool.execute("UPDATE active_matches SET settled_at = now(), ended_at = now()")
            try await harness.pool.execute("UPDATE broadcast_stops SET since = now() - interval '61 minutes'")
            let over = try await standing()
            #expect(over?.missing == 0 && over?.isOff == false)
        }
    }

    /// The list is asked for before any match: it is the first call that a wrong key fails.
    @Test func aRefusedListIsCountedAndIsOneLineInTheLog() async throws {
        let registry = PrometheusRegistry()
        let lines = LogLines()
        try await Harness.with { harness in
            await harness.apns.refuseChannels(.invalidProviderToken)
            try await withMetricsFactory(registry) {
                try await harness.coordinate(logger: lines.logger) { _ in
                    try await eventually("both hosts' answers are told") { lines.count("InvalidProviderToken") == 2 }
                    for environment in ["production", "sandbox"] {
                        let labels = #"call="list",environment="\#(environment)",outcome="rejected""#
                        #expect(registry.text().contains("sightscreen_channel_calls_total{\(labels)} 1\n"))
                    }
                    #expect(registry.text().contains(#"sightscreen_channels_missing{environment="production"} 0"#))
                }
            }
        }
    }
}
