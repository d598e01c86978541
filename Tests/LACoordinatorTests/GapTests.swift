import FoundationEssentials
import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Versions that a coordinator did not hear of.
@Suite struct GapTests {
    /// Of the version with the alert nobody heard: it is among those that the next one shows to be missing.
    @Test func anAlertThatWasMissedGoesWithTheVersionThatShowsIt() async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            try await parts.publisher.read()
            let missed = try await harness.commit(alert: .wicket)
            await parts.publisher.publish(try await harness.commit())
            let apns = parts.bench.apns
            try await eventually("the alert is told") { await apns.pushes.contains { $0.alert != nil } }
            #expect(await apns.pushes.filter { $0.version > 1 }.map(\.version) == [missed.version.rawValue + 1])
            await parts.bench.end()
        }
    }

    /// Two versions are published at once, by notification and from the log: the loops have the newer one whichever
    /// comes first.
    @Test(arguments: 0..<20)
    func theNewerOfTwoThatArePublishedAtOnceGoesOut(round: Int) async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            let updates = [try await harness.commit(alert: .wicket), try await harness.commit()]
            async let first: Void = parts.publisher.publish(updates[round % 2])
            async let second: Void = parts.publisher.publish(updates[1 - round % 2])
            async let third: Void? = try? parts.publisher.read()
            _ = await (first, second, third)
            let apns = parts.bench.apns
            try await eventually("the newest is there") {
                await apns.pushes.last?.version == updates[1].version.rawValue
            }
            #expect(await apns.pushes.count { $0.alert != nil } == 1)
            #expect(await parts.bench.fanOut.progress([Harness.match])[0].version == updates[1].version.rawValue)
            await parts.bench.end()
        }
    }

    /// The versions of many matches are committed in a moment on another host, more than there is room for their
    /// notifications.
    @Test func versionsThatAreNotifiedTogetherDoNotWaitForTheNextFullReading() async throws {
        try await Harness.with { harness in
            let state = String(decoding: try JSONEncoder().encode(Harness.state(1)), as: UTF8.self)
            try await harness.pool.execute(
                """
                WITH matches AS (
                    INSERT INTO active_matches (match_id, display_state, went_live_at, version, stamp, content_state)
                    SELECT n, 'live', now(), 0, 0, $1 FROM generate_series(1, 200) AS n RETURNING match_id
                )
                INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at)
                SELECT match_id, 'production', 0, 1, 7, 'channel ' || match_id, now() FROM matches
                """, [.text(state)])
            func commit() async throws {
                try await harness.pool.execute(
                    """
                    WITH written AS (
                        UPDATE active_matches SET version = version + 1,
                            stamp = greatest(stamp + 1, floor(extract(epoch FROM clock_timestamp()))::bigint)
                        WHERE match_id <= 200 RETURNING match_id, version, stamp
                    ), logged AS (
                        INSERT INTO match_updates (match_id, version, stamp, content_state, priority)
                        SELECT match_id, version, stamp, $1, 5 FROM written RETURNING match_id, version, stamp
                    )
                    SELECT pg_notify('match_updates', match_id || ' ' || version || ' ' || stamp) FROM logged
                    """, [.text(state)])
            }
            try await commit()
            let timing = LACoordinator.Timing(interval: .seconds(600), auditInterval: .seconds(60))
            try await harness.coordinate(timing: timing) { _ in
                try await eventually("each channel has the first", within: .seconds(60)) {
                    await harness.apns.pushes.count == 200
                }
                try await commit()
                // A channel's pace lets the next one go after 5 s.
                try await eventually("each channel has the second", within: .seconds(60)) {
                    await harness.apns.pushes.count == 400
                }
            }
        }
    }

    /// The first that a new process hears of a match: what was committed while nobody pushed goes with it.
    @Test func aCoordinatorThatHasJustBegunHasNotHeardOfAnything() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { _ in try await harness.join("asha") }
            _ = try await harness.commit(alert: .wicket)
            let newest = try await harness.commit(alert: .inningsBreak)
            try await harness.coordinate(instance: "b") { coordinator in
                await coordinator.matchUpdated(MatchUpdated(update: newest))
                try await eventually("the newest state is there") {
                    await harness.updates("asha").last?.version == newest.version.rawValue
                }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(await harness.updates("asha").map(\.alert) == [nil, "inningsBreak 3"])
            #expect(await harness.updates("asha").last?.alertBody == "b · wicket 2")
        }
    }
}
