import MatchOrchestrator
import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// What the orchestrator takes away after an account was deleted.
@Suite struct ErasureTests {
    private static let ann = AccountHarness.ann
    private static let match = AccountHarness.match
    private static let tables = ["devices", "match_follows", "live_activities"]

    /// One phone that shows the match and one that is to be started, and an account that has just been deleted.
    private func withDeletedAccount(_ body: (AccountHarness) async throws -> Void) async throws {
        try await AccountHarness.with { harness in
            try await harness.phone("phone", of: Self.ann)
            try await harness.phone("pad", of: Self.ann)
            try await harness.showActivity(on: "phone", of: Self.ann)
            #expect(try await harness.count("live_activities", "status = 'pending'") == 1)
            _ = try await harness.accounts.delete(Self.ann, tokenIssuedAt: 0)
            try await body(harness)
        }
    }

    private func isEmpty(_ harness: AccountHarness) async throws -> Bool {
        for table in Self.tables where try await harness.count(table, "user_id = 'ann'") > 0 { return false }
        return true
    }

    /// A new table about a user is erased somewhere, too, before it comes into one of these lists.
    @Test func everyTableAboutAUserIsKnownHere() async throws {
        try await AccountHarness.with { harness in
            let found = try await harness.pool.query(
                """
                SELECT table_name::text AS name FROM information_schema.columns
                WHERE table_schema = current_schema AND column_name LIKE '%user_id'
                """
            ).map { try $0.string("name") }
            // Gone after their own time, if not with the deletion.
            #expect(Set(found) == Set(Self.tables + ["phone_claims", "bad_tokens", "deleted_users"]))
        }
    }

    @Test func nothingIsErasedBeforeTheCoordinatorsCanHaveSeenTheEnd() async throws {
        try await withDeletedAccount { harness in
            // Not a matter of how fast this test runs: it is deleted in a minute.
            try await harness.ageRows("-1 minute", since: Self.ann)
            try await harness.erase()
            #expect(try await harness.count("live_activities") == 2)
            #expect(try await harness.count("devices") == 2)
            try await harness.ageRows("1 minute 5 seconds", since: Self.ann)
            try await harness.erase()
            #expect(try await harness.count("live_activities") == 1)
            #expect(try await harness.count("devices") == 1)
        }
    }

    @Test func rowsStayWhileAnEndIsOwedAndGoWhenItIsSent() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("6 seconds", since: Self.ann)
            try await harness.erase()
            // The phone that was never started owes nothing.
            #expect(try await harness.count("live_activities", "device_id = 'pad'") == 0)
            #expect(try await harness.count("devices", "device_id = 'pad'") == 0)
            #expect(try await harness.count("live_activities", "end_push = 'due'") == 1)
            #expect(try await harness.count("devices", "environment = 'sandbox'") == 1)

            try await harness.ageRows("3 hours", since: Self.ann)
            try await harness.erase()
            #expect(try await harness.count("live_activities", "end_push = 'due'") == 1)

