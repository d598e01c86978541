import APIGateway
import Activities
import LACoordinator
import Postgres
import SightscreenModels
import Store
import Testing

/// An account that does not have the phone is on record as having it, or claims it whenever it may. Ann has the phone.
@Suite struct SquatterTests {
    private typealias Harness = PossessionHarness
    private static let ann = Harness.ann
    private static let squatter = UserID("squatter")
    private static let hostile = (1...4).map { UserID("hostile\($0)") }

    /// The way in which the squatter came to have the tokens.
    enum Way: CaseIterable {
        case beforeTheSignIn, whileItWasFree, afterTheDeletion, afterAWeekUnseen
    }

    private func squat(_ harness: Harness, _ way: Way) async throws {
        switch way {
        case .beforeTheSignIn: break
        case .whileItWasFree:
            try await harness.registerAnn()
            _ = try await harness.devices.unregister("phone", user: Self.ann)
        case .afterTheDeletion:
            try await harness.registerAnn()
            _ = try await AccountStore(pool: harness.pool).delete(Self.ann, tokenIssuedAt: 0)
            // She signs up anew.
            try await harness.pool.execute("DELETE FROM deleted_users")
        case .afterAWeekUnseen:
            try await harness.registerAnn()
            try await harness.pool.execute("UPDATE devices SET last_seen_at = clock_timestamp() - interval '7 days'")
        }
        #expect(try await harness.register("dd", Self.squatter) == nil)
        #expect(try await harness.start("aa", Self.squatter) == nil)
        try await harness.follow(Self.squatter)
        #expect(try await harness.update("ee", Self.squatter) == .activate(generation: 1))
    }

