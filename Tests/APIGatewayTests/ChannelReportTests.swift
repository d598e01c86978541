import Postgres
import SightscreenModels
import TestKit
import Testing

/// Broadcast channels in the answers to a follow, and what the app reports of an activity that listens to one.
@Suite struct ChannelReportTests {
    private static let id = "Y2hhbm5lbA=="
    private static let match = GatewayHarness.match

    /// A channel for each class; that of everyone who wants all alerts has the id `id`.
    private static let channels = """
        INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at)
        SELECT \(match), 'production', class, 1, 1, CASE class WHEN 0 THEN '\(id)' ELSE 'class-' || class END, now()
        FROM generate_series(0, 1) AS class
        """

    private static func listen(_ gateway: GatewayHarness, _ device: String = "phone") async throws {
        let body = #"{"deviceId":"\#(device)","platform":"ios","broadcast":true}"#
        #expect(try await gateway.send("POST", "/devices", body).status == 200)
    }

    private static func report(
        _ gateway: GatewayHarness, activity: String, start: String? = nil, device: String = "phone",
        channel: String = id
    ) async throws -> GatewayHarness.Answer {
        let start = start.map { #","startId":"\#($0)""# } ?? ""
        return try await gateway.send(
            "POST", "/matches/\(match)/activity",
            #"{"activityId":"\#(activity)","channelId":"\#(channel)","deviceId":"\#(device)"\#(start)}"#)
    }

    @Test func aPhoneThatCanListenIsToldItsClassesChannel() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            #expect(try await gateway.follow().channel == nil, "it never said that it can")
            try await Self.listen(gateway)
            #expect(try await gateway.follow().channel?.id == ChannelID(Self.id))
            #expect(try await gateway.follow(Self.match, #","alerts":"key""#).channel?.id == ChannelID("class-1"))
            #expect(try await gateway.follow(Self.match, #","alerts":"none""#).channel == nil, "a small class")
            #expect(try await gateway.follow(GatewayHarness.laterMatch).channel == nil)
            _ = try await gateway.follow(Self.match, #","alerts":"all""#)
            let match = try await gateway.send("GET", "/matches/\(Self.match)").decode(MatchItem.self)
            #expect(match.channel?.id == ChannelID(Self.id) && match.channel?.startsAt == match.startsAt)
            let other = try await gateway.send("GET", "/matches/\(Self.match)", as: "bob").decode(MatchItem.self)
            #expect(other.channel == nil)
        }
    }

    @Test func anActivityThatTheAppStartedItselfRunsFromItsReportOn() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow(Self.match, #","startsLocally":true,"deviceId":"phone""#)
            for _ in 0..<2 {
                let answer = try await Self.report(gateway, activity: "one")
                #expect(try answer.decode(ActivityReportResponse.self).liveActivity == .active)
            }
            #expect(try await gateway.activities() == ["phone 1 active"])
        }
    }

