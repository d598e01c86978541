import Messages
import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct FreezeTests {
    private static let begin = ContinuousClock.now

    @Test func aLongGapBetweenBeatsClosesUntilAllWasReadSince() {
        let watch = FreezeWatch()
        func at(_ ms: Int) -> ContinuousClock.Instant { Self.begin + .milliseconds(ms) }
        watch.beat(at(0))
        #expect(watch.isAwake(at(500)))
        #expect(!watch.beat(at(500)) && watch.isAwake(at(500)))
        // Nobody has beaten yet: whoever asks first may be about to send.
        #expect(!watch.isAwake(at(1_001)))
        #expect(watch.beat(at(3_000)))
        #expect(!watch.isAwake(at(3_000)))
    }

    @Test func aReadingThatBeganBeforeTheGapDoesNotCount() {
        let watch = FreezeWatch()
        let before = watch.mark()
        watch.beat(.now + .seconds(60))
        for reading in FreezeWatch.Reading.allCases { watch.noteRead(reading, since: before) }
        #expect(!watch.isAwake())
        let after = watch.mark()
        watch.noteRead(.activities, since: after)
        #expect(!watch.isAwake())
        watch.noteRead(.holds, since: after)
        #expect(watch.isAwake())
    }

    @Test func whatWasReadLongAgoIsTooOldThoughTheProcessRuns() {
        let watch = FreezeWatch(ageMax: .seconds(1))
        let begin = ContinuousClock.now
        func at(_ ms: Int) -> ContinuousClock.Instant { begin + .milliseconds(ms) }
        #expect(!watch.isAwake(at(0)), "nothing was read yet")
        for reading in FreezeWatch.Reading.allCases { watch.noteRead(reading, since: watch.mark(at(0))) }
        watch.beat(at(500))
        watch.noteRead(.holds, since: watch.mark(at(600)))
        #expect(watch.isAwake(at(1_000)))
        watch.beat(at(1_000))
        #expect(!watch.isAwake(at(1_001)), "the activities were read a second ago")
        watch.noteRead(.activities, since: watch.mark(at(1_100)))
        #expect(watch.isAwake(at(1_600)))
        watch.beat(at(1_600))
        #expect(!watch.isAwake(at(1_601)), "and now the holds")
    }

    @Test func aLeaseIsTrustedForAsLongAsItIsOursAlone() {
        let trust = ShardTrust(FreezeWatch(), epoch: 1)
        trust.extend(to: .now + .seconds(60))
        #expect(trust.isHeld)
        trust.extend(to: .now)
        #expect(!trust.isHeld, "another may have it")
    }

    @Test func aLeaseThatRunsOnIsNotTrustedUntilAllWasRead() {
        let watch = FreezeWatch()
        let trust = ShardTrust(watch, epoch: 1)
        trust.extend(to: .now + .seconds(60))
        #expect(trust.isHeld)
        watch.beat(.now + .seconds(2))
        #expect(!trust.isHeld)
        for reading in FreezeWatch.Reading.allCases { watch.noteRead(reading, since: watch.mark()) }
        #expect(trust.isHeld)
    }

    /// It wakes with its lease, a version lies in its socket, and the database takes its time. Meanwhile a user has
    /// unfollowed, or the operator holds the match.
    @Test(arguments: ["live_activities", "holds"])
    func afterAFreezeNothingLeavesBeforeItHasReadWhatChanged(table: String) async throws {
        try await Ground.with { ground in
            let freezes = FreezeWatch(ageMax: FreezeWatch.ageMax)
            try await ground.coordinate(freezes: freezes) { coordinator in
                try await ground.join("asha")
                try await ground.join("ben")
                try await ground.pool.transaction { transaction in
                    // A busy machine may take long over what follows.
                    try await transaction.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    try await transaction.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
                    if table == "holds" {
                        try await transaction.execute(
                            "INSERT INTO holds (scope, level, set_by) VALUES ($1, 'pushes', 'asha')",
                            [.text(Ground.match.description)])
                    } else {
                        try await transaction.execute(
                            """
                            UPDATE live_activities SET status = 'ended', end_reason = 'user_unfollow',
                                ended_at = clock_timestamp(), end_push = 'due' WHERE user_id = 'asha'
                            """)
                    }
                    freezes.beat(.now + .seconds(60))
                    await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                    try await Task.sleep(for: .seconds(1))
                    #expect(await ground.apns.pushes.allSatisfy { $0.version == 1 })
                }
                if table == "holds" {
                    try await Task.sleep(for: .seconds(1.5))
                    #expect(await ground.apns.pushes.allSatisfy { $0.version == 1 })
                    try await ground.pool.execute("DELETE FROM holds")
                }
                try await eventually("ben has the newest state") { await ground.updates("ben").last?.version == 2 }
                if table != "holds" {
                    try await eventually("asha's activity ends") {
                        try await ground.status("asha") == "ended user_unfollow sent"
                    }
                    #expect(await ground.updates("asha").filter { $0.event == "update" }.allSatisfy { $0.version == 1 })
                }
            }
        }
    }

    /// It runs, and the database takes its time with what it asks. Others are answered: a user unfollows, the operator holds
    /// the match.
    @Test(arguments: ["live_activities", "holds"])
    func nothingLeavesWhileTheDatabaseDoesNotTellWhatChanged(table: String) async throws {
        try await Ground.with { ground in
            try await ground.coordinate { coordinator in
                try await ground.join("asha")
                try await ground.pool.transaction { transaction in
                    // A busy machine may take long over what follows.
                    try await transaction.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                    try await transaction.execute("LOCK TABLE \(table) IN ACCESS EXCLUSIVE MODE")
                    try await Task.sleep(for: FreezeWatch.ageMax + .milliseconds(100))
                    await coordinator.matchUpdated(MatchUpdated(update: try await ground.commit()))
                    try await Task.sleep(for: .milliseconds(500))
                    #expect(await ground.apns.pushes.allSatisfy { $0.version == 1 })
                }
                try await eventually("it has the newest state") { await ground.updates("asha").last?.version == 2 }
            }
        }
    }
}