    @Test(arguments: Way.allCases)
    func whoHasThePhoneGetsItFromASquatter(way: Way) async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await squat(harness, way)
            // Ann's app runs on the phone. The squatter does all that it can.
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            #expect(try await harness.start("aa", Self.ann) == .deviceToken)
            let nonce = try await harness.nonce()
            #expect(try await harness.register("dd", Self.squatter) == nil)
            #expect(try await harness.register("dd", Self.squatter, Harness.other) == nil)
            #expect(try await harness.register("dd", Self.squatter) == nil)
            #expect(try await harness.echo(nonce, Self.ann))
            try await harness.follow(Self.ann)
            let state = try await harness.state()
            #expect(state.contains("ann phone dd aa") || state.contains("ann phone dd -"), "\(state)")
            #expect(state.contains("squatter phone - -"))
            #expect(!state.contains { $0.hasPrefix("squatter") && $0.contains("active") })
            // What her app registers after that is hers at once.
            #expect(try await harness.start("aa", Self.ann) == nil)
            let action = try await harness.update("ee", Self.ann)
            #expect(action != .wait)
            #expect(try await harness.register("dd", Self.squatter) == .confirmation, "a claim like any other's")
        }
    }

    /// What the squatter called the phone's start token does not take the place of the true one.
    @Test func aFalseStartTokenIsNotTakenOver() async throws {
        try await Harness.with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.squatter) == nil)
            #expect(try await harness.start("ff", Self.squatter) == nil)
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            #expect(try await harness.start("aa", Self.ann) == nil)
            #expect(try await harness.echo(try await harness.nonce(), Self.ann))
            #expect(try await harness.state() == ["ann phone dd aa", "squatter phone - -"])
        }
    }

    /// The squatter has claimed the token of an account of its own, and then got it because that account left it.
    @Test(arguments: [false, true])
    func theClaimOfWhoHasTheTokenHoldsUpNobody(isOnRecord: Bool) async throws {
        try await Harness.with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.hostile[0]) == nil)
            #expect(try await harness.register("dd", Self.squatter) == .confirmation)
            _ = try await harness.devices.unregister("phone", user: Self.hostile[0])
            #expect(try await harness.register("dd", Self.squatter) == nil)
            let due = try await harness.pool.query("SELECT FROM phone_claims WHERE due_at IS NOT NULL")
            #expect(due.isEmpty)
            if isOnRecord {
                // However the token came to be its own.
                try await harness.pool.execute(
                    "UPDATE phone_claims SET due_at = clock_timestamp(), challenge = 'x' WHERE user_id = 'squatter'")
            }
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            #expect(try await harness.echo(try await harness.nonce(), Self.ann))
            #expect(try await harness.holder() == "ann phone")
        }
    }

    /// The squatter names the host at which the token is none.
    @Test func aSquatterWhoNamesTheOtherHostIsNotAskedThere() async throws {
        try await Harness.with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.squatter, host: .sandbox) == nil)
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            let push = try #require(try await harness.silentPushes().first)
            #expect(push.environment == .production)
            #expect(push.purpose.strangersHost == Self.ann && !push.isProven)
            #expect(try await harness.echo(try #require(push.nonce).text, Self.ann))
            #expect(try await harness.holder() == "ann phone")
        }
    }

    /// The thief names the other host. What that host says of the token is not held against the owner.
    @Test func aThiefWhoNamesTheOtherHostSpeaksForNobodyElse() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            try await harness.pool.execute(
                "UPDATE devices SET device_token_proven_at = clock_timestamp(), proven_bundle = ''")
            #expect(try await harness.register("dd", Self.squatter, host: .sandbox) == .confirmation)
            let push = try #require(try await harness.silentPushes().first)
            #expect(push.environment == .sandbox)
            #expect(push.purpose.strangersHost == Self.squatter && !push.isProven)
            // One who names the owner's host is of the same mind, and its answer counts.
            #expect(try await harness.register("dd", Self.hostile[0]) == .confirmation)
            let other = try #require(try await harness.silentPushes().first)
            #expect(other.environment == .production)
            #expect(other.purpose.strangersHost == nil && other.isProven)
        }
    }

    /// The squatter gives the token up and takes it with another account while Ann's push is under way.
    @Test func aTokenThatChangesHandsMeanwhileIsStillHers() async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await squat(harness, .beforeTheSignIn)
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            let nonce = try await harness.nonce()
            _ = try await harness.devices.unregister("phone", user: Self.squatter)
            #expect(try await !harness.echo(nonce, Self.ann), "there is no phone to get it from")
            #expect(try await harness.register("dd", Self.hostile[0]) == nil)
            #expect(try await harness.echo(nonce, Self.ann), "it was not used up")
            #expect(try await harness.holder() == "ann phone")
        }
    }

    /// Accounts that claim the phone in every minute, from before Ann's app does on. Their pushes bring nonces as well
    /// as hers would; where those arrived before she had a claim, hers leaves within the hour.
    @Test(arguments: 1...4)
    func hostileClaimsDoNotHoldUpTheHonestUserPastTheHour(accounts: Int) async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await squat(harness, .beforeTheSignIn)
            let hostile = Self.hostile.prefix(accounts)
            func claim() async throws { for user in hostile { _ = try await harness.register("dd", user) } }
            try await claim()
            for _ in hostile { _ = try await harness.pushes() }
            var arrived: String?
            for minute in 0...61 where arrived == nil {
                try await harness.later("1 minute")
                try await claim()
                _ = try await harness.register("dd", Self.ann)
                arrived = try await harness.pushes().keys.first
                if accounts < PhoneClaimSQL.pushesMax { #expect(arrived != nil && minute == 0, "a push is left") }
            }
            #expect(try await harness.echo(try #require(arrived), Self.ann))
            #expect(try await harness.holder() == "ann phone")
            // Those accounts wait for a day, and cause no push.
            for hours in [0, 22] {
                try await harness.later("\(hours) hours")
                for user in hostile { #expect(try await harness.register("dd", user) == .owner) }
                #expect(try await harness.pushes().isEmpty)
            }
        }
    }

    /// More hostile accounts than may wait claim the phone in every minute, from before Ann's app does on, and name its
    /// host. The pushes that leave for them bring nonces to her phone.
    @Test func aFloodOfClaimsDoesNotHoldUpTheHonestUserPastTheHour() async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await squat(harness, .beforeTheSignIn)
            func claim() async throws {
                for number in 0..<25 { _ = try await harness.register("dd", UserID("flood\(number)")) }
            }
            try await claim()
            for _ in 0...PhoneClaimSQL.pushesMax { _ = try await harness.pushes() }
            var arrived: String?
            for _ in 0...61 where arrived == nil {
                try await harness.later("1 minute")
                try await claim()
                _ = try await harness.register("dd", Self.ann)
                #expect(try await harness.waiting() == ["production": PhoneClaimSQL.waitingMax])
                arrived = try await harness.pushes().keys.first
            }
            #expect(try await harness.echo(try #require(arrived), Self.ann))
            #expect(try await harness.holder() == "ann phone")
            for number in 0..<25 { #expect(try await harness.register("dd", UserID("flood\(number)")) == .owner) }
            #expect(try await harness.pushes().isEmpty, "all of them are refused, those who found no place, too")
        }
    }

    /// They name the host that does not know the token, and some change it after they have found a place. Ann's push
    /// leaves after those that wait there, within a few seconds.
    @Test func aFloodOfClaimsForTheOtherHostKeepsNobodyWaiting() async throws {
        try await Harness.with { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Self.squatter) == nil)
            for round in 0..<3 {
                for host in [APNsEnvironment.production, .sandbox] {
                    for number in 0..<15 {
                        _ = try await harness.register("dd", UserID("flood\(round)-\(number)"), host: host)
                    }
                }
            }
            #expect(try await harness.waiting() == ["sandbox": PhoneClaimSQL.waitingMax])
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            var arrived: String?
            var refused = 0
            while arrived == nil, refused <= PhoneClaimSQL.waitingMax {
                let push = try #require(try await harness.silentPushes().first)
                if push.environment == .production {
                    arrived = push.nonce?.text
                } else {
                    refused += 1
                    try await harness.activities.releaseFallback(push, after: .seconds(60))
                }
            }
            #expect(try await harness.echo(try #require(arrived), Self.ann))
            #expect(try await harness.holder() == "ann phone")
        }
    }

    /// Hostile accounts use up the pushes of the hour; then they sign out, or are deleted. Ann's phone has the nonces.
    @Test(arguments: [false, true])
    func aNonceThatHasArrivedIsGoodWhateverItsClaimantDoes(deletes: Bool) async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await squat(harness, .beforeTheSignIn)
            let hostile = Self.hostile.prefix(PhoneClaimSQL.pushesMax)
            for user in hostile { _ = try await harness.register("dd", user) }
            var nonces: [String] = []
            for _ in hostile { nonces += try await harness.pushes().keys }
            #expect(nonces.count == PhoneClaimSQL.pushesMax)
            for user in hostile {
                if deletes {
                    _ = try await AccountStore(pool: harness.pool).delete(user, tokenIssuedAt: 0)
                } else {
                    _ = try await harness.devices.unregister("phone", user: user)
                }
            }
            #expect(try await harness.register("dd", Self.ann) == .confirmation)
            #expect(try await !harness.echo(nonces[0], deletes ? Self.hostile[3] : hostile[0]), "it claims nothing")
            #expect(try await harness.echo(nonces[1], Self.ann))
            #expect(try await harness.holder() == "ann phone")
            #expect(try await !harness.echo(nonces[2], Self.ann), "all are settled")
        }
    }

    /// The account signs in again each time. What is kept of it says nothing of whose it was.
    @Test func aRefusalOutlivesTheDeletionOfTheAccount() async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await harness.registerAnn()
            for _ in 0..<2 {
                #expect(try await harness.register("dd", Self.squatter) == .confirmation)
                #expect(try await harness.echo(try await harness.nonce(), Self.ann))
                for _ in 0..<2 {
                    _ = try await AccountStore(pool: harness.pool, vault: harness.vault).delete(
                        Self.squatter, tokenIssuedAt: 0)
                    try await harness.pool.execute("DELETE FROM deleted_users")
                    #expect(try await harness.register("dd", Self.squatter) == .owner)
                    #expect(try await harness.pushes().isEmpty)
                }
                let rows = try await harness.pool.query("SELECT c.*::text AS row FROM phone_claims c")
                #expect(try rows.map { try $0.string("row").contains("squatter") } == [false])
                try await harness.later("23 hours")
                #expect(try await harness.register("dd", Self.squatter) == .owner)
                try await harness.later("61 minutes")
            }
        }
    }

    @Test func aTokenGetsThreePushesAnHourAndAnAccountCausesOne() async throws {
        try await Harness.with { (harness: Harness) async throws in
            try await harness.registerAnn()
            var sent = 0
            for minute in 0..<60 {
                for user in Self.hostile {
                    let wait = try await harness.register("dd", user)
                    #expect(wait == .confirmation, "there is an open nonce at minute \(minute)")
                }
                sent += try await harness.pushes().count
                try await harness.later("59 seconds")
            }
            #expect(sent == PhoneClaimSQL.pushesMax)
            // Deleting the account does not make room for another push, and leaves nothing of it.
            for user in Self.hostile {
                _ = try await AccountStore(pool: harness.pool).delete(user, tokenIssuedAt: 0)
            }
            #expect(try await harness.register("dd", Self.squatter) == .confirmation, "what has arrived is good")
            #expect(try await harness.pushes().isEmpty)
            let left = try await harness.pool.query("SELECT FROM phone_claims WHERE user_id LIKE 'hostile%'")
            #expect(left.isEmpty)
        }
    }

    @Test func anAccountClaimsTenPhonesADay() async throws {
        try await Harness.with { (harness: Harness) async throws in
            for number in 0...10 {
                #expect(try await harness.register("d\(number)", UserID("user\(number)")) == nil)
                let wait = try await harness.register("d\(number)", Self.squatter)
                #expect(wait == (number < 10 ? .confirmation : .owner))
            }
            var sent = 0
            for _ in 0..<3 { sent += try await harness.pushes().count }
            #expect(sent == 10)
        }
    }

    /// Ann's app signed out and in again as Bob's; her echo by mistake is not held against his earlier claim.
    @Test func aClaimThatItsUserSignedOutOfIsNotRefused() async throws {
        try await Harness.withAnn { (harness: Harness) async throws in
            #expect(try await harness.register("dd", Harness.bob) == .confirmation)
            let nonce = try await harness.nonce()
            _ = try await harness.devices.unregister("phone", user: Harness.bob)
            _ = try await harness.echo(nonce, Self.ann)
            try await harness.later("61 minutes")
            #expect(try await harness.register("dd", Harness.bob) == .confirmation)
            #expect(try await harness.pushes().count == 1)
        }
    }
}
