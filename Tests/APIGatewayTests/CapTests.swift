import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// How much one account can have.
@Suite struct CapTests {
    private static let ann = AccountHarness.ann

    // MARK: - Follows

    @Test func aUserFollowsFiftyMatchesAndNoMore() async throws {
        try await AccountHarness.with { harness in
            try await harness.schedule(1...52)
            for match in 1...50 { try await harness.follow(match) }
            await #expect(throws: LimitReached(.follows)) { try await harness.follow(51) }
            #expect(try await harness.count("match_follows") == 50)
            // What is followed can be followed again, and says anew what it says.
            _ = try await harness.follows.follow(FollowRequest(matchId: MatchID(50), alerts: .key), user: Self.ann)
            #expect(try await harness.count("match_follows", "alerts = 'key'") == 1)
            // Another user has places of their own.
            try await harness.follow(51, user: AccountHarness.ben)
            try await harness.follows.unfollow(MatchID(1), user: Self.ann)
            try await harness.follow(51)
            await #expect(throws: LimitReached(.follows)) { try await harness.follow(52) }
        }
    }

    @Test func followsOfFinishedMatchesTakeNoPlace() async throws {
        try await AccountHarness.with { harness in
            try await harness.schedule(1...52)
            for match in 1...50 { try await harness.follow(match) }
            try await harness.pool.execute(
                "UPDATE match_follows SET expires_at = clock_timestamp() + interval '1 day' WHERE match_id <= 2")
            try await harness.follow(51)
            try await harness.follow(52)
            #expect(try await harness.count("match_follows") == 52)
            // One that is over and followed again stays one.
            try await harness.follow(1)
        }
    }

