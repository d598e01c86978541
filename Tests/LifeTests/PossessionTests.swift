import APIGateway
import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Tokens
import Testing

/// Ann's phone has tokens and a card; Bob registers those tokens, because he has the phone now, or because he learnt
/// them.
@Suite struct PossessionTests {
    private static let match = MatchID(1)
    private static let ann = UserID("ann"), bob = UserID("bob")
    private static let phone = DeviceID("phone"), other = DeviceID("other")

    private struct Harness {
        var pool: PostgresPool
        var vault: TokenVault
        var shards: [ShardLease]
        var activities: ActivityStore { ActivityStore(pool: pool, vault: vault) }
        var devices: DeviceStore { DeviceStore(pool: pool, vault: vault) }

        init(_ pool: PostgresPool, _ vault: TokenVault) async throws {
            self.pool = pool
            self.vault = vault
            shards = try await LeaseStore(pool: pool).acquire(
                (0..<64).map { .shard($0) }, holder: "test/1", duration: .seconds(600)
            ).compactMap { ShardLease($0) }
            try await pool.execute(
                """
                INSERT INTO active_matches (match_id, display_state, version, stamp, content_state, went_live_at)
                VALUES (1, 'live', 1, 100, '{}', clock_timestamp() - interval '1 hour')
                """)
            #expect(try await register("dd", ann) == nil)
            #expect(try await start("aa", ann) == nil)
            try await follow(ann)
            #expect(try await update("ee", ann) == .activate(generation: 1))
        }

        /// - Returns: what it waits for.
        func register(_ token: String, _ user: UserID, _ device: DeviceID = phone) async throws -> TokenWait? {
            try await answer(token, user, device).waitsFor
        }

        func answer(_ token: String, _ user: UserID, _ device: DeviceID = phone) async throws -> DeviceStore.Registered
        {
            try await devices.register(
                DeviceRegistration(deviceId: device), token: .set(DeviceToken(token)), user: user)
        }

        func start(_ token: String, _ user: UserID, _ device: DeviceID = phone) async throws -> TokenWait? {
            try await devices.register(
                PushToStartRegistration(pushToStartToken: PushToStartToken(token), deviceId: device), user: user
            ).waitsFor
        }

        func update(
            _ token: String, _ user: UserID, _ device: DeviceID = phone
        ) async throws -> ActivityTokenRule.Action {
            try await ActivityTokenStore(pool: pool, vault: vault).register(
                ActivityTokenRequest(activityToken: UpdateToken(token), deviceId: device), match: match, user: user
            ).action
        }

        func follow(_ user: UserID) async throws {
            _ = try await FollowStore(pool: pool).follow(FollowRequest(matchId: match), user: user)
        }

        /// The nonces that leave now, each with the device token to which it goes.
        func pushes() async throws -> [String: String] {
            var sent: [String: String] = [:]
            for claim in try await activities.claimFallbacks(shards, limit: 100) {
                guard case .confirm(let nonce) = claim.purpose else { continue }
                sent[nonce] = claim.token.rawValue
            }
            return sent
        }

        /// - Returns: whether there was such a claim.
        func echo(_ nonce: String, _ user: UserID, _ device: DeviceID = phone) async throws -> Bool {
            try await devices.confirm(DeviceConfirmation(nonce: nonce, deviceId: device), user: user) != nil
        }

        func later(_ interval: String) async throws {
            try await pool.execute(
                """
                UPDATE device_claims SET claimed_at = claimed_at - $1::text::interval, due_at = due_at - $1::text::interval,
                    sent_at = sent_at - $1::text::interval
                """, [.text(interval)])
            try await pool.execute(
                """
                UPDATE devices SET reconcile_before_at = reconcile_before_at - $1::text::interval,
                    reconcile_sent_at = reconcile_sent_at - $1::text::interval
                """, [.text(interval)])
        }

        /// A line for each phone: its user, its name, its device and start token; and one for each card.
        func state() async throws -> [String] {
            try await pool.query(
                """
                SELECT concat_ws(' ', user_id, device_id, coalesce(device_token, '-'), coalesce(push_to_start_token, '-'))
                    AS line FROM devices
                UNION ALL
                SELECT concat_ws(' ', user_id, device_id, 'card', status, update_token, end_push) FROM live_activities
                """
            ).map { row in
                try row.string("line").split(separator: " ").map { try vault.decrypt(String($0)) }
                    .joined(separator: " ")
            }.sorted()
        }
    }

    private static let untouched = ["ann phone card active ee none", "ann phone dd aa"]

