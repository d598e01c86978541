import MatchOrchestrator
import LACoordinator
import APIGateway
import Activities
import FoundationEssentials
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@Suite struct AccountStoreTests {
    private static let ann = AccountHarness.ann
    private static let ben = AccountHarness.ben
    private static let match = AccountHarness.match

    // MARK: - Export

    @Test func exportsEverythingThatIsKeptAboutTheUserAndNothingOfAnother() async throws {
        try await AccountHarness.with { harness in
            let before = try await harness.now()
            for user in [Self.ann, Self.ben] {
                try await harness.phone("phone", of: user)
                try await harness.showActivity(on: "phone", of: user)
            }
            _ = try await harness.devices.register(
                DeviceRegistration(deviceId: DeviceID("pad"), platform: "ipados"), token: .keep, user: Self.ann)
            _ = try await harness.follows.change(
                Self.match, user: Self.ann, FollowStore.Change(team: .team("6"), alerts: .key))
            // A second activity on the phone: the first one ends, and both are kept.
            _ = try await harness.activities.register(
                ActivityTokenRequest(
                    activityToken: UpdateToken("second"), deviceId: DeviceID("phone"), activityId: ActivityID("other")),
                match: Self.match, user: Self.ann)
            for statement in [
                """
                UPDATE devices SET fallback_step = 'visible', fallback_at = clock_timestamp(),
                    visible_push_at = clock_timestamp() WHERE user_id = 'ann' AND device_id = 'phone'
                """,
                """
                UPDATE live_activities SET renewal_due_at = clock_timestamp(), renewal_start_id = 'again',
                    renewal_sent_at = clock_timestamp() WHERE user_id = 'ann' AND status = 'active'
                """,
            ] { try await harness.pool.execute(statement) }

            let data = try await harness.accounts.export(Self.ann)
            #expect(data.userId == Self.ann)
            #expect(data.exportedAt >= before)
            #expect(data.deletedAt == nil)
            #expect(data.devices.map(\.deviceId) == [DeviceID("pad"), DeviceID("phone")])
            let phone = try #require(data.devices.last)
            #expect(phone.environment == .sandbox && phone.osVersion == "18.1" && phone.appVersion == "2.0.1")
            let times = [
                phone.createdAt, phone.lastSeenAt, try #require(phone.deviceTokenAt),
                try #require(phone.pushToStartTokenAt), try #require(phone.fallbackAt),
                try #require(phone.visiblePushAt),
            ]
            #expect(times.allSatisfy { (before...before + 60).contains($0) })
            #expect(data.devices.first?.platform == "ipados" && data.devices.first?.deviceTokenAt == nil)
            #expect(data.devices.map(\.fallbackStep) == ["none", "visible"])

            let follow = try #require(data.follows.first)
            #expect(data.follows.count == 1)
            #expect(follow.matchId == Self.match && follow.teamId == "6" && follow.alerts == "key")
            #expect((before...before + 60).contains(follow.followedAt) && follow.expiresAt == nil)

            #expect(data.liveActivities.map(\.generation) == [2, 1])
            #expect(data.liveActivities.map(\.status) == ["active", "ended"])
            #expect(data.liveActivities.allSatisfy { $0.activityTokenAt != nil })
            #expect(data.liveActivities.last?.endReason == "match_end" && data.liveActivities.last?.endPush == "due")
            #expect(data.liveActivities.allSatisfy { $0.activatedAt != nil && $0.deviceId == DeviceID("phone") })
            #expect(data.liveActivities.map(\.renewalStartId) == [StartID("again"), nil])
            #expect(data.liveActivities.map { $0.renewalDueAt != nil && $0.renewalSentAt != nil } == [true, false])
            #expect(data.liveActivitiesOmitted == nil)

            let json = String(decoding: try JSONEncoder().encode(data), as: UTF8.self)
            #expect(!json.contains("ben"))
            for token in ["ann-phone-device", "ann-phone-start", "second", "ann-phone-1304076"] {
                #expect(!json.contains(token), "a token gives access to a Lock Screen")
            }
            #expect(json.contains(#""matchId":"1304076""#))
            #expect(try JSONDecoder().decode(UserDataResponse.self, from: Data(json.utf8)) == data)
        }
    }

    @Test func aUserOfWhomNothingIsKnownGetsAnEmptyExport() async throws {
        try await AccountHarness.with { harness in
            let data = try await harness.accounts.export(UserID("nobody"))
            #expect(data.devices.isEmpty && data.follows.isEmpty && data.liveActivities.isEmpty)
        }
    }

    @Test func anExportThatWouldBeTooLongSaysHowMuchIsLeftOut() async throws {
        try await AccountHarness.with { harness in
            try await harness.pool.execute(
                """
                INSERT INTO live_activities
                    (match_id, user_id, device_id, generation, route, shard, status, end_reason, ended_at, created_at)
                SELECT 1, 'ann', 'phone', n, 1, 1, 'ended', 'match_end', clock_timestamp(),
                    clock_timestamp() + n * interval '1 ms'
                FROM generate_series(1, \(AccountStore.exportedActivitiesMax) + 7) AS n
                """)
            let data = try await harness.accounts.export(Self.ann)
            #expect(data.liveActivities.count == AccountStore.exportedActivitiesMax)
            #expect(data.liveActivitiesOmitted == 7)
            #expect(data.liveActivities.last?.generation == 8)
        }
    }

    /// Follow and device come and go together: an export shows both or neither.
    @Test func anExportShowsOneMomentWhateverIsBeingWritten() async throws {
        try await AccountHarness.with { harness in
            let writer = Task {
                for _ in 0..<60 {
                    try await harness.pool.transaction { transaction in
                        try await transaction.execute("INSERT INTO match_follows (user_id, match_id) VALUES ('ann', 7)")
                        try await transaction.execute(
                            "INSERT INTO devices (user_id, device_id, route, shard) VALUES ('ann', 'phone', 1, 1)")
                    }
                    try await harness.pool.transaction { transaction in
                        try await transaction.execute("DELETE FROM devices WHERE user_id = 'ann'")
                        try await transaction.execute("DELETE FROM match_follows WHERE user_id = 'ann'")
                    }
                }
            }
            for _ in 0..<60 {
                let data = try await harness.accounts.export(Self.ann)
                #expect(data.devices.count == data.follows.count)
            }
            try await writer.value
        }
    }

    // MARK: - Deletion

    @Test func aDeletionEndsWhatRunsAndLeavesNothingThatReachesThePhone() async throws {
        try await AccountHarness.with { harness in
            let before = try await harness.now()
            let coming = MatchID(8)
            try await harness.play(coming)
            for user in [Self.ann, Self.ben] {
                try await harness.phone("phone", of: user)
                try await harness.showActivity(on: "phone", of: user)
                _ = try await harness.follows.follow(FollowRequest(matchId: coming), user: user)
            }
            let deletion = try await harness.accounts.delete(Self.ann, tokenIssuedAt: before)
            #expect(deletion.changedMatches == [Self.match, coming])
            #expect((before...before + 60).contains(deletion.deletedAt))

            let mine = "user_id = 'ann'"
            #expect(try await harness.count("match_follows", mine) == 0)
            #expect(try await harness.count("live_activities", "\(mine) AND status <> 'ended'") == 0)
            #expect(try await harness.count("live_activities", "\(mine) AND end_reason = 'user_unfollow'") == 2)
            // An end goes where there is a token, and where the phone's record says.
            #expect(
                try await harness.count(
                    "live_activities", "\(mine) AND match_id = 1304076 AND end_push = 'due' AND end_dismissal = 'now'")
                    == 1)
            #expect(try await harness.count("live_activities", "\(mine) AND match_id = 8 AND end_push = 'none'") == 1)
            let shard = DeviceRoute(user: Self.ann, device: DeviceID("phone")).shard
            let holds = try await LeaseStore(pool: harness.pool).acquire(
                [.shard(shard)], holder: "test/1", duration: .seconds(60)
            ).compactMap { ShardLease($0) }
            let ends = try await ActivityStore(pool: harness.pool).claimEnds(holds, limit: 10)
            #expect(ends.map(\.environment) == [.sandbox])
            #expect(
                try await harness.count(
                    "devices",
                    """
                    \(mine) AND device_token IS NULL AND push_to_start_token IS NULL AND os_version IS NULL
                        AND app_version IS NULL AND device_token_at IS NULL AND push_to_start_token_at IS NULL
                    """) == 1)
            #expect(try await harness.accounts.deletions() == [Self.ann: deletion.deletedAt])
            #expect(try await harness.accounts.export(Self.ann).deletedAt == deletion.deletedAt)

            let theirs = "user_id = 'ben'"
            #expect(try await harness.count("match_follows", theirs) == 2)
            #expect(try await harness.count("live_activities", "\(theirs) AND status = 'active'") == 1)
            #expect(try await harness.count("devices", "\(theirs) AND push_to_start_token IS NOT NULL") == 1)
        }
    }

    @Test func anEndThatWaitsToLingerIsSentToGoAtOnce() async throws {
        try await AccountHarness.with { harness in
            try await harness.phone("phone", of: Self.ann)
            try await harness.showActivity(on: "phone", of: Self.ann)
            try await harness.pool.execute(
                "UPDATE active_matches SET settled_at = clock_timestamp(), ended_at = clock_timestamp()")
            _ = try await harness.orchestrator.endActivities(hold: .zero, under: harness.lease)
            #expect(try await harness.count("live_activities", "end_push = 'due' AND end_dismissal = 'linger'") == 1)
            let deletion = try await harness.accounts.delete(Self.ann, tokenIssuedAt: 0)
            #expect(deletion.changedMatches == [Self.match])
            #expect(
                try await harness.count(
                    "live_activities", "end_push = 'due' AND end_dismissal = 'now' AND end_reason = 'match_end'") == 1)
        }
    }

    @Test func aRepetitionWithTheSameTokenChangesNothingAndALaterTokenDeletesAgain() async throws {
        try await AccountHarness.with { harness in
            let issued = try await harness.now()
            let first = try await harness.accounts.delete(Self.ann, tokenIssuedAt: issued)
            let second = try await harness.accounts.delete(Self.ann, tokenIssuedAt: issued)
            #expect(second.deletedAt == first.deletedAt && second.changedMatches.isEmpty)

            // The user has come back; a late repetition of the old request must not take the new account away.
            try await harness.ageRows("1 hour", since: Self.ann)
            try await harness.phone("phone", of: Self.ann)
            try await harness.showActivity(on: "phone", of: Self.ann)
            let late = try await harness.accounts.delete(Self.ann, tokenIssuedAt: issued - 3_600)
            #expect(late.changedMatches.isEmpty)
            #expect(try await harness.count("live_activities", "status = 'active'") == 1)

            let third = try await harness.accounts.delete(Self.ann, tokenIssuedAt: issued)
            #expect(third.changedMatches == [Self.match])
            #expect(third.deletedAt >= first.deletedAt)
            #expect(try await harness.count("match_follows") == 0)
        }
    }

    @Test func tokensOfTheDeletedAccountAreRefusedWithAMarginForTwoClocks() {
        let deletedAt = 1_700_000_000
        #expect(AccountStore.isRefused(issuedAt: deletedAt - 86_400, deletedAt: deletedAt))
        #expect(AccountStore.isRefused(issuedAt: deletedAt, deletedAt: deletedAt))
        #expect(AccountStore.isRefused(issuedAt: deletedAt + 10, deletedAt: deletedAt))
        #expect(!AccountStore.isRefused(issuedAt: deletedAt + 11, deletedAt: deletedAt))
        // What a token that is not refused writes is not taken for the deleted account's, even if the issuer's clock
        // is some seconds ahead.
        #expect(AccountStore.refusalMargin >= AccountErasure.margin + 5)
    }

    @Test func deletionsCanBeReadFromATimeOn() async throws {
        try await AccountHarness.with { harness in
            let old = try await harness.accounts.delete(Self.ann, tokenIssuedAt: 0)
            try await harness.ageRows("10 minutes", since: Self.ann)
            let new = try await harness.accounts.delete(Self.ben, tokenIssuedAt: 0)
            #expect(try await harness.accounts.deletions(since: new.deletedAt - 60) == [Self.ben: new.deletedAt])
            #expect(
                try await harness.accounts.deletions() == [Self.ben: new.deletedAt, Self.ann: old.deletedAt - 600])
        }
    }

    /// Whatever the order in which they come to the database: nothing is left running without a follow.
    @Test func aDeletionAmidRequestsAndAnOrchestratorsPassLeavesNothingRunning() async throws {
        try await AccountHarness.with { harness in
            for round in 0..<15 {
                let user = UserID("user-\(round)")
                try await harness.phone("phone", of: user)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // Refused when they come after the deletion.
                    func tried(_ body: () async throws -> Void) async throws {
                        do { try await body() } catch is AccountDeleted {}
                    }
                    group.addTask { try await tried { try await harness.showActivity(on: "phone", of: user) } }
                    group.addTask { try await tried { try await harness.phone("pad", of: user) } }
                    group.addTask { _ = try await harness.accounts.delete(user, tokenIssuedAt: 0) }
                    group.addTask {
                        _ = try await harness.orchestrator.createPending(for: Self.match, under: harness.lease)
                    }
                    group.addTask { _ = try await harness.accounts.export(user) }
                    try await group.waitForAll()
                }
                // What came after the deletion goes when the row is looked at again.
                try await harness.ageRows("6 seconds", since: user)
                try await harness.erase()
                _ = try await harness.orchestrator.endUnfollowed(under: harness.lease)
                let mine = "user_id = '\(user)'"
                #expect(try await harness.count("match_follows", mine) == 0)
                #expect(try await harness.count("live_activities", "\(mine) AND status <> 'ended'") == 0)
            }
        }
    }
}
