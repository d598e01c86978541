import Postgres
import SightscreenModels
import Testing

@testable import APIGateway

@Suite struct ActivityTests {
    private func outlook(_ answer: GatewayHarness.Answer) throws -> LiveActivityOutlook {
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.decode(ActivityTokenResponse.self).liveActivity
    }

    @Test func theFirstTokenActivatesAnotherRotatesAndTheSameChangesNothing() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.sendStarts("s1")
            let ids = #","activityId":"a1","startId":"s1""#
            let first = try await gateway.postToken("t1", device: "phone", ids)
            #expect(try outlook(first) == .active)
            let response = try first.decode(ActivityTokenResponse.self)
            #expect(response.displayState?.version == 7)
            #expect(first.body == (try Reply.json(response).body))
            #expect(try await gateway.activities() == ["phone 1 active"])
            #expect(gateway.notifier.matches.last == GatewayHarness.match)
            let notified = gateway.notifier.matches.count
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", ids)) == .active)
            #expect(gateway.notifier.matches.count == notified)
            #expect(try outlook(try await gateway.postToken("t2", device: "phone", ids)) == .active)
            #expect(try await gateway.tokenOfRecord("phone", 1) == GatewayHarness.token("t2"))
            #expect(try await gateway.activities() == ["phone 1 active"])
        }
    }

    @Test func theDeviceMayBeLeftOutWhereTheUserHasOneAndTheTokenMayBeCalledToken() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            let path = "/matches/\(GatewayHarness.match)/activity-token"
            let body = #"{"token":"\#(try GatewayHarness.token("t1").uppercased())"}"#
            #expect(try outlook(try await gateway.send("POST", path, body)) == .active)
            #expect(try await gateway.tokenOfRecord("phone", 1) == GatewayHarness.token("t1"))
            try await gateway.register("pad")
            #expect(try await gateway.send("POST", path, body).problem == "device-required")
        }
    }

    @Test func theNewerOfTwoActivitiesStaysAndTheOtherTokenGetsAnEnd() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.sendStarts("s1")
            // The app's own activity comes first, then the one that the push started.
            #expect(try outlook(try await gateway.postToken("own", device: "phone", #","activityId":"a0""#)) == .active)
            let pushed = try await gateway.postToken("t1", device: "phone", #","activityId":"a1","startId":"s1""#)
            #expect(try outlook(pushed) == .active)
            #expect(try await gateway.activities() == ["phone 1 ended match_end due", "phone 2 active"])
            #expect(try await gateway.tokenOfRecord("phone", 1) == GatewayHarness.token("own"))
            #expect(try await gateway.tokenOfRecord("phone", 2) == GatewayHarness.token("t1"))
            // The loser's token again: it stays ended.
            #expect(try outlook(try await gateway.postToken("own", device: "phone", #","activityId":"a0""#)) == .ended)
            #expect(try await gateway.activities() == ["phone 1 ended match_end due", "phone 2 active"])
        }
    }

    @Test func anActivityOfAMatchThatIsNotFollowedIsRefusedAndEnded() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            for _ in 0..<2 {
                _ = try await gateway.postToken("t1", device: "phone", #","activityId":"a1""#)
            }
            let answer = try await gateway.postToken("t2", device: "phone", #","activityId":"a2""#)
            #expect(answer.status == 404)
            #expect(answer.problem == "not-following")
            #expect(
                try await gateway.activities() == [
                    "phone 1 ended user_unfollow due", "phone 2 ended user_unfollow due",
                ])
            #expect(try await gateway.tokenOfRecord("phone", 1) == GatewayHarness.token("t1"))
        }
    }

    @Test func aMatchThatNobodyKnowsIsRefusedAndNothingIsWrittenOrSent() async throws {
        try await GatewayHarness.run { gateway in
            let answer = try await gateway.postToken("t1", device: "phone", match: MatchID(4_711))
            #expect(answer.status == 404)
            #expect(answer.problem == "unknown-match")
            #expect(try await gateway.pool.query("SELECT FROM live_activities").isEmpty)
            #expect(try await gateway.pool.query("SELECT FROM devices").isEmpty)
            #expect(gateway.notifier.matches.isEmpty)
        }
    }

    @Test func theTokenOfAnothersActivityGetsNoEndFromWhoDoesNotFollow() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone", as: "alice")
            try await gateway.follow(as: "alice")
            _ = try await gateway.postToken("t1", device: "phone", as: "alice")
            let refused = try await gateway.postToken("t1", device: "phone", as: "bob")
            #expect(refused.status == 404)
            #expect(refused.problem == "not-following")
            let over = try await gateway.postToken(
                "t1", device: "phone", as: "bob", match: GatewayHarness.finishedMatch)
            #expect(try outlook(over) == .ended)
            #expect(try await gateway.activities(of: "alice") == ["phone 1 active"])
            #expect(try await gateway.pool.query("SELECT FROM live_activities").count == 1)
        }
    }

    @Test func aPhonesActivitiesOfAMatchAndTheEndsItIsOwedAreBounded() async throws {
        try await GatewayHarness.run(environment: ["RATE_LIMIT_FACTOR": "0"]) { gateway in
            try await gateway.follow()
            func post(_ number: Int) async throws -> GatewayHarness.Answer {
                try await gateway.postToken("t\(number)", device: "phone", #","activityId":"a\#(number)""#)
            }
            for number in 1...5 { #expect(try outlook(try await post(number)) == .active) }
            #expect(try await post(6).problem == "limit-reached")
            for number in 6...16 {
                try await gateway.pool.execute("UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
                #expect(try outlook(try await post(number)) == .active)
            }
            try await gateway.pool.execute("UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
            let answer = try await post(17)
            #expect(answer.status == 409)
            #expect(answer.problem == "limit-reached")
            #expect(try await gateway.activities().count == 16)
        }
    }

    @Test func anActivityOfTheAppsOwnIsTakenWhenTheMatchIsFollowed() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.follow(GatewayHarness.laterMatch)
            let answer = try await gateway.postToken(
                "t1", device: "never-registered", match: GatewayHarness.laterMatch, #","activityId":"a1""#)
            #expect(try outlook(answer) == .active)
            #expect(try await gateway.activities(GatewayHarness.laterMatch) == ["never-registered 1 active"])
        }
    }

    @Test func afterTheMatchEveryTokenGetsAnEnd() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.pool.execute("UPDATE active_matches SET ended_at = now(), settled_at = now()")
            #expect(try outlook(try await gateway.postToken("t1", device: "phone")) == .ended)
            #expect(try await gateway.activities() == ["phone 1 ended match_end due"])
            #expect(
                try outlook(try await gateway.postToken("t2", device: "pad", match: GatewayHarness.finishedMatch))
                    == .ended)
        }
    }

    @Test func aTokenWaitsUntilItsOwnerLeavesThePhone() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone", as: "alice")
            try await gateway.follow(as: "alice")
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", as: "alice")) == .active)
            // Bob signs in on the same phone and follows the same match, or knows the token from elsewhere.
            try await gateway.register("phone", as: "bob")
            try await gateway.follow(as: "bob")
            let answer = try await gateway.postToken("t1", device: "phone", as: "bob")
            #expect(answer.status == 202)
            #expect(
                try answer.decode(ActivityTokenResponse.self)
                    == ActivityTokenResponse(liveActivity: .unavailable, displayState: nil, waitsFor: .deviceToken))
            #expect(try await gateway.activities(of: "alice") == ["phone 1 active"])
            #expect(try await gateway.activities(of: "bob") == ["phone 1 pending"])
            // Alice's sign-out arrives: the very activity becomes his.
            #expect(try await gateway.send("DELETE", "/devices/phone", as: "alice").status == 204)
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", as: "bob")) == .active)
            #expect(try await gateway.activities(of: "alice") == ["phone 1 ended token_invalid dropped"])
            #expect(try await gateway.activities(of: "bob") == ["phone 1 active"])
        }
    }

    @Test func aDismissalUnfollowsEverywhere() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.register("pad")
            try await gateway.follow()
            _ = try await gateway.postToken("t1", device: "phone", #","activityId":"a1""#)
            _ = try await gateway.postToken("t2", device: "pad", #","activityId":"a2""#)
            let path = "/matches/\(GatewayHarness.match)/activity-dismissed"
            for _ in 0..<2 {
                let answer = try await gateway.send("POST", path, #"{"deviceId":"phone","activityId":"a1"}"#)
                #expect(try answer.decode(UnfollowResponse.self).following == false)
                #expect(
                    try await gateway.activities() == ["pad 1 ended user_unfollow due", "phone 1 ended user_dismissed"])
            }
        }
    }

    @Test func theDismissalOfAnEndedOrUnknownActivityIsOnlyRecorded() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.sendStarts("s1")
            _ = try await gateway.postToken("own", device: "phone", #","activityId":"a0""#)
            _ = try await gateway.postToken("t1", device: "phone", #","activityId":"a1","startId":"s1""#)
            let path = "/matches/\(GatewayHarness.match)/activity-dismissed"
            for id in ["a0", "never-seen"] {
                let answer = try await gateway.send("POST", path, #"{"deviceId":"phone","activityId":"\#(id)"}"#)
                #expect(try answer.decode(UnfollowResponse.self).following == true)
            }
            #expect(try await gateway.activities() == ["phone 1 ended match_end dropped", "phone 2 active"])
        }
    }
}
