import MatchOrchestrator
import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// What the orchestrator takes away after an account was deleted.
@Suite struct ErasureTests {
    private static let ann = AccountGround.ann
    private static let match = AccountGround.match
    private static let tables = ["devices", "match_follows", "live_activities"]

    /// One phone that shows the match and one that is to be started, and an account that has just been deleted.
    private func withDeletedAccount(_ body: (AccountGround) async throws -> Void) async throws {
        try await AccountGround.with { ground in
            try await ground.phone("phone", of: Self.ann)
            try await ground.phone("pad", of: Self.ann)
            try await ground.watch(on: "phone", of: Self.ann)
            #expect(try await ground.count("live_activities", "status = 'pending'") == 1)
            _ = try await ground.accounts.delete(Self.ann, tokenIssuedAt: 0)
            try await body(ground)
        }
    }

    private func isEmpty(_ ground: AccountGround) async throws -> Bool {
        for table in Self.tables where try await ground.count(table, "user_id = 'ann'") > 0 { return false }
        return true
    }

    @Test func nothingIsErasedBeforeTheCoordinatorsCanHaveSeenTheEnd() async throws {
        try await withDeletedAccount { ground in
            // Not a matter of how fast this test runs: it is deleted in a minute.
            try await ground.letPass("-1 minute", since: Self.ann)
            try await ground.erase()
            #expect(try await ground.count("live_activities") == 2)
            #expect(try await ground.count("devices") == 2)
            try await ground.letPass("1 minute 5 seconds", since: Self.ann)
            try await ground.erase()
            #expect(try await ground.count("live_activities") == 1)
            #expect(try await ground.count("devices") == 1)
        }
    }

    @Test func rowsStayWhileAnEndIsOwedAndGoWhenItIsSent() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("6 seconds", since: Self.ann)
            try await ground.erase()
            // The phone that was never started owes nothing.
            #expect(try await ground.count("live_activities", "device_id = 'pad'") == 0)
            #expect(try await ground.count("devices", "device_id = 'pad'") == 0)
            #expect(try await ground.count("live_activities", "end_push = 'due'") == 1)
            #expect(try await ground.count("devices", "environment = 'sandbox'") == 1)

            try await ground.letPass("3 hours", since: Self.ann)
            try await ground.erase()
            #expect(try await ground.count("live_activities", "end_push = 'due'") == 1)