    @Test func anotherActivityTakesTheFormersPlace() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            #expect(try await gateway.postToken("t", device: "phone", #","activityId":"old""#).status == 200)
            #expect(try await Self.report(gateway, activity: "new", start: "unknown").status == 200)
            #expect(try await gateway.activities() == ["phone 1 ended match_end due", "phone 2 active"])
            let late = try await Self.report(gateway, activity: "old")
            #expect(try late.decode(ActivityReportResponse.self).liveActivity == .ended, "the app ends it")
        }
    }

    @Test func aReportWithoutAFollowOrAMatchChangesNothing() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            let answer = try await Self.report(gateway, activity: "one")
            #expect(try answer.decode(ActivityReportResponse.self).liveActivity == .ended)
            #expect(try await gateway.activities() == [])
            let unknown = try await gateway.send(
                "POST", "/matches/999/activity", #"{"activityId":"one","channelId":"x","deviceId":"phone"}"#)
            #expect(unknown.status == 404 && unknown.problem == "unknown-match")
        }
    }

    @Test func aChangeOfTheAlertLevelMovesTheCardUnlessTheAppDoes() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            #expect(try await Self.report(gateway, activity: "one").status == 200)
            #expect(try await Self.due(gateway) == [])
            let change = try await gateway.send("PATCH", "/user/follow/match/\(Self.match)", #"{"alerts":"key"}"#)
            #expect(change.status == 200)
            #expect(try await Self.due(gateway) == ["phone 1"])
        }
    }

    private static func due(_ gateway: GatewayHarness) async throws -> [String] {
        try await gateway.pool.query(
            """
            SELECT device_id || ' ' || generation AS due FROM live_activities
            WHERE renewal_due_at > now() + interval '100 seconds'
            """
        ).map { try $0.string("due") }
    }

    @Test func aCardOnAnotherChannelThanTheFollowsIsMoved() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            let answer = try await Self.report(gateway, activity: "one", channel: "class-1")
            #expect(try answer.decode(ActivityReportResponse.self).liveActivity == .active)
            let due = try await gateway.pool.query("SELECT FROM live_activities WHERE renewal_due_at <= now()")
            #expect(due.count == 1)
        }
    }

    /// No update reaches a card on it, so its app is to end it. The channel may be another match's, or made up.
    @Test(arguments: ["class-9", "made up"])
    func aCardOnAChannelThatIsNotTheMatchsIsNotRecorded(channel: String) async throws {
        let anothers = """
            INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at)
            VALUES (\(GatewayHarness.laterMatch), 'production', 0, 1, 1, 'class-9', now())
            """
        try await GatewayHarness.run(rows: anothers) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            let answer = try await Self.report(gateway, activity: "one", channel: channel)
            #expect(try answer.decode(ActivityReportResponse.self).liveActivity == .ended)
            #expect(try await gateway.activities() == ["phone 1 pending"])
        }
    }

    @Test func aCardOfAMatchThatIsOverIsNotRecorded() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.pool.execute("DELETE FROM live_activities")
            try await gateway.pool.execute("UPDATE active_matches SET ended_at = now()")
            let answer = try await Self.report(gateway, activity: "one")
            #expect(try answer.decode(ActivityReportResponse.self).liveActivity == .ended)
            #expect(try await gateway.activities() == [])
        }
    }

    @Test func theSeventeenthCardThatAPhoneReportsIsRefused() async throws {
        try await GatewayHarness.run(environment: ["RATE_LIMIT_FACTOR": "0"], rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            for number in 1...16 { #expect(try await Self.report(gateway, activity: "card-\(number)").status == 200) }
            let refused = try await Self.report(gateway, activity: "card-17")
            #expect(refused.status == 409 && refused.problem == "limit-reached", "\(refused.text)")
            // The newest goes on.
            let again = try await Self.report(gateway, activity: "card-16")
            #expect(try again.decode(ActivityReportResponse.self).liveActivity == .active)
        }
    }

    @Test func reportsThatComeToNothingAreLimitedByUser() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            for number in 1...5 { #expect(try await Self.report(gateway, activity: "card-\(number)").status == 200) }
            #expect(try await Self.report(gateway, activity: "card-6").status == 429, "the match is not followed")
        }
    }

    @Test func aCardThatNoPhoneEverShowedIsLostAndStartedAgain() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            try await gateway.pool.execute(
                """
                UPDATE live_activities SET status = 'active', channel_id = '\(Self.id)', start_id = 's',
                    activated_at = now() - interval '5 minutes', start_sent_at = now() - interval '5 minutes'
                """)
            let answer = try await gateway.send(
                "POST", "/devices", #"{"deviceId":"phone","platform":"ios","activities":[]}"#)
            #expect(try answer.decode(DeviceResponse.self).gone == nil)
            #expect(try await gateway.activities() == ["phone 1 ended token_invalid", "phone 2 pending"])
        }
    }

    @Test func anUnfollowAsksThePhonesThatListenToReconcile() async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            for device in ["phone", "pad"] {
                try await gateway.register(device)
                try await gateway.pool.execute(
                    "UPDATE devices SET device_token = device_id || user_id, broadcast = true")
            }
            try await gateway.follow()
            #expect(try await Self.report(gateway, activity: "one").status == 200)
            let unfollow = try await gateway.send("DELETE", "/user/follow/match/\(Self.match)")
            #expect(unfollow.status == 200)
            let asked = try await gateway.pool.query(
                "SELECT device_id FROM devices WHERE reconcile_due_at IS NOT NULL")
            #expect(try asked.map { try $0.string("device_id") } == ["phone"])
            #expect(try await gateway.activities() == ["pad 1 ended user_unfollow", "phone 1 ended user_unfollow"])
            // The app that wakes is told to end the card.
            let body = #"""
                {"deviceId":"phone","platform":"ios","activities":[{"matchId":"\#(Self.match)","activityId":"one",\#
                "channel":"\#(Self.id)"}]}
                """#
            let answer = try await gateway.send("POST", "/devices", body).decode(DeviceResponse.self)
            #expect(answer.end == [ActivityID("one")])
        }
    }

    @Test(arguments: [(0, true), (86_400, false)])
    func aCardThatThePhoneDoesNotListIsLostAfterARestartAndGoneOtherwise(age: Int, wasRestarted: Bool) async throws {
        try await GatewayHarness.run(rows: Self.channels) { gateway in
            try await gateway.register("phone")
            try await Self.listen(gateway)
            try await gateway.follow()
            #expect(try await Self.report(gateway, activity: "one").status == 200)
            try await gateway.pool.execute(
                """
                UPDATE live_activities SET activated_at = now() - interval '5 minutes',
                    seen_at = now() - interval '5 minutes'
                """)
            let boot = try await gateway.pool.query(
                "SELECT floor(extract(epoch FROM now()))::bigint - $1::bigint AS at", [.int(age)])[0].int("at")
            let body = #"{"deviceId":"phone","platform":"ios","activities":[],"bootedAt":\#(boot)}"#
            let answer = try await gateway.send("POST", "/devices", body).decode(DeviceResponse.self)
            #expect(answer.gone == (wasRestarted ? nil : [Self.match]))
            #expect(
                try await gateway.activities()
                    == ["phone 1 ended token_invalid"] + (wasRestarted ? ["phone 2 pending"] : []))
        }
    }
}
