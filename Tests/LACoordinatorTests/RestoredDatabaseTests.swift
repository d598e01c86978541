import FoundationEssentials
import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import LACoordinator

/// A database that was restored to an earlier version while coordinators run. The numbers begin again there; the stamps
/// go on.
@Suite struct RestoredDatabaseTests {
    /// How a coordinator hears of the versions after the restore.
    enum Way: CaseIterable { case message, hint, pass }

    private static func goBack(_ harness: Harness, to version: Int) async throws {
        try await harness.pool.execute("DELETE FROM match_updates WHERE version > $1", [.int(version)])
        try await harness.pool.execute("DELETE FROM alert_claims WHERE alert_version > $1", [.int(version)])
        try await harness.pool.execute(
            """
            UPDATE active_matches AS a SET version = u.version, content_state = u.content_state
            FROM match_updates AS u WHERE u.match_id = a.match_id AND u.version = $1
            """, [.int(version)])
    }

    private static func hint(_ update: MatchUpdate, _ harness: Harness) async throws {
        try await harness.pool.execute(
            "SELECT pg_notify('match_updates', $1)",
            [.text("\(update.matchID) \(update.version) \(update.stamp)")])
    }

    @Test(arguments: Way.allCases) func theVersionsAfterItGoOutAtOnceAndInOrder(way: Way) async throws {
        try await Harness.with { harness in
            // Without a message or a hint only a pass reads.
            let timing = LACoordinator.Timing(
                interval: way == .pass ? .milliseconds(100) : .seconds(600), auditInterval: .seconds(60))
            try await harness.coordinate(timing: way == .pass ? timing : nil) { _ in try await harness.join("asha") }
            try await harness.coordinate(timing: timing) { coordinator in
                func commit(_ kind: EventKind? = nil) async throws {
                    let update = try await harness.commit(alert: kind)
                    switch way {
                    case .message: await coordinator.matchUpdated(MatchUpdated(update: update))
                    case .hint: try await Self.hint(update, harness)
                    case .pass: break
                    }
                    try await eventually("version \(update.version) is there", within: .seconds(3)) {
                        await harness.updates("asha").last?.timestamp == update.stamp.rawValue
                    }
                }
                let kinds: [EventKind?] = [nil, .wicket, nil, .inningsBreak, nil, nil, .wicket]
                try await eventually("it listens") { coordinator.stops(.pushes, of: Harness.match) == false }
                for kind in kinds { try await commit(kind) }
                try await Self.goBack(harness, to: 3)
                for kind in [EventKind.wicket, nil, .inningsBreak, nil] { try await commit(kind) }
            }
            let told = await harness.updates("asha").filter { $0.version > 1 }
            #expect(told.map(\.version) == [2, 3, 4, 5, 6, 7, 8, 4, 5, 6, 7])
            #expect(
                told.map(\.alert) == [
                    nil, "wicket 3", nil, "inningsBreak 5", nil, nil, "wicket 8", "wicket 4", nil, "inningsBreak 6",
                    nil,
                ])
            #expect(told.map(\.timestamp) == told.map(\.timestamp).sorted())
        }
    }

    /// It heard nothing for a while: what was missed comes with the first version, and none of it twice.
    @Test func anAlertThatWasMissedAfterItGoesWithTheVersionThatShowsIt() async throws {
        try await Harness.with { harness in
            try await harness.crowd(1)
            let parts = try await Parts(harness)
            try await parts.acquire()
            try await parts.update()
            for _ in 0..<5 { await parts.publisher.publish(try await harness.commit()) }
            try await Self.goBack(harness, to: 2)
            _ = try await harness.commit(alert: .wicket)
            let newest = try await harness.commit()
            await parts.publisher.publish(newest)
            let apns = parts.bench.apns
            try await eventually("the alert is told") { await apns.pushes.contains { $0.alert != nil } }
            try await parts.publisher.read()
            await parts.publisher.publish(newest)
            #expect(await apns.pushes.last?.timestamp == newest.stamp.rawValue)
            #expect(await apns.pushes.compactMap(\.alert) == ["wicket 3"])
            await parts.bench.end()
        }
    }
}
