import SightscreenModels
import Testing

@testable import APIGateway

@Suite struct RateLimiterTests {
    private static let second: Int64 = 1_000_000_000
    private static func registration(_ user: UserID, _ device: DeviceID?) -> [RateCharge] {
        [RateCharge(.deviceRegistrations, [user.rawValue, device?.rawValue]), RateCharge(.userRegistrations, user)]
    }

    private static let ann = UserID("ann")
    private static let ben = UserID("ben")
    private static let phone = DeviceID("phone")

    private func admitted(_ limiter: RateLimiter, _ times: Int, _ charges: [RateCharge], now: Int64 = 0) -> Int {
        (0..<times).count { _ in limiter.admit(charges, now: now) == .admitted }
    }

    @Test func eachCallerAndEachLimitHasABucketOfItsOwn() {
        let limiter = RateLimiter()
        #expect(admitted(limiter, 100, [RateCharge(.follows, Self.ann)]) == 30)
        #expect(admitted(limiter, 100, [RateCharge(.follows, Self.ben)]) == 30)
        #expect(admitted(limiter, 7_000, [RateCharge(.reads, Self.ann)]) == 300)
        #expect(admitted(limiter, 100, [RateCharge(.account, Self.ann)]) == 5)
        #expect(admitted(limiter, 7_000, [RateCharge(.publicCalls, "192.0.2.1")]) == 6_000)
        #expect(admitted(limiter, 7_000, [RateCharge(.publicCalls, "192.0.2.2")]) == 6_000)
        #expect(limiter.admit(RateCharge(.follows, Self.ann), now: 0) == .refused(retryAfter: 2, by: .follows))
        #expect(limiter.admit(RateCharge(.account, Self.ann), now: 0) == .refused(retryAfter: 12, by: .account))
        #expect(
            limiter.admit(RateCharge(.account, Self.ann), now: 11 * Self.second)
                == .refused(retryAfter: 1, by: .account))
        #expect(limiter.admit(RateCharge(.account, Self.ann), now: 12 * Self.second) == .admitted)
    }

    @Test func aPhoneUsesUpItsOwnRegistrationsAndAllPhonesTogetherTheUsers() {
        let limiter = RateLimiter()
        #expect(admitted(limiter, 100, Self.registration(Self.ann, Self.phone)) == 60)
        // Refused by the phone's limit, they did not count for the user.
        #expect(admitted(limiter, 100, Self.registration(Self.ann, DeviceID("pad"))) == 60)
        #expect(
            limiter.admit(Self.registration(Self.ann, DeviceID("third")), now: 0)
                == .refused(retryAfter: 1, by: .userRegistrations))
        // Refused by the user's limit, it did not count for the phone: half a second later the user has one again.
        #expect(
            limiter.admit(Self.registration(Self.ann, DeviceID("third")), now: Self.second / 2) == .admitted)
        // A phone of the same name is another user's.
        #expect(admitted(limiter, 100, Self.registration(Self.ben, Self.phone)) == 60)
        // Without a name it counts as a phone.
        #expect(admitted(limiter, 100, Self.registration(UserID("cat"), nil)) == 60)
    }

    @Test func whatOneLimitRefusesCountsForNoOther() {
        let limiter = RateLimiter()
        let strict = RateCharge(RateLimit(.account, perMinute: 1), "ann")
        let wide = RateCharge(RateLimit(.reads, perMinute: 3), "ann")
        #expect(limiter.admit([wide, strict], now: 0) == .admitted)
        for _ in 0..<10 { #expect(limiter.admit([wide, strict], now: 0) == .refused(retryAfter: 60, by: .account)) }
        #expect(admitted(limiter, 10, [wide]) == 2)
    }

    @Test func failuresAreCountedWhenTheyHappenAndStopTheCallerBeforeTheNextOne() {
        let limiter = RateLimiter()
        let guesser = RateCharge(.failedAdminKeys, "192.0.2.1")
        for _ in 0..<10 {
            #expect(limiter.check(guesser, now: 0) == .admitted)
            #expect(limiter.check(guesser, now: 0) == .admitted)
            limiter.note(guesser, now: 0)
        }
        #expect(limiter.check(guesser, now: 0) == .refused(retryAfter: 3_600, by: .failedAdminKeys))
        #expect(limiter.check(RateCharge(.failedAdminKeys, "192.0.2.2"), now: 0) == .admitted)
        #expect(limiter.check(RateCharge(.failedTokens, "192.0.2.1"), now: 0) == .admitted)
        #expect(limiter.check(guesser, now: 3_599 * Self.second) == .refused(retryAfter: 1, by: .failedAdminKeys))
        #expect(limiter.check(guesser, now: 3_600 * Self.second) == .admitted)
    }

    @Test func twoGatewaysLetInTwiceAsManyAtMost() {
        let gateways = [RateLimiter(), RateLimiter()]
        var admitted = 0
        // Ten minutes of one request every tenth of a second, now here, now there.
        for step in 0..<6_000 {
            let now = Int64(step) * Self.second / 10
            if gateways[step % 2].admit(RateCharge(.follows, Self.ann), now: now) == .admitted { admitted += 1 }
        }
        #expect(admitted <= 2 * (30 + 30 * 10))
        #expect(admitted > 30 + 30 * 10)
    }

    @Test func threadsTogetherLetInNoMoreThanOneWould() async {
        let limiter = RateLimiter()
        let count = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { admitted(limiter, 500, [RateCharge(.reads, Self.ann)]) } }
            return await group.reduce(0, +)
        }
        #expect(count == 300)
    }

    // MARK: - Memory

    @Test func remembersNoMoreThanItHasRoomForHoweverManyCome() {
        let limiter = RateLimiter(bucketsMax: 1_000, shardCount: 4)
        for number in 0..<20_000 {
            let now = Int64(number)
            #expect(limiter.admit(RateCharge(.publicCalls, number), now: now) == .admitted)
            limiter.note(RateCharge(.failedTokens, number), now: now)
            limiter.note(RateCharge(.failedAdminKeys, number), now: now)
            if number.isMultiple(of: 500) { #expect(limiter.bucketCount <= 1_000) }
        }
        #expect(limiter.bucketCount <= 1_000)
        #expect(limiter.bucketCount > 900)
    }

    @Test func theFullSizeIsWhatItSays() {
        let limiter = RateLimiter()
        for number in 0..<260_000 { _ = limiter.admit(RateCharge(.publicCalls, number), now: 0) }
        #expect(limiter.bucketCount <= RateLimiter.bucketsMax)
        #expect(limiter.bucketCount > RateLimiter.bucketsMax * 9 / 10)
    }

    /// A flood of strangers must not give those a new bucket who have used up theirs.
    @Test func whoHasUsedUpTheBucketIsForgottenLast() {
        let limiter = RateLimiter(bucketsMax: 2_000, shardCount: 2)
        for user in 0..<20 { #expect(admitted(limiter, 40, [RateCharge(.follows, UserID("\(user)"))]) == 30) }
        for number in 0..<50_000 { _ = limiter.admit(RateCharge(.publicCalls, number), now: 0) }
        for user in 0..<20 {
            #expect(
                limiter.admit(RateCharge(.follows, UserID("\(user)")), now: 0) == .refused(retryAfter: 2, by: .follows))
        }
    }

    @Test func bucketsThatAreFullAgainAreForgottenByTheWay() {
        let limiter = RateLimiter(bucketsMax: 20_000, shardCount: 4)
        for number in 0..<5_000 { _ = limiter.admit(RateCharge(.publicCalls, number), now: 0) }
        #expect(limiter.bucketCount == 5_000)
        // A tenth of a second later all are full again; every request looks at two.
        for number in 0..<8_000 { _ = limiter.admit(RateCharge(.reads, UserID("\(number % 400)")), now: Self.second) }
        #expect(limiter.bucketCount == 400)
        limiter.forgetIdle(now: 100 * Self.second)
        #expect(limiter.bucketCount == 0)
    }

    /// Guesses at the administrators' key: no room means no guess.
    @Test func aLimitThatRefusesWhenFullLetsNoStrangerIn() {
        let limiter = RateLimiter(bucketsMax: 100, shardCount: 1)
        // Four places are kept for it, and no other limit's callers take them.
        for number in 0..<1_000 { _ = limiter.admit(RateCharge(.publicCalls, number), now: 0) }
        for number in 0..<4 {
            #expect(limiter.check(RateCharge(.failedAdminKeys, number), now: 0) == .admitted)
            limiter.note(RateCharge(.failedAdminKeys, number), now: 0)
        }
        #expect(limiter.check(RateCharge(.failedAdminKeys, 4), now: 0) == .refused(retryAfter: 6, by: .failedAdminKeys))
        limiter.note(RateCharge(.failedAdminKeys, 4), now: 0)
        #expect(limiter.admit(RateCharge(.failedAdminKeys, 4), now: 0) == .refused(retryAfter: 6, by: .failedAdminKeys))
        // Those who are remembered have their own nine guesses left.
        #expect(limiter.check(RateCharge(.failedAdminKeys, 3), now: 0) == .admitted)
        // When one bucket is full again, there is room.
        #expect(limiter.check(RateCharge(.failedAdminKeys, 4), now: 6 * Self.second) == .admitted)
    }
}