            try await harness.pool.execute("UPDATE live_activities SET end_push = 'sent'")
            try await harness.erase()
            #expect(try await isEmpty(harness))
            #expect(try await harness.count("deleted_users", "erased_at IS NOT NULL") == 1)
        }
    }

    @Test func fourHoursLaterNoEndIsOwedAnyMore() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("4 hours", since: Self.ann)
            try await harness.erase()
            #expect(try await isEmpty(harness))
        }
    }

    @Test func aTombstoneStaysForTwoDaysAndUntilEverythingIsErased() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("47 hours", since: Self.ann)
            try await harness.erase()
            #expect(try await isEmpty(harness))
            #expect(try await harness.accounts.deletions().count == 1)
            try await harness.ageRows("1 hour", since: Self.ann)
            try await harness.erase()
            #expect(try await harness.count("deleted_users") == 0)
        }
    }

    @Test func aTombstoneIsNotForgottenBeforeTheRowsAreGone() async throws {
        try await withDeletedAccount { harness in
            try await harness.pool.execute("UPDATE deleted_users SET deleted_at = deleted_at - interval '50 hours'")
            // The row says that its activity ended only now: the end is still owed.
            try await harness.pool.execute("UPDATE live_activities SET created_at = created_at - interval '50 hours'")
            try await harness.pool.execute("UPDATE devices SET last_seen_at = last_seen_at - interval '50 hours'")
            try await harness.erase()
            #expect(try await harness.count("live_activities", "end_push = 'due'") == 1)
            #expect(try await harness.count("deleted_users", "erased_at IS NULL") == 1)
        }
    }

    @Test func whatARequestUnderWayAsksForAfterTheDeletionIsRefused() async throws {
        try await withDeletedAccount { harness in
            let before = try await harness.count("live_activities")
            await #expect(throws: AccountDeleted.self) { try await harness.phone("phone", of: Self.ann) }
            await #expect(throws: AccountDeleted.self) {
                try await harness.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            }
            // Also amid others, which do not suffer from it.
            try await harness.showActivity(on: "phone", of: AccountHarness.ben)
            async let other: Void = harness.register("phone", of: AccountHarness.ben)
            await #expect(throws: AccountDeleted.self) { try await harness.register("late", of: Self.ann) }
            try await other
            #expect(try await harness.count("live_activities") == before + 1)
            try await harness.ageRows("10 seconds", since: Self.ann)
            try await harness.phone("phone", of: Self.ann)
        }
    }

    /// No push ends a card that listens to a channel: its app has to be asked, for eight hours at most.
    @Test(arguments: [(sent: true, age: "1 minute"), (sent: false, age: "9 hours")])
    func aPhoneThatListensIsAskedBeforeItIsForgotten(sent: Bool, age: String) async throws {
        try await AccountHarness.with { harness in
            for device in ["phone", "pad"] { try await harness.phone(device, of: Self.ann) }
            try await harness.showActivity(on: "phone", of: Self.ann)
            try await harness.pool.execute(
                "UPDATE live_activities SET channel_id = 'Y2g=', update_token = NULL WHERE status = 'active'")
            _ = try await harness.accounts.delete(Self.ann, tokenIssuedAt: 0)
            #expect(try await harness.count("devices", "device_id = 'phone' AND device_token IS NOT NULL") == 1)
            #expect(try await harness.count("devices", "device_id = 'pad' AND device_token IS NULL") == 1)
            #expect(try await harness.count("devices", "push_to_start_token IS NOT NULL") == 0)
            try await harness.ageRows("10 minutes", since: Self.ann)
            try await harness.erase()
            #expect(try await harness.count("devices", "reconcile_due_at IS NOT NULL") == 1)
            #expect(try await harness.count("devices") == 1)
            #expect(try await harness.count("live_activities", "channel_id IS NOT NULL") == 1)
            try await harness.pool.execute(
                sent
                    ? "UPDATE devices SET reconcile_due_at = NULL, reconcile_sent_at = clock_timestamp()"
                    : "UPDATE devices SET left_at = left_at - interval '7 hours'")
            // The push may yet come back; it may go for an hour more.
            try await harness.erase()
            #expect(try await harness.count("devices") == 1)
            try await harness.pool.execute(
                sent
                    ? "UPDATE devices SET reconcile_sent_at = reconcile_sent_at - interval '2 minutes'"
                    : "UPDATE devices SET left_at = left_at - interval '1 hour'")
            try await harness.ageRows(age, since: Self.ann)
            try await harness.erase()
            #expect(try await isEmpty(harness))
        }
    }

    /// Not by a gateway of today; but whatever stands there goes.
    @Test func whatWasMadeAfterTheDeletionGoesToo() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("11 seconds", since: Self.ann)
            try await harness.phone("phone", of: Self.ann)
            _ = try await harness.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            _ = try await harness.activities.register(
                ActivityTokenRequest(
                    activityToken: UpdateToken("late"), deviceId: DeviceID("phone"), activityId: ActivityID("late")),
                match: Self.match, user: Self.ann)
            for (table, column) in [
                ("match_follows", "created_at"), ("live_activities", "created_at"), ("devices", "last_seen_at"),
            ] {
                try await harness.pool.execute(
                    "UPDATE \(table) SET \(column) = least(\(column), clock_timestamp() - interval '10 seconds')")
            }
            try await harness.pool.execute(
                """
                UPDATE devices SET device_token_at = least(device_token_at, last_seen_at),
                    push_to_start_token_at = least(push_to_start_token_at, last_seen_at)
                """)
            try await harness.erase()
            #expect(try await harness.count("match_follows") == 0)
            #expect(try await harness.count("live_activities", "status = 'active'") == 1)
            // It runs on a phone: it is ended before it is erased.
            _ = try await harness.orchestrator.endUnfollowed(under: harness.lease)
            try await harness.erase()
            #expect(try await harness.count("live_activities", "end_push = 'due'") > 0)
            #expect(try await harness.count("devices", "device_id = 'phone'") == 1)
            try await harness.pool.execute("UPDATE live_activities SET end_push = 'sent'")
            try await harness.ageRows("1 minute", since: Self.ann)
            try await harness.erase()
            #expect(try await isEmpty(harness))
            #expect(try await harness.count("deleted_users", "erased_at IS NOT NULL") == 1)
        }
    }

    /// On the same phone, whose record of the deleted account is still there because an end is owed.
    @Test func aUserWhoComesBackKeepsWhatIsNew() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("2 minutes", since: Self.ann)
            try await harness.phone("phone", of: Self.ann)
            _ = try await harness.follows.follow(FollowRequest(matchId: Self.match), user: Self.ann)
            #expect(try await harness.count("live_activities", "status = 'pending' AND generation = 2") == 1)
            try await harness.pool.execute("UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
            try await harness.erase()
            #expect(try await harness.count("deleted_users", "erased_at IS NOT NULL") == 1)

            let data = try await harness.accounts.export(Self.ann)
            #expect(data.devices.map(\.deviceId) == [DeviceID("phone")])
            #expect(data.devices.first?.pushToStartTokenAt != nil)
            #expect(data.follows.map(\.matchId) == [Self.match])
            #expect(data.liveActivities.map(\.generation) == [2])
            #expect(data.liveActivities.first?.status == "pending")
        }
    }

    @Test func manyAccountsAreErasedInBitesAndOthersAreLeftAlone() async throws {
        try await AccountHarness.with { harness in
            for number in 0..<7 {
                let user = UserID("user-\(number)")
                try await harness.phone("phone", of: user)
                try await harness.showActivity(on: "phone", of: user)
                guard number > 0 else { continue }
                _ = try await harness.accounts.delete(user, tokenIssuedAt: 0)
                try await harness.ageRows("5 hours", since: user)
            }
            try await harness.erase()
            for table in Self.tables { #expect(try await harness.count(table, "user_id = 'user-0'") == 1) }
            for table in Self.tables { #expect(try await harness.count(table) == 1) }
            #expect(try await harness.count("deleted_users", "erased_at IS NOT NULL") == 6)
        }
    }

    @Test func aStaleEpochErasesNothing() async throws {
        try await withDeletedAccount { harness in
            try await harness.ageRows("5 hours", since: Self.ann)
            let leases = LeaseStore(pool: harness.pool)
            try await leases.release([.orchestrator], holder: "test/1")
            _ = try await leases.acquire([.orchestrator], holder: "other/1", duration: .seconds(60))
            await #expect(throws: StoreError.self) { try await harness.erase() }
            #expect(try await harness.count("live_activities") == 2)
            #expect(try await harness.count("devices") == 2)
        }
    }
}
