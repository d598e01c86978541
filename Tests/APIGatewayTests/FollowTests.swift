import Postgres
import SightscreenModels
import Testing

@Suite struct FollowTests {
    @Test func followingAMatchInPlayMakesAPendingActivityForEachCapablePhone() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.register("pad")
            let plain = try await gateway.send("POST", "/devices", #"{"deviceId":"old","platform":"ios"}"#)
            #expect(try plain.decode(DeviceResponse.self).liveActivitiesCapable == false)
            let answer = try await gateway.follow()
            #expect(answer.following)
            #expect(answer.liveActivity == .starting)
            #expect(answer.displayState?.compactLeading.score == "87/6")
            #expect(answer.relevance == 62.5)
            #expect(try await gateway.activities() == ["pad 1 pending", "phone 1 pending"])
            #expect(gateway.notifier.matches.last == GatewayHarness.match)
            // Again: nothing more.
            try await gateway.follow()
            #expect(try await gateway.activities() == ["pad 1 pending", "phone 1 pending"])
        }
    }

    @Test func followingAMatchThatIsNotInPlayOnlyRecordsTheFollow() async throws {
        try await GatewayHarness.run { gateway in
            #expect(try await gateway.follow(GatewayHarness.laterMatch).liveActivity == .unavailable)
            try await gateway.register("phone")
            #expect(
                try await gateway.follow(GatewayHarness.laterMatch, #","teamId":"2","alerts":"key""#).liveActivity
                    == .scheduled)
            #expect(try await gateway.follow(GatewayHarness.laterMatch).relevance == nil)
            #expect(try await gateway.activities(GatewayHarness.laterMatch) == [])
            #expect(try await gateway.follow(GatewayHarness.finishedMatch).liveActivity == .ended)
            let follows = try await gateway.send("GET", "/user/follows").decode(FollowsResponse.self).follows
            #expect(follows.map(\.matchId) == [GatewayHarness.laterMatch, GatewayHarness.finishedMatch])
            #expect(follows.first?.teamId == "2")
            #expect(follows.first?.alerts == .key)
            #expect(follows.first?.expiresAt == nil)
            #expect(follows.last?.expiresAt != nil)
        }
    }

    @Test func aPhoneThatStartsLocallyIsGivenTimeForItBeforeAPushDoesIt() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.register("pad")
            let missing = try await gateway.send(
                "POST", "/user/follow/match", #"{"matchId":"\#(GatewayHarness.match)","startsLocally":true}"#)
            #expect(missing.status == 409)
            #expect(missing.problem == "device-required")
            #expect(try await gateway.activities() == [])
            try await gateway.follow(as: "alice", #","startsLocally":true,"deviceId":"phone""#)
            let held = try await gateway.pool.query(
                "SELECT device_id FROM live_activities WHERE start_lease_until > now() + interval '100 seconds'")
            #expect(try held.map { try $0.string("device_id") } == ["phone"])
            #expect(try await gateway.activities() == ["pad 1 pending", "phone 1 pending"])
        }
    }

    @Test func unfollowingEndsWhatRunsEverywhereAndMayBeRepeated() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.register("pad")
            try await gateway.follow()
            #expect(try await gateway.postToken("t1", device: "phone").status == 200)
            let body = #"{"matchId":"\#(GatewayHarness.match)"}"#
            for _ in 0..<2 {
                let answer = try await gateway.send("DELETE", "/user/follow/match", body)
                #expect(answer.status == 200)
                #expect(try answer.decode(UnfollowResponse.self).following == false)
                #expect(
                    try await gateway.activities() == ["pad 1 ended user_unfollow", "phone 1 ended user_unfollow due"])
            }
            #expect(try await gateway.send("GET", "/user/follows").decode(FollowsResponse.self).follows.isEmpty)
            // A late token of the start that was already out: an end to it, never active again.
            let late = try await gateway.postToken("t2", device: "pad")
            #expect(try late.decode(ActivityTokenResponse.self).liveActivity == .ended)
            #expect(try await gateway.activities().first == "pad 1 ended user_unfollow due")
            // And a new follow starts a new generation.
            try await gateway.follow()
            #expect(
                try await gateway.activities() == [
                    "pad 1 ended user_unfollow due", "pad 2 pending", "phone 1 ended user_unfollow due",
                    "phone 2 pending",
                ])
        }
    }

    @Test func theAliasesDoTheSame() async throws {
        try await GatewayHarness.run { gateway in
            let match = GatewayHarness.match
            try await gateway.register("phone")
            #expect(try await gateway.send("POST", "/matches/\(match)/follow").status == 200)
            #expect(try await gateway.activities() == ["phone 1 pending"])
            #expect(try await gateway.send("POST", "/matches/\(match)/unfollow", "{}").status == 200)
            #expect(try await gateway.activities() == ["phone 1 ended user_unfollow"])
            #expect(try await gateway.send("POST", "/matches/\(match)/follow", #"{"alerts":"none"}"#).status == 200)
            #expect(try await gateway.send("DELETE", "/user/follow/match/\(match)").status == 200)
            #expect(try await gateway.send("DELETE", "/user/follow/match/\(match)").status == 200)
        }
    }

    @Test func teamAndAlertsCanBeChangedAloneAndTheTeamForgotten() async throws {
        try await GatewayHarness.run { gateway in
            let path = "/user/follow/match/\(GatewayHarness.match)"
            #expect(try await gateway.send("PATCH", path, #"{"alerts":"key"}"#).problem == "not-following")
            try await gateway.follow()
            let first = try await gateway.send("PATCH", path, #"{"alerts":"none"}"#).decode(FollowItem.self)
            #expect(first.alerts == .none)
            #expect(first.teamId == nil)
            let second = try await gateway.send("PATCH", "\(path)/team", #"{"teamId":"1"}"#).decode(FollowItem.self)
            #expect(second.alerts == .none)
            #expect(second.teamId == "1")
            #expect(try await gateway.send("PATCH", path, #"{"teamId":null}"#).decode(FollowItem.self).teamId == nil)
            let stranger = try await gateway.send("PATCH", path, #"{"teamId":"99"}"#)
            #expect(stranger.status == 409)
            #expect(try stranger.decode(ProblemDocument.self).field == "teamId")
            #expect(try await gateway.send("PATCH", "\(path)/team", "{}").status == 400)
        }
    }

    @Test func oneUserDoesNotSeeOrTouchAnothersFollows() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone", as: "bob")
            try await gateway.follow(as: "bob")
            let path = "/user/follow/match/\(GatewayHarness.match)"
            #expect(try await gateway.send("DELETE", path, as: "mallory").status == 200)
            #expect(try await gateway.send("PATCH", path, #"{"alerts":"none"}"#, as: "mallory").status == 404)
            #expect(try await gateway.send("DELETE", "/devices/phone", as: "mallory").status == 204)
            #expect(try await gateway.activities(of: "bob") == ["phone 1 pending"])
        }
    }

    @Test func manyFollowsAndUnfollowsAtOnceLeaveAConsistentEnd() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<24 {
                    group.addTask {
                        try await gateway.send(
                            "POST",
                            "/matches/\(GatewayHarness.match)/\(index.isMultiple(of: 2) ? "follow" : "unfollow")"
                        ).status
                    }
                }
                for try await status in group { #expect(status == 200) }
            }
            try await gateway.follow()
            let current = try await gateway.activities().filter { $0.hasSuffix("pending") }
            #expect(current.count == 1)
            #expect(try await gateway.send("POST", "/matches/\(GatewayHarness.match)/unfollow").status == 200)
            #expect(try await gateway.activities().allSatisfy { $0.contains("ended") })
        }
    }
}
