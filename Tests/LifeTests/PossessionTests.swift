import APIGateway
import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing
import Tokens

/// Ann's phone has tokens and a card; Bob registers those tokens, because he has the phone now, or because he learnt
/// them.
@Suite struct PossessionTests {
    private typealias Harness = PossessionHarness
    private static let ann = Harness.ann, bob = Harness.bob
    private static let phone = Harness.phone, other = Harness.other

    private static let untouched = ["ann phone card active ee none", "ann phone dd aa"]

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
        try await Harness.withAnn { (harness: Harness) async throws in
            try await steal(harness)
            let sent = try await harness.pushes()
            let (nonce, token) = try #require(sent.first)
            #expect(token == "dd" && sent.count == 1)
            // Bob cannot guess it, and Ann's app echoes it.
            #expect(try await !harness.echo(String(repeating: "0", count: 32), Self.bob, Self.other))
            #expect(try await harness.echo(nonce, Self.ann))
            // Were he to learn it then, it would be of no use to anybody.
            #expect(try await !harness.echo(nonce, Self.bob, Self.other))
            #expect(try await !harness.echo(nonce, Self.ann))
            try await expectNothingLost(harness)
            // The phone has refused him for a day; others may still claim it.
            try await steal(harness, deviceToken: .owner)
            try await harness.later("23 hours")
            try await steal(harness, deviceToken: .owner)
            #expect(try await harness.pushes().isEmpty)
            #expect(try await harness.register("dd", UserID("carl")) == .confirmation)
            try await harness.later("61 minutes")
            try await steal(harness)
        }
    }

    /// Force quit: the push leaves, and no app hears of it.
    @Test func whoKnowsTheTokensOfAPhoneThatDoesNotAnswerGetsNothing() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            try await steal(harness)
            let nonce = try #require(try await harness.pushes().keys.first)
            try await steal(harness)
            #expect(try await harness.pushes().isEmpty)
            try await harness.later("61 minutes")
            #expect(try await !harness.echo(nonce, Self.bob, Self.other), "it is too late")
            #expect(try await !harness.echo(nonce, Self.ann), "for her, too")
            try await steal(harness)
            #expect(try await harness.pushes().count == 1)
            try await expectNothingLost(harness)
        }
    }

    /// Uninstalled: APNs calls the device token dead, which then is nobody's; with it goes nothing else.
    @Test func whoTakesADeadDeviceTokenGetsNothingElse() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
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
        try await Harness.withAnn { (harness: Harness) async throws in
            for device in [Self.phone, Self.other] { _ = try await harness.register("d\(device)", Self.bob, device) }
            #expect(try await harness.register("d1", UserID("carl")) == nil)
            #expect(try await harness.register("dd", Self.bob, Self.other) == .confirmation)
            let nonce = try #require(try await harness.pushes().keys.first)
            #expect(try await !harness.echo(nonce, Self.bob, Self.phone))
            #expect(try await !harness.echo(nonce, UserID("carl")), "he claims nothing and has nothing of it")
            let before = try await harness.state()
            #expect(before.contains("ann phone dd aa"))
            #expect(try await harness.echo(nonce, Self.bob, Self.other))
            #expect(try await harness.state().contains("bob other dd aa"))
        }
    }

    // MARK: - The push

    @Test func aNonceTakesNothingOfWhatTheCardsMayAskAndWaitsForAHold() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            // The phone was just asked about a card.
            try await harness.pool.execute("UPDATE devices SET reconcile_sent_at = clock_timestamp()")
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            try await harness.pool.execute(
                "INSERT INTO holds (scope, level, set_by) VALUES ('everywhere', 'pushes', 'test')")
            #expect(try await harness.pushes().isEmpty)
            try await harness.pool.execute("DELETE FROM holds")
            #expect(try await harness.pushes().count == 1)
            #expect(try await harness.pushes().isEmpty)
            // Nor does it keep the phone from being asked.
            try await harness.pool.execute(
                """
                UPDATE devices SET reconcile_sent_at = NULL, reconcile_due_at = clock_timestamp() WHERE user_id = 'ann'
                """)
            try await harness.pool.execute(
                "UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), card = 'unknown'"
            )
            #expect(try await harness.silentPushes().count == 1)
        }
    }

    @Test func everyReconcileCarriesTheOpenNonceUntilItIsEchoed() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            func carried() async throws -> FallbackClaim.Nonce? {
                try await harness.pool.execute(
                    "UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', ended_at = clock_timestamp(), card = 'unknown'"
                )
                try await harness.pool.execute(
                    "UPDATE devices SET reconcile_sent_at = NULL, reconcile_due_at = clock_timestamp()")
                let claim = try #require(try await harness.silentPushes().first { $0.userID == Self.ann })
                guard case .card = claim.purpose else {
                    Issue.record("\(claim.purpose)")
                    return nil
                }
                return claim.nonce
            }
            #expect(try await carried() == nil)
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let sent = try #require(try await harness.silentPushes().first?.nonce)
            #expect(try await carried() == sent)
            let now = try await harness.pool.query("SELECT extract(epoch FROM clock_timestamp())::bigint AS now")
            #expect(abs(sent.until - (try #require(now.first).int("now") + 3_600)) < 60, "an hour")
            #expect(try await harness.echo(sent.text, Self.ann))
            #expect(try await carried() == nil)
        }
    }

    @Test func aNonceThatHasNotLeftIsDueAgain() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let claim = try #require(try await harness.silentPushes().first)
            try await harness.activities.releaseFallback(claim, after: .seconds(60))
            #expect(try await harness.pushes().isEmpty)
            try await harness.later("2 minutes")
            #expect(try await harness.pushes().count == 1)
        }
    }

    /// Who can read the database learns no nonce.
    @Test func noNonceIsKept() async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await harness.registerAnn()
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let nonce = try await harness.nonce()
            let rows = try await harness.pool.query("SELECT c.*::text AS row, c.challenge FROM phone_claims c")
            let row = try #require(rows.first)
            #expect(try !row.string("row").contains(nonce))
            #expect(try await !harness.echo(try row.string("challenge"), Self.bob))
            #expect(try await harness.echo(nonce, Self.bob))
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
        try await Harness.withAnn { (harness: Harness) async throws in
            _ = try await harness.devices.unregister("phone", user: Self.ann)
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
            try await harness.follow(Self.bob)
            try await expectHanded(harness)
        }
    }

    @Test func aSignOutThatNeverArrivesIsMadeUpForByTheNonce() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            #expect(try await harness.start("aa", Self.bob) == .deviceToken)
            try await harness.follow(Self.bob)
            #expect(try await harness.echo(try await harness.nonce(), Self.bob))
            try await expectHanded(harness)
            // What it registers then is its own.
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }

    /// The app was deleted and installed anew: its tokens are new, too. Apple names the old ones dead in its own time.
    @Test func aReinstallHasTokensOfItsOwn() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
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
        try await Harness.withAnn { (harness: Harness) async throws in
            #expect(try await harness.register("d2", Self.ann) == nil)
            #expect(try await harness.start("a2", Self.ann) == nil)
            #expect(try await harness.state().contains("ann phone d2 a2"))
            // The old phone, which is Bob's now, has the tokens that it had.
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }

    @Test func aUserWhoWasNotSeenForAWeekHasLeftThePhone() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            try await harness.pool.execute("UPDATE devices SET last_seen_at = clock_timestamp() - interval '7 days'")
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
            try await harness.follow(Self.bob)
            #expect(try await harness.update("ee", Self.bob) == .activate(generation: 1))
        }
    }

    // MARK: - Tokens that cannot be read

    /// The phone registers a token that was damaged at its former owner's once more.
    @Test(arguments: [("device_token", "bob phone - aa"), ("push_to_start_token", "bob phone dd -")])
    func aDamagedTokenIsFreeWhenThePhoneEchoes(column: String, moved: String) async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await harness.registerAnn()
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let nonce = try await harness.nonce()
            try await harness.pool.execute("UPDATE devices SET \(column) = left(\(column), -4) WHERE user_id = 'ann'")
            #expect(try await harness.echo(nonce, Self.bob))
            #expect(try await harness.state() == ["ann phone - -", "ann phone card ended ee due", moved])
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
            #expect(try await harness.state().contains("bob phone dd aa"))
        }
    }

    /// Ann's tokens are under a key that one process does not have, all of them or but for the device token.
    @Test(arguments: [false, true])
    func aMissingKeyFreesNoToken(ofTheStartTokenAlone: Bool) async throws {
        try await withDatabase(size: 3) { (pool: PostgresPool) async throws in
            let (lookup, first, second) = (try TokenKeys.newKey(), try TokenKeys.newKey(), try TokenKeys.newKey())
            let old = try TestTokenKeys.file("lookup \(lookup)\n1 \(first)")
            let both = try TestTokenKeys.file("lookup \(lookup)\n1 \(first)\n2 \(second)")
            try await TokenVault(old).check(pool)
            var harness = try await Harness(pool, TokenVault(old))
            try await harness.registerAnn()
            try await TokenEncryption(pool: pool, cipher: both.cipher).begin()
            harness.vault = TokenVault(both)
            if ofTheStartTokenAlone { #expect(try await harness.register("dd", Self.ann) == nil) }
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            let nonce = try await harness.nonce()
            let before = try await harness.state()
            harness.vault = TokenVault(try TestTokenKeys.file("lookup \(lookup)\n2 \(second)"))
            await #expect(throws: TokenCipher.Failure.unknownKey("1")) { try await harness.echo(nonce, Self.bob) }
            harness.vault = TokenVault(both)
            #expect(try await harness.state() == before)
            #expect(try await harness.echo(nonce, Self.bob), "it is good where the key is")
            #expect(try await harness.state().contains("bob phone dd aa"))
        }
    }

    @Test func aDeletedAccountLeavesItsTokensAndItsClaims() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.bob) == .confirmation)
            _ = try await AccountStore(pool: harness.pool).delete(Self.ann, tokenIssuedAt: 0)
            #expect(try await harness.pool.query("SELECT FROM phone_claims WHERE user_id = 'ann'").isEmpty)
            #expect(try await harness.register("dd", Self.bob) == nil)
            #expect(try await harness.start("aa", Self.bob) == nil)
        }
    }
}