            try await ground.pool.execute("UPDATE live_activities SET end_push = 'sent'")
            try await ground.erase()
            #expect(try await isEmpty(ground))
            #expect(try await ground.count("deleted_users", "erased_at IS NOT NULL") == 1)
        }
    }

    @Test func fourHoursLaterNoEndIsOwedAnyMore() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("4 hours", since: Self.ann)
            try await ground.erase()
            #expect(try await isEmpty(ground))
        }
    }

    @Test func aTombstoneStaysForTwoDaysAndUntilEverythingIsErased() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("47 hours", since: Self.ann)
            try await ground.erase()
            #expect(try await isEmpty(ground))
            #expect(try await ground.accounts.deletions().count == 1)
            try await ground.letPass("1 hour", since: Self.ann)
            try await ground.erase()
            #expect(try await ground.count("deleted_users") == 0)
        }
    }

    @Test func aTombstoneIsNotForgottenBeforeTheRowsAreGone() async throws {
        try await withDeletedAccount { ground in
            try await ground.pool.execute("UPDATE deleted_users SET deleted_at = deleted_at - interval '50 hours'")
            // The row says that its activity ended only now: the end is still owed.
            try await ground.pool.execute("UPDATE live_activities SET created_at = created_at - interval '50 hours'")
            try await ground.pool.execute("UPDATE devices SET last_seen_at = last_seen_at - interval '50 hours'")
            try await ground.erase()
            #expect(try await ground.count("live_activities", "end_push = 'due'") == 1)
            #expect(try await ground.count("deleted_users", "erased_at IS NULL") == 1)
        }
    }

    @Test func whatARequestUnderWayAsksForAfterTheDeletionIsRefused() async throws {
        try await withDeletedAccount { ground in
            let before = try await ground.count("live_activities")
            await #expect(throws: AccountDeleted.self) { try await ground.phone("phone", of: Self.ann) }
            await #expect(throws: AccountDeleted.self) {
                try await ground.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            }
            // Also amid others, which do not suffer from it.
            try await ground.watch(on: "phone", of: AccountGround.ben)
            async let other: Void = ground.register("phone", of: AccountGround.ben)
            await #expect(throws: AccountDeleted.self) { try await ground.register("late", of: Self.ann) }
            try await other
            #expect(try await ground.count("live_activities") == before + 1)
            try await ground.letPass("10 seconds", since: Self.ann)
            try await ground.phone("phone", of: Self.ann)
        }
    }

    /// Not by a gateway of today; but whatever stands there goes.
    @Test func whatWasMadeAfterTheDeletionGoesToo() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("11 seconds", since: Self.ann)
            try await ground.phone("phone", of: Self.ann)
            _ = try await ground.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            _ = try await ground.activities.register(
                ActivityTokenRequest(
                    activityToken: UpdateToken("late"), deviceId: DeviceID("phone"), activityId: ActivityID("late")),
                match: Self.match, user: Self.ann)
            for (table, column) in [
                ("match_follows", "created_at"), ("live_activities", "created_at"), ("devices", "last_seen_at"),
            ] {
                try await ground.pool.execute(
                    "UPDATE \(table) SET \(column) = least(\(column), clock_timestamp() - interval '10 seconds')")
            }
            try await ground.pool.execute(
                """
                UPDATE devices SET device_token_at = least(device_token_at, last_seen_at),
                    push_to_start_token_at = least(push_to_start_token_at, last_seen_at)
                """)
            try await ground.erase()
            #expect(try await ground.count("match_follows") == 0)
            #expect(try await ground.count("live_activities", "status = 'active'") == 1)
            // It runs on a phone: it is ended before it is erased.
            _ = try await ground.orchestrator.endUnfollowed(under: ground.lease)
            try await ground.erase()
            #expect(try await ground.count("live_activities", "end_push = 'due'") > 0)
            #expect(try await ground.count("devices", "device_id = 'phone'") == 1)
            try await ground.pool.execute("UPDATE live_activities SET end_push = 'sent'")
            try await ground.letPass("1 minute", since: Self.ann)
            try await ground.erase()
            #expect(try await isEmpty(ground))
            #expect(try await ground.count("deleted_users", "erased_at IS NOT NULL") == 1)
        }
    }

    /// On the same phone, whose record of the deleted account is still there because an end is owed.
    @Test func aUserWhoComesBackKeepsWhatIsNew() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("2 minutes", since: Self.ann)
            try await ground.phone("phone", of: Self.ann)
            _ = try await ground.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            #expect(try await ground.count("live_activities", "status = 'pending' AND generation = 2") == 1)
            try await ground.pool.execute("UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
            try await ground.erase()
            #expect(try await ground.count("deleted_users", "erased_at IS NOT NULL") == 1)

            let data = try await ground.accounts.export(Self.ann)
            #expect(data.devices.map(\.deviceId) == [DeviceID("phone")])
            #expect(data.devices.first?.pushToStartToken == PushToStartToken("ann-phone-start"))
            #expect(data.follows.map(\.matchId) == [Self.match])
            #expect(data.liveActivities.map(\.generation) == [2])
            #expect(data.liveActivities.first?.status == "pending")
        }
    }

    @Test func manyAccountsAreErasedInBitesAndOthersAreLeftAlone() async throws {
        try await AccountGround.with { ground in
            for number in 0..<7 {
                let user = UserID("user-\(number)")
                try await ground.phone("phone", of: user)
                try await ground.watch(on: "phone", of: user)
                guard number > 0 else { continue }
                _ = try await ground.accounts.delete(user, tokenIssuedAt: 0)
                try await ground.letPass("5 hours", since: user)
            }
            try await ground.erase()
            for table in Self.tables { #expect(try await ground.count(table, "user_id = 'user-0'") == 1) }
            for table in Self.tables { #expect(try await ground.count(table) == 1) }
            #expect(try await ground.count("deleted_users", "erased_at IS NOT NULL") == 6)
        }
    }

    @Test func aStaleEpochErasesNothing() async throws {
        try await withDeletedAccount { ground in
            try await ground.letPass("5 hours", since: Self.ann)
            let leases = LeaseStore(pool: ground.pool)
            try await leases.release([.orchestrator], holder: "test/1")
            _ = try await leases.acquire([.orchestrator], holder: "other/1", duration: .seconds(60))
            await #expect(throws: StoreError.self) { try await ground.erase() }
            #expect(try await ground.count("live_activities") == 2)
            #expect(try await ground.count("devices") == 2)
        }
    }
}
