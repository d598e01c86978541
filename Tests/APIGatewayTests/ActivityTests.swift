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
            #expect(gateway.bell.matches.last == GatewayHarness.match)
            let rung = gateway.bell.matches.count
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", ids)) == .active)
            #expect(gateway.bell.matches.count == rung)
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

    @Test func aTokenMovesToWhomeverRegistersItLast() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone", as: "alice", start: GatewayHarness.token("shared"))
            try await gateway.follow(as: "alice")
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", as: "alice")) == .active)
            // Bob signs in on the same phone and follows the same match: the very activity becomes his.
            try await gateway.follow(as: "bob")
            #expect(try outlook(try await gateway.postToken("t1", device: "phone", as: "bob")) == .active)
            #expect(try await gateway.activities(of: "alice") == ["phone 1 ended token_invalid"])
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
