import APIGateway
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

/// How much one account can have.
@Suite struct CapTests {
    private static let ann = AccountGround.ann

    // MARK: - Follows

    @Test func aUserFollowsFiftyMatchesAndNoMore() async throws {
        try await AccountGround.with { ground in
            try await ground.schedule(1...52)
            for match in 1...50 { try await ground.follow(match) }
            await #expect(throws: LimitReached(.follows)) { try await ground.follow(51) }
            #expect(try await ground.count("match_follows") == 50)
            // What is followed can be followed again, and says anew what it says.
            _ = try await ground.follows.follow(FollowRequest(matchId: MatchID(50), alerts: .key), user: Self.ann)
            #expect(try await ground.count("match_follows", "alerts = 'key'") == 1)
            // Another user has places of their own.
            try await ground.follow(51, user: AccountGround.ben)
            try await ground.follows.unfollow(MatchID(1), user: Self.ann)
            try await ground.follow(51)
            await #expect(throws: LimitReached(.follows)) { try await ground.follow(52) }
        }
    }

    @Test func followsOfFinishedMatchesTakeNoPlace() async throws {
        try await AccountGround.with { ground in
            try await ground.schedule(1...52)
            for match in 1...50 { try await ground.follow(match) }
            try await ground.pool.execute(
                "UPDATE match_follows SET expires_at = clock_timestamp() + interval '1 day' WHERE match_id <= 2")
            try await ground.follow(51)
            try await ground.follow(52)
            #expect(try await ground.count("match_follows") == 52)
            // One that is over and followed again stays one.
            try await ground.follow(1)
        }
    }

    @Test func matchesThatAreOverHaveABoundOfTheirOwn() async throws {
        try await AccountGround.with { ground in
            try await ground.schedule(1...FollowStore.finishedFollowsMax + 1, status: "Finished")
            try await ground.schedule(1_000...1_000)
            for match in 1...FollowStore.finishedFollowsMax { try await ground.follow(match) }
            await #expect(throws: LimitReached(.finishedFollows)) {
                try await ground.follow(FollowStore.finishedFollowsMax + 1)
            }
            try await ground.follow(1_000)
        }
    }

    @Test func twoRequestsAtOnceCannotBothTakeTheLastPlace() async throws {
        try await AccountGround.with { ground in
            try await ground.schedule(1...60)
            for match in 1...49 { try await ground.follow(match) }
            let taken = await withTaskGroup(of: Bool.self) { group in
                for match in 50...60 {
                    group.addTask {
                        do {
                            try await ground.follow(match)
                            return true
                        } catch { return false }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(taken == 1)
            #expect(try await ground.count("match_follows") == 50)
        }
    }

    // MARK: - Devices

    @Test func anEleventhPhoneIsRefusedWhileTheOthersAreInUse() async throws {
        try await AccountGround.with { ground in
            for number in 1...10 { try await ground.phone("phone-\(number)", of: Self.ann) }
            await #expect(throws: LimitReached(.devices)) { try await ground.phone("phone-11", of: Self.ann) }
            // Whatever it comes with.
            await #expect(throws: LimitReached(.devices)) {
                _ = try await ground.devices.register(
                    PushToStartRegistration(
                        pushToStartToken: PushToStartToken("other"), deviceId: DeviceID("phone-11")), user: Self.ann)
            }
            await #expect(throws: LimitReached(.devices)) { try await ground.watch(on: "phone-11", of: Self.ann) }
            #expect(try await ground.count("devices") == 10)
            #expect(try await ground.count("devices", "device_token IS NOT NULL") == 10)
            // One that is known can always be registered again.
            try await ground.phone("phone-10", of: Self.ann)
            try await ground.phone("phone-11", of: AccountGround.ben)
        }
    }

    /// The refusal comes after the token was looked for at others, and takes that back.
    @Test func aRefusedPhoneTakesNoTokenFromAnybody() async throws {
        try await AccountGround.with { ground in
            for number in 1...10 { try await ground.phone("phone-\(number)", of: Self.ann) }
            try await ground.phone("phone", of: AccountGround.ben)
            await #expect(throws: LimitReached(.devices)) {
                _ = try await ground.devices.register(
                    DeviceRegistration(deviceId: DeviceID("phone-11")), token: .set(DeviceToken("ben-phone-device")),
                    user: Self.ann)
            }
            #expect(try await ground.count("devices", "user_id = 'ben' AND device_token IS NOT NULL") == 1)
        }
    }

    @Test func aPhoneWithoutTokensGivesWayTheOneUnseenForLongestFirst() async throws {
        try await AccountGround.with { ground in
            for number in 1...10 { try await ground.phone("phone-\(number)", of: Self.ann) }
            for number in [4, 7] { _ = try await ground.devices.unregister("phone-\(number)", user: Self.ann) }
            try await ground.seen("phone-7", ago: "2 days")
            // Unseen for longer, but in use.
            try await ground.seen("phone-1", ago: "29 days")
            try await ground.phone("phone-11", of: Self.ann)
            #expect(try await ground.count("devices", "device_id = 'phone-7'") == 0)
            try await ground.phone("phone-12", of: Self.ann)
            #expect(try await ground.count("devices", "device_id = 'phone-4'") == 0)
            await #expect(throws: LimitReached(.devices)) { try await ground.phone("phone-13", of: Self.ann) }
            #expect(try await ground.count("devices") == 10)
        }
    }

    @Test func aPhoneUnseenForThirtyDaysGivesWayAndWhatItShowsEnds() async throws {
        try await AccountGround.with { ground in
            for number in 1...10 { try await ground.phone("phone-\(number)", of: Self.ann) }
            try await ground.watch(on: "phone-3", of: Self.ann)
            try await ground.seen("phone-3", ago: "30 days 1 minute")
            let registered = try await ground.devices.register(
                DeviceRegistration(deviceId: DeviceID("phone-11")), token: .keep, user: Self.ann)
            #expect(registered.changedMatches == [AccountGround.match])
            #expect(try await ground.count("devices", "device_id = 'phone-3'") == 0)
            #expect(
                try await ground.count("live_activities", "device_id = 'phone-3' AND end_push = 'due'") == 1)
        }
    }

    @Test func onePhoneThatIsStillOwedAnEndGoesLast() async throws {
        try await AccountGround.with { ground in
            for number in 1...10 { try await ground.phone("phone-\(number)", of: Self.ann) }
            try await ground.watch(on: "phone-3", of: Self.ann)
            for number in [3, 5] { _ = try await ground.devices.unregister("phone-\(number)", user: Self.ann) }
            try await ground.seen("phone-3", ago: "1 day")
            try await ground.phone("phone-11", of: Self.ann)
            #expect(try await ground.count("devices", "device_id = 'phone-5'") == 0)
            #expect(try await ground.count("devices", "device_id = 'phone-3'") == 1)
        }
    }

    @Test func elevenPhonesAtOnceAreTen() async throws {
        try await AccountGround.with { (ground: AccountGround) async throws in
            await withTaskGroup(of: Void.self) { group in
                for number in 1...14 {
                    group.addTask {
                        _ = try? await ground.devices.register(
                            PushToStartRegistration(
                                pushToStartToken: PushToStartToken("start-\(number)"),
                                deviceId: DeviceID("phone-\(number)")), user: Self.ann)
                    }
                }
            }
            #expect(try await ground.count("devices") == 10)
        }
    }
}

extension AccountGround {
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
