import Postgres
import SightscreenModels
import Store
import Testing
import Tokens

@Suite struct DeviceTests {
    @Test func aPhoneThatBecomesCapableGetsWhatItMissesAtOnce() async throws {
        try await GatewayHarness.run { gateway in
            #expect(try await gateway.follow().liveActivity == .unavailable)
            try await gateway.register("phone")
            #expect(try await gateway.activities() == ["phone 1 pending"])
            #expect(gateway.notifier.matches.last == GatewayHarness.match)
        }
    }

    @Test func registeringAgainRevivesAStartThatWasGivenUp() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.sendStarts("s1")
            try await gateway.pool.execute("UPDATE live_activities SET start_given_up_at = now(), start_attempts = 3")
            try await gateway.register("phone")
            let waiting = try await gateway.pool.query(
                """
                SELECT FROM live_activities WHERE status = 'pending' AND start_given_up_at IS NULL AND start_attempts = 0
                    AND start_lease_until IS NULL
                """)
            #expect(waiting.count == 1)
        }
    }

    @Test func whatAPhoneSaysIsRunningIsNotStartedAgain() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            let body = """
                {"deviceId":"phone","platform":"ios","activities":[{"matchId":"\(GatewayHarness.match)","activityId":"a1"}]}
                """
            #expect(try await gateway.send("POST", "/devices", body).status == 200)
            let held = try await gateway.pool.query(
                "SELECT FROM live_activities WHERE status = 'pending' AND start_lease_until > now() + interval '1 minute'"
            )
            #expect(held.count == 1)
        }
    }

    /// What a card's token says when APNs calls it dead, only the phone knows.
    @Test(arguments: [
        (#"[]"#, #""bootedAt":1,"#, "unknown gone", "[1304076]"), (#"[]"#, "", "unknown gone", "[1304076]"),
        (#"[]"#, #""bootedAt":4000000000,"#, "unknown lost", "[]"),
        (#"[{"matchId":"1304076","activityId":"a1","state":"ended"}]"#, "", "unknown lost", "[]"),
        (#"[{"matchId":"1304076","activityId":"a1","state":"stale","lastSeen":1}]"#, "", "unknown there", "[]"),
    ])
    func aPhoneExplainsWhatBecameOfACard(list: String, boot: String, outcome: String, gone: String) async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            try await gateway.pool.execute(
                """
                UPDATE live_activities SET status = 'ended', end_reason = 'token_invalid', card = 'unknown',
                    ended_at = now(), activity_id = 'a1', update_token = 'ee', token_at = now() - interval '1 minute'
                """)
            let body = "{\"deviceId\":\"phone\",\(boot)\"platform\":\"ios\",\"activities\":\(list)}"
            let reply = try await gateway.send("POST", "/devices", body)
            #expect(reply.status == 200, "\(reply.text)")
            let answer = try reply.decode(DeviceResponse.self)
            // What is over makes room for the new one.
            #expect(answer.end == (list.contains("ended") ? [ActivityID("a1")] : []))
            #expect("\(answer.gone ?? [])" == gone)
            #expect(answer.tokensWanted == (outcome == "unknown there" ? [ActivityID("a1")] : nil))
            #expect(
                try await gateway.activities()
                    == (outcome == "unknown lost"
                        ? ["phone 1 ended token_invalid", "phone 2 pending"] : ["phone 1 ended token_invalid"]))
        }
    }

    @Test func aCardOfAMatchThatIsNotFollowedIsToEnd() async throws {
        try await GatewayHarness.run { gateway in
            let body = """
                {"deviceId":"phone","platform":"ios","activities":[
                {"matchId":"\(GatewayHarness.match)","activityId":"a1","state":"active"},
                {"matchId":"\(GatewayHarness.match)","activityId":"a2","state":"dismissed"}]}
                """
            let reply = try await gateway.send("POST", "/devices", body)
            #expect(try reply.decode(DeviceResponse.self).end == [ActivityID("a1")])
        }
    }

    @Test func whatARegistrationLeavesOutStaysAsItWas() async throws {
        try await GatewayHarness.run { gateway in
            let token = try GatewayHarness.token("device")
            let full = """
                {"deviceId":"phone","platform":"ios","deviceToken":"\(token.uppercased())","osVersion":"18.4",\
                "appVersion":"1.2.0","environment":"sandbox","liveActivitiesEnabled":true,"frequentPushesEnabled":false}
                """
            #expect(try await gateway.send("POST", "/devices", full).status == 200)
            let short = #"{"deviceId":"phone","platform":"ios"}"#
            #expect(try await gateway.send("POST", "/devices", short).status == 200)
            let sql = """
                SELECT coalesce(device_token, '-') AS token, environment, os_version, frequent_pushes_enabled AS frequent
                FROM devices
                """
            let kept = try #require(try await gateway.pool.query(sql).first)
            #expect(try gateway.vault.decrypt(kept.string("token"), as: .device) == token)
            #expect(try kept.string("environment") == "sandbox")
            #expect(try kept.string("os_version") == "18.4")
            #expect(try kept.bool("frequent") == false)
            let null = #"{"deviceId":"phone","platform":"ios","deviceToken":null}"#
            #expect(try await gateway.send("POST", "/devices", null).status == 200)
            #expect(try await gateway.pool.query(sql).first?.string("token") == "-")
        }
    }

    /// Every process says so, and none is ready.
    @Test func aDamagedSampleOfTheKeysIsAnOutageAndNoBug() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.pool.execute("UPDATE token_encryption SET sample = '$'")
            let answer = try await gateway.send("POST", "/devices", #"{"deviceId":"phone","platform":"ios"}"#)
            #expect(answer.status == 503)
            #expect(answer.problem == "unavailable")
        }
    }

    @Test func whoRegistersTheStartTokenOfAnAbsentUserHasItAndThatUsersActivitiesGoOn() async throws {
        try await GatewayHarness.run { gateway in
            let start = try GatewayHarness.token("the phone")
            try await gateway.register("phone", as: "alice", start: start)
            try await gateway.follow(as: "alice")
            _ = try await gateway.postToken("t1", device: "phone", as: "alice")
            try await gateway.pool.execute("UPDATE devices SET last_seen_at = now() - interval '7 days'")
            try await gateway.register("phone", as: "bob", start: start)
            #expect(try await gateway.activities(of: "alice") == ["phone 1 active"])
            let owners = try await gateway.pool.query(
                "SELECT user_id FROM devices WHERE \(TokenSQL.has("push_to_start_token", "$1"))",
                [try gateway.vault.parameter(start)])
            #expect(try owners.map { try $0.string("user_id") } == [GatewayHarness.sub("bob")])
        }
    }

    @Test func oneTokenRegisteredByManyAtOnceHasOneOwner() async throws {
        try await GatewayHarness.run { gateway in
            let start = try GatewayHarness.token("the phone")
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<16 {
                    group.addTask {
                        try await gateway.send(
                            "POST", "/devices/push-to-start-token",
                            #"{"pushToStartToken":"\#(start)","deviceId":"phone\#(index % 2)"}"#, as: "user\(index % 4)"
                        ).status
                    }
                }
                // Of another user's it waits.
                for try await status in group { #expect(status == 200 || status == 202) }
            }
            let owners = try await gateway.pool.query(
                "SELECT FROM devices WHERE \(TokenSQL.has("push_to_start_token", "$1"))",
                [try gateway.vault.parameter(start)])
            #expect(owners.count == 1)
        }
    }

    @Test func anUnregisteredPhoneIsEndedAndGetsNothingMore() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            _ = try await gateway.postToken("t1", device: "phone")
            for _ in 0..<2 {
                #expect(try await gateway.send("DELETE", "/devices/phone").status == 204)
                #expect(try await gateway.activities() == ["phone 1 ended token_invalid due"])
            }
            try await gateway.follow()
            #expect(try await gateway.activities() == ["phone 1 ended token_invalid due"])
        }
    }

    private static let malformed = [
        "{}", #"{"deviceId":"phone"}"#, #"{"deviceId":"phone","platform":"android"}"#,
        #"{"deviceId":"ph one","platform":"ios"}"#, #"{"deviceId":"","platform":"ios"}"#,
        #"{"deviceId":"p\u0000","platform":"ios"}"#, #"{"deviceId":7,"platform":"ios"}"#,
        #"{"deviceId":"phone","platform":"ios","deviceToken":"xyz"}"#,
        #"{"deviceId":"phone","platform":"ios","deviceToken":"abc"}"#,
        #"{"deviceId":"phone","platform":"ios","userId":"someone-else"}"#,
        #"{"deviceId":"phone","platform":"ios","liveActivitiesEnabled":"yes"}"#,
        #"{"deviceId":"phone","platform":"ios","activities":[1]}"#,
        #"{"deviceId":"phone","platform":"ios","activities":[{"matchId":1}]}"#,
    ]

    @Test func aMalformedRegistrationIsRefused() async throws {
        try await GatewayHarness.run { gateway in
            for body in Self.malformed {
                let answer = try await gateway.send("POST", "/devices", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == "invalid-request", "\(body)")
            }
            #expect(try await gateway.pool.query("SELECT FROM devices").isEmpty)
        }
    }
}
