import Postgres
import SightscreenModels
import Testing

@Suite struct UserTests {
    @Test func theExportShowsWhatIsKeptAndOnlyTheUsersOwn() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone-1")
            try await gateway.register("phone-2", as: "bob")
            try await gateway.follow()
            let answer = try await gateway.send("GET", "/user/data")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.header("cache-control") == "no-store")
            let data = try answer.decode(UserDataResponse.self)
            #expect(data.userId.rawValue == GatewayHarness.sub("alice"))
            #expect(data.devices.map(\.deviceId) == [DeviceID("phone-1")])
            #expect(data.follows.map(\.matchId) == [GatewayHarness.match])
            #expect(data.liveActivities.map(\.status) == ["pending"])
        }
    }

    @Test func aDamagedTokenKeepsNoExportBack() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone")
            try await gateway.follow()
            #expect(try await gateway.postToken("t", device: "phone").status == 200)
            for (table, column) in [
                ("devices", "device_token"), ("devices", "push_to_start_token"), ("live_activities", "update_token"),
            ] {
                try await gateway.pool.execute("UPDATE \(table) SET \(column) = '$AAAAAAAAAAAAAAAAAAAAAA$1$damaged'")
            }
            let answer = try await gateway.send("GET", "/user/data")
            #expect(answer.status == 200, "\(answer.text)")
            let data = try answer.decode(UserDataResponse.self)
            #expect(data.devices.count == 1 && data.devices[0].pushToStartTokenAt != nil)
            #expect(data.liveActivities.map { $0.activityTokenAt != nil } == [true])
            #expect(!answer.text.contains("damaged"))
        }
    }

    @Test func aDeletedUserIsGoneAndOlderTokensAreRefused() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.register("phone-1")
            try await gateway.follow()
            let answer = try await gateway.send("DELETE", "/user")
            #expect(answer.status == 204)
            for (method, path) in [("GET", "/user/data"), ("GET", "/user/follows"), ("POST", "/devices")] {
                let refused = try await gateway.send(method, path)
                #expect(refused.status == 401)
                #expect(refused.text.contains("the account was deleted"))
            }
            let again = try await gateway.send("DELETE", "/user")
            #expect(again.status == 204)
            let others = try await gateway.send("GET", "/user/follows", as: "bob")
            #expect(others.status == 200)
            let rows = try await gateway.pool.query(
                """
                SELECT (SELECT count(*) FROM match_follows) AS follows,
                    (SELECT count(*) FROM devices WHERE push_to_start_token IS NOT NULL) AS tokens,
                    (SELECT count(*) FROM live_activities WHERE status <> 'ended') AS activities
                """)
            for name in ["follows", "tokens", "activities"] { #expect(try rows[0].int(name) == 0, "\(name)") }
        }
    }
}
