import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct StallTests {
    private static let begin = ContinuousClock.now

    @Test func aLongGapBetweenBeatsClosesUntilAllWasReadSince() {
        let detector = StallDetector()
        func at(_ ms: Int) -> ContinuousClock.Instant { Self.begin + .milliseconds(ms) }
        detector.beat(at(0))
        #expect(detector.isAwake(at(500)))
        #expect(!detector.beat(at(500)) && detector.isAwake(at(500)))
        // No loop has beaten yet: the first one that asks may be about to send.
        #expect(!detector.isAwake(at(1_001)))
        #expect(detector.beat(at(3_000)))
        #expect(!detector.isAwake(at(3_000)))
    }

    @Test func aReadingThatBeganBeforeTheGapDoesNotCount() {
        let detector = StallDetector()
        let before = detector.mark()
        detector.beat(.now + .seconds(60))
        for reading in StallDetector.Reading.allCases { detector.noteRead(reading, since: before) }
        #expect(!detector.isAwake())
        let after = detector.mark()
        detector.noteRead(.activities, since: after)
        #expect(!detector.isAwake())
        detector.noteRead(.holds, since: after)
        #expect(detector.isAwake())
    }

    @Test func whatWasReadLongAgoIsTooOldThoughTheProcessRuns() {
        let detector = StallDetector(ageMax: .seconds(1))
        let begin = ContinuousClock.now
        func at(_ ms: Int) -> ContinuousClock.Instant { begin + .milliseconds(ms) }
        #expect(!detector.isAwake(at(0)), "nothing was read yet")
        for reading in StallDetector.Reading.allCases { detector.noteRead(reading, since: detector.mark(at(0))) }
        detector.beat(at(500))
        detector.noteRead(.holds, since: detector.mark(at(600)))
        #expect(detector.isAwake(at(1_000)))
        detector.beat(at(1_000))
        #expect(!detector.isAwake(at(1_001)), "the activities were read a second ago")
        detector.noteRead(.activities, since: detector.mark(at(1_100)))
        #expect(detector.isAwake(at(1_600)))
        detector.beat(at(1_600))
        #expect(!detector.isAwake(at(1_601)), "and now the holds")
    }

    @Test func aLeaseIsTrustedForAsLongAsItIsOursAlone() {
        let trust = ShardTrust(StallDetector(), epoch: 1)
        trust.extend(to: .now + .seconds(60))
        #expect(trust.isHeld)
        trust.extend(to: .now)
        #expect(!trust.isHeld, "another may have it")
    }

    @Test func aLeaseThatRunsOnIsNotTrustedUntilAllWasRead() {
        let detector = StallDetector()
        let trust = ShardTrust(detector, epoch: 1)
        trust.extend(to: .now + .seconds(60))
        #expect(trust.isHeld)
        detector.beat(.now + .seconds(2))
        #expect(!trust.isHeld)
        for reading in StallDetector.Reading.allCases { detector.noteRead(reading, since: detector.mark()) }
        #expect(trust.isHeld)
    }

    /// It wakes with its lease, a version lies in its socket, and the database takes its time. Meanwhile a user has
    /// unfollowed, or the operator holds the match.
    @Test(arguments: ["live_activities", "holds"])
    func afterAStallNothingLeavesBeforeItHasReadWhatChanged(table: String) async throws {
        try await Harness.with { harness in
            let stalls = StallDetector(ageMax: StallDetector.ageMax)
            try await harness.coordinate(stalls: stalls) { coordinator in
                try await harness.join("asha")
                try await harness.join("ben")
                try await harness.pool.transaction { transaction in
                    // A busy machine may take long over what follows.
                    try await transaction.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    try await transaction.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
                    if table == "holds" {
                        try await transaction.execute(
                            "INSERT INTO holds (scope, level, set_by) VALUES ($1, 'pushes', 'asha')",
                            [.text(Harness.match.description)])
                    } else {
                        try await transaction.execute(
                            """
                            UPDATE live_activities SET status = 'ended', end_reason = 'user_unfollow',
                                ended_at = clock_timestamp(), end_push = 'due' WHERE user_id = 'asha'
                            """)
                    }
                    stalls.beat(.now + .seconds(60))
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await Task.sleep(for: .seconds(1))
                    #expect(await harness.apns.pushes.allSatisfy { $0.version == 1 })
                }
                if table == "holds" {
                    try await Task.sleep(for: .seconds(1.5))
                    #expect(await harness.apns.pushes.allSatisfy { $0.version == 1 })
                    try await harness.pool.execute("DELETE FROM holds")
                }
                try await eventually("ben has the newest state") { await harness.updates("ben").last?.version == 2 }
                if table != "holds" {
                    try await eventually("asha's activity ends") {
                        try await harness.status("asha") == "ended user_unfollow sent"
                    }
                    #expect(
                        await harness.updates("asha").filter { $0.event == "update" }.allSatisfy { $0.version == 1 })
                }
            }
        }
    }

    /// It runs, and the database takes its time with what it asks. Others are answered: a user unfollows, the operator
    /// holds the match.
    @Test(arguments: ["live_activities", "holds"])
    func nothingLeavesWhileTheDatabaseDoesNotTellWhatChanged(table: String) async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                try await harness.join("asha")
                try await harness.pool.transaction { transaction in
                    // A busy machine may take long over what follows.
                    try await transaction.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    try await transaction.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
                    try await Task.sleep(for: StallDetector.ageMax + .milliseconds(100))
                    await coordinator.matchUpdated(MatchUpdated(update: try await harness.commit()))
                    try await Task.sleep(for: .milliseconds(500))
                    #expect(await harness.apns.pushes.allSatisfy { $0.version == 1 })
                }
                try await eventually("it has the newest state") { await harness.updates("asha").last?.version == 2 }
            }
        }
    }
}
