import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct StampTests {
    /// When play starts, tokens come to all coordinators within a second, each of which takes stamps of the same row.
    @Test func noStampHasToBeWaitedFor() async throws {
        try await Harness.with { harness in
            let store = ActivityStore(pool: harness.pool)
            var last: FreshStamp?
            for _ in 0..<8 {
                let fresh = try #require(try await store.takeStamp(Harness.match))
                #expect(fresh.stamp.rawValue <= Int(fresh.at) + 1, "it runs a second ahead at most")
                if let last {
                    #expect(last.stamp <= fresh.stamp)
                    // The first one may be of the present second, which a token of it would not take.
                    #expect(fresh.stamp.rawValue > Int(last.at), "whoever registered before takes it")
                }
                last = fresh
            }
            #expect(try await store.takeStamp(MatchID(9)) == nil)
        }
    }

    /// Pushes with an alert are given up by APNs a minute after the event. Whoever told it may be gone by then.
    @Test func theStateOfAnAlertIsRepeatedAMinuteLaterWhicheverProcessSentIt() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                let wicket = try await harness.commit(alert: .wicket, ageOfEvent: 20)
                await coordinator.matchUpdated(MatchUpdated(update: wicket))
                try await eventually("it has the wicket") { await harness.updates("asha").last?.version == 2 }
                try await eventually("that is settled") {
                    try await harness.pool.query(
                        "SELECT 1 FROM bucket_progress WHERE settled_stamp >= $1",
                        [
                            .int(wicket.stamp.rawValue)
                        ]
                    ).count == 1
                }
            }
            // As if it had been a while.
            try await harness.pool.execute(
                """
                UPDATE match_updates
                SET alert = jsonb_set(alert, '{eventAt}', to_jsonb((alert->>'eventAt')::bigint - 37))
                WHERE alert IS NOT NULL
                """)
            try await harness.pool.execute("UPDATE live_activities SET token_at = token_at - interval '1 minute'")
            try await harness.coordinate(instance: "b") { _ in
                try await eventually("it comes again") { await harness.updates("asha").count { $0.version == 2 } == 2 }
            }
            let pushes = await harness.updates("asha").filter { $0.version == 2 }
            let (first, second) = (try #require(pushes.first), try #require(pushes.last))
            #expect(first.alert != nil && second.alert == nil && second.priority == 5)
            #expect(second.timestamp > first.timestamp)
        }
    }
}