    /// Tokens in clear, encrypted, and encrypted anew after Ann has registered hers.
    private func with(_ body: (Harness) async throws -> Void) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in try await body(Harness(pool, .inClear)) }
        for changesKey in [false, true] {
            try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
                let first = try TokenKeys.generate()
                var vault = TokenVault(try TestTokenKeys.file(first))
                try await vault.check(pool)
                var harness = try await Harness(pool, vault)
                if changesKey {
                    let file = try TestTokenKeys.file("\(first)2 \(try TokenKeys.newKey())")
                    vault = TokenVault(file)
                    let encryption = TokenEncryption(pool: pool, cipher: file.cipher)
                    try await encryption.begin()
                    #expect(try await encryption.finish() == 3)
                    harness.vault = vault
                }
                try await body(harness)
                let clear = try await pool.query(
                    """
                    SELECT FROM devices WHERE device_token NOT LIKE '$%' OR push_to_start_token NOT LIKE '$%'
                    UNION ALL SELECT FROM live_activities WHERE update_token NOT LIKE '$%'
                    UNION ALL SELECT FROM device_claims WHERE device_token NOT LIKE '$%'
                    """)
                #expect(clear.isEmpty)
            }
        }
    }

    // MARK: - Theft

    /// Bob has learnt all three tokens, and registers them from a phone of his own.
    private func steal(_ harness: Harness, deviceToken: TokenWait = .confirmation) async throws {
        #expect(try await harness.register("dd", Self.bob, Self.other) == deviceToken)
        #expect(try await harness.start("aa", Self.bob, Self.other) == .deviceToken)
        try await harness.follow(Self.bob)
        #expect(try await harness.update("ee", Self.bob, Self.other) == .wait)
    }

    private func expectNothingLost(_ harness: Harness) async throws {
        #expect(try await harness.state() == Self.untouched + ["bob other - -"])
    }

    @Test func whoKnowsTheTokensOfAPhoneThatIsAwakeGetsNothing() async throws {
        try await with { (harness: Harness) async throws in
            try await steal(harness)
            let nonce = try #require(try await harness.pushes().first { $0.value == "dd" }?.key)
            #expect(nonce.count == 32)
            // Bob cannot guess it, and Ann's app echoes it.
            #expect(try await !harness.echo(String(repeating: "0", count: 32), Self.bob, Self.other))
            #expect(try await harness.echo(nonce, Self.ann))
            // Were he to learn it then, it would be of no use, to nobody.
            #expect(try await !harness.echo(nonce, Self.bob, Self.other))
            #expect(try await !harness.echo(nonce, Self.ann))
            try await expectNothingLost(harness)
            // There is one nonce an hour, whoever asks.
            try await steal(harness, deviceToken: .owner)
            #expect(try await harness.register("dd", UserID("carl")) == .owner)
            #expect(try await harness.pushes().isEmpty)
        }
    }

    @Test func theAppOfTheOwnerMayRefuseWithoutThePush() async throws {
        try await with { (harness: Harness) async throws in
            try await steal(harness)
            // It is opened, and registers.
            let nonce = try #require(try await harness.answer("dd", Self.ann).confirm)
            #expect(try await harness.echo(nonce, Self.ann))
            #expect(try await harness.answer("dd", Self.ann).confirm == nil)
            #expect(try await harness.pushes().isEmpty)
            try await expectNothingLost(harness)
        }
    }

    /// Force quit: the push leaves, and no app hears of it.
    @Test func whoKnowsTheTokensOfAPhoneThatDoesNotAnswerGetsNothing() async throws {
        try await with { (harness: Harness) async throws in
            try await steal(harness)
            let nonce = try #require(try await harness.pushes().keys.first)
            try await steal(harness)
            #expect(try await harness.pushes().isEmpty)
            try await harness.later("6 minutes")
            #expect(try await !harness.echo(nonce, Self.bob, Self.other), "it is too late")
            try await steal(harness, deviceToken: .owner)
            try await expectNothingLost(harness)
            try await harness.later("1 hour")
            try await steal(harness)
            #expect(try await harness.pushes().count == 1)
            try await expectNothingLost(harness)
        }
    }

    /// Uninstalled: APNs calls the device token dead, which then is nobody's; with it goes nothing else.
    @Test func whoTakesADeadDeviceTokenGetsNothingElse() async throws {
        try await with { (harness: Harness) async throws in
            try await harness.pool.execute("UPDATE devices SET device_token = NULL")
            #expect(try await harness.register("dd", Self.bob, Self.other) == nil)
            #expect(try await harness.start("aa", Self.bob, Self.other) == .deviceToken)
            try await harness.follow(Self.bob)
            #expect(try await harness.update("ee", Self.bob, Self.other) == .wait)
            #expect(try await harness.pushes().isEmpty)
            #expect(
                try await harness.state() == ["ann phone - aa", "ann phone card active ee none", "bob other dd -"])
        }
    }

    @Test func aNonceIsOfOneUserAndOneOfThatUsersPhones() async throws {
        try await with { (harness: Harness) async throws in
            for device in [Self.phone, Self.other] { _ = try await harness.register("d\(device)", Self.bob, device) }
            #expect(try await harness.register("d1", UserID("carl")) == nil)
            #expect(try await harness.register("dd", Self.bob, Self.other) == .confirmation)
            let nonce = try #require(try await harness.pushes().keys.first)
            #expect(try await !harness.echo(nonce, Self.bob, Self.phone))
            #expect(try await !harness.echo(nonce, UserID("carl")))
            let before = try await harness.state()
            #expect(before.contains("ann phone dd aa"))
            #expect(try await harness.echo(nonce, Self.bob, Self.other))
            #expect(try await harness.state().contains("bob other dd aa"))
        }
    }

    // MARK: - The push

    @Test func aNonceWaitsForTheHourlyTwoAndForAHold() async throws {
        try await with { (harness: Harness) async throws in
            try await harness.pool.execute(
                "UPDATE devices SET reconcile_before_at = clock_timestamp(), reconcile_sent_at = clock_timestamp()")
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            #expect(try await harness.pushes().isEmpty)
            try await harness.pool.execute("UPDATE devices SET reconcile_before_at = NULL")
            try await harness.pool.execute(
                "INSERT INTO holds (scope, level, set_by) VALUES ('everywhere', 'pushes', 'test')")
            #expect(try await harness.pushes().isEmpty)
            try await harness.pool.execute("DELETE FROM holds")
            #expect(try await harness.pushes().count == 1)
            #expect(try await harness.pushes().isEmpty)
        }
    }

    @Test func aNonceThatHasNotLeftIsDueAgain() async throws {
        try await with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let claim = try #require(try await harness.activities.claimFallbacks(harness.shards, limit: 100).first)
            try await harness.activities.releaseFallback(claim, after: .seconds(60))
            #expect(try await harness.pushes().isEmpty)
            try await harness.later("2 minutes")
            #expect(try await harness.pushes().count == 1)
        }
    }

    // MARK: - A phone that has another user

    /// What Bob's app registers on the phone that was Ann's: with the tokens go her card, which ends, and the start of
    /// his.
    private func expectHanded(_ harness: Harness) async throws {
        #expect(
            try await harness.state() == [
                "ann phone - -", "ann phone card ended ee due", "bob phone card pending none", "bob phone dd aa",
            ])
        let starts = try await harness.activities.claimStarts(harness.shards, limit: 10, lease: .seconds(120))
        #expect(starts.map(\.key.userID) == [Self.bob])
        #expect(starts.map(\.token.rawValue) == ["aa"])
    }

    @Test func aSignOutThatArrivesFreesTheTokensAtOnce() async throws {
        try await with { (harness: Harness) async throws in
            _ = try await harness.devices.unregister("phone", user: Self.ann)
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
            try await harness.follow(Self.bob)
            try await expectHanded(harness)
        }
    }

    @Test func aSignOutThatNeverArrivesIsMadeUpForByTheNonce() async throws {
        try await with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            #expect(try await harness.start("aa", Self.bob) == .deviceToken)
            try await harness.follow(Self.bob)
            let nonce = try #require(try await harness.pushes().keys.first)
            #expect(try await harness.echo(nonce, Self.bob))
            try await expectHanded(harness)
            // The token has a new owner, and still one nonce an hour.
            #expect(try await harness.register("dd", UserID("carl")) == .owner)
            // What it registers then is its own.
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }

    /// The app was deleted and installed anew: its tokens are new, too. Apple names the old ones dead in its own time.
    @Test func aReinstallHasTokensOfItsOwn() async throws {
        try await with { (harness: Harness) async throws in
            #expect(try await harness.register("d2", Self.bob, Self.other) == nil)
            #expect(try await harness.start("a2", Self.bob, Self.other) == nil)
            try await harness.follow(Self.bob)
            #expect(try await harness.update("e2", Self.bob, Self.other) == .activate(generation: 1))
            #expect(
                try await harness.state() == [
                    "ann phone card active ee none", "ann phone dd aa", "bob other card active e2 none",
                    "bob other d2 a2",
                ])
        }
    }

    /// A backup of Ann's phone on another: the app there calls it by the same name, and has other tokens.
    @Test func aRestoredBackupIsTheSamePhoneWithOtherTokens() async throws {
        try await with { (harness: Harness) async throws in
            #expect(try await harness.register("d2", Self.ann) == nil)
            #expect(try await harness.start("a2", Self.ann) == nil)
            #expect(try await harness.state().contains("ann phone d2 a2"))
            // The old phone, which is Bob's now, has the tokens that it had.
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }

    @Test func aUserWhoWasNotSeenForAWeekHasLeftThePhone() async throws {
        try await with { (harness: Harness) async throws in
            try await harness.pool.execute("UPDATE devices SET last_seen_at = clock_timestamp() - interval '7 days'")
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
            try await harness.follow(Self.bob)
            #expect(try await harness.update("ee", Self.bob) == .activate(generation: 1))
        }
    }

    @Test func aDeletedAccountLeavesItsTokensAndItsClaims() async throws {
        try await with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            _ = try await AccountStore(pool: harness.pool).delete(Self.ann, tokenIssuedAt: 0)
            #expect(try await harness.pool.query("SELECT FROM device_claims").isEmpty)
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }
}