    @Test func matchesThatAreOverHaveABoundOfTheirOwn() async throws {
        try await AccountHarness.with { harness in
            try await harness.schedule(1...FollowStore.finishedFollowsMax + 1, status: "Finished")
            try await harness.schedule(1_000...1_000)
            for match in 1...FollowStore.finishedFollowsMax { try await harness.follow(match) }
            await #expect(throws: LimitReached(.finishedFollows)) {
                try await harness.follow(FollowStore.finishedFollowsMax + 1)
            }
            try await harness.follow(1_000)
        }
    }

    @Test func twoRequestsAtOnceCannotBothTakeTheLastPlace() async throws {
        try await AccountHarness.with { harness in
            try await harness.schedule(1...60)
            for match in 1...49 { try await harness.follow(match) }
            let taken = await withTaskGroup(of: Bool.self) { group in
                for match in 50...60 {
                    group.addTask {
                        do {
                            try await harness.follow(match)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
            #expect(try await harness.count("match_follows") == 50)
        }
    }

    // MARK: - Devices

    @Test func anEleventhPhoneIsRefusedWhileTheOthersAreInUse() async throws {
        try await AccountHarness.with { harness in
            for number in 1...10 { try await harness.phone("phone-\(number)", of: Self.ann) }
            await #expect(throws: LimitReached(.devices)) { try await harness.phone("phone-11", of: Self.ann) }
            // Whatever it comes with.
            await #expect(throws: LimitReached(.devices)) {
                _ = try await harness.devices.register(
                    PushToStartRegistration(
                        pushToStartToken: PushToStartToken("other"), deviceId: DeviceID("phone-11")), user: Self.ann)
            }
            await #expect(throws: LimitReached(.devices)) {
                try await harness.showActivity(on: "phone-11", of: Self.ann)
            }
            #expect(try await harness.count("devices") == 10)
            #expect(try await harness.count("devices", "device_token IS NOT NULL") == 10)
            // One that is known can always be registered again.
            try await harness.phone("phone-10", of: Self.ann)
            try await harness.phone("phone-11", of: AccountHarness.ben)
        }
    }

    /// The refusal comes after the token was looked for at others, and takes that back.
    @Test func aRefusedPhoneTakesNoTokenFromAnybody() async throws {
        try await AccountHarness.with { harness in
            for number in 1...10 { try await harness.phone("phone-\(number)", of: Self.ann) }
            try await harness.phone("phone", of: AccountHarness.ben)
            await #expect(throws: LimitReached(.devices)) {
                _ = try await harness.devices.register(
                    DeviceRegistration(deviceId: DeviceID("phone-11")), token: .set(DeviceToken("ben-phone-device")),
                    user: Self.ann)
            }
            #expect(try await harness.count("devices", "user_id = 'ben' AND device_token IS NOT NULL") == 1)
        }
    }

    @Test func aPhoneWithoutTokensGivesWayTheOneUnseenForLongestFirst() async throws {
        try await AccountHarness.with { harness in
            for number in 1...10 { try await harness.phone("phone-\(number)", of: Self.ann) }
            for number in [4, 7] { _ = try await harness.devices.unregister("phone-\(number)", user: Self.ann) }
            try await harness.seen("phone-7", ago: "2 days")
            // Unseen for longer, but in use.
            try await harness.seen("phone-1", ago: "29 days")
            try await harness.phone("phone-11", of: Self.ann)
            #expect(try await harness.count("devices", "device_id = 'phone-7'") == 0)
            try await harness.phone("phone-12", of: Self.ann)
            #expect(try await harness.count("devices", "device_id = 'phone-4'") == 0)
            await #expect(throws: LimitReached(.devices)) { try await harness.phone("phone-13", of: Self.ann) }
            #expect(try await harness.count("devices") == 10)
        }
    }

    @Test func aPhoneUnseenForThirtyDaysGivesWayAndWhatItShowsEnds() async throws {
        try await AccountHarness.with { harness in
            for number in 1...10 { try await harness.phone("phone-\(number)", of: Self.ann) }
            try await harness.showActivity(on: "phone-3", of: Self.ann)
            try await harness.seen("phone-3", ago: "30 days 1 minute")
            let registered = try await harness.devices.register(
                DeviceRegistration(deviceId: DeviceID("phone-11")), token: .keep, user: Self.ann)
            #expect(registered.changedMatches == [AccountHarness.match])
            #expect(try await harness.count("devices", "device_id = 'phone-3'") == 0)
            #expect(
                try await harness.count("live_activities", "device_id = 'phone-3' AND end_push = 'due'") == 1)
        }
    }

    @Test func onePhoneThatIsStillOwedAnEndGoesLast() async throws {
        try await AccountHarness.with { harness in
            for number in 1...10 { try await harness.phone("phone-\(number)", of: Self.ann) }
            try await harness.showActivity(on: "phone-3", of: Self.ann)
            for number in [3, 5] { _ = try await harness.devices.unregister("phone-\(number)", user: Self.ann) }
            try await harness.seen("phone-3", ago: "1 day")
            try await harness.phone("phone-11", of: Self.ann)
            #expect(try await harness.count("devices", "device_id = 'phone-5'") == 0)
            #expect(try await harness.count("devices", "device_id = 'phone-3'") == 1)
        }
    }

    @Test func elevenPhonesAtOnceAreTen() async throws {
        try await AccountHarness.with { (harness: AccountHarness) async throws in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...14 {
                    group.addTask {
                        _ = try? await harness.devices.register(
                            PushToStartRegistration(
                                pushToStartToken: PushToStartToken("start-\(number)"),
                                deviceId: DeviceID("phone-\(number)")), user: Self.ann)
                    }
                }
            }
            #expect(try await harness.count("devices") == 10)
        }
    }
}

extension AccountHarness {
    /// Puts matches into the schedule.
    func schedule(_ matches: ClosedRange<Int>, status: String = "NS") async throws {
        try await pool.execute(
            """
            INSERT INTO fixtures (match_id, league_id, competition, format, status, home_id, home_name, home_code,
                away_id, away_name, away_code)
            SELECT n, 1, 'IPL', 'T20', $3, 6, 'Mumbai', 'MI', 8, 'Chennai', 'CSK'
            FROM generate_series($1::bigint, $2::bigint) AS n
            """, [.int(matches.lowerBound), .int(matches.upperBound), .text(status)])
    }

    func follow(_ match: Int, user: UserID = ann) async throws {
        _ = try await follows.follow(FollowRequest(matchId: MatchID(Int64(match))), user: user)
    }

    func seen(_ device: String, ago: String) async throws {
        try await pool.execute(
            "UPDATE devices SET last_seen_at = clock_timestamp() - interval '\(ago)' WHERE device_id = $1",
            [.text(device)])
    }
}
