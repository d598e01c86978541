import Postgres
import SightscreenModels
import TestKit
import Testing

@testable import APIGateway

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

    /// An export waits in memory for its reader, so there is one of each user; exports of others do not wait for that.
    @Test func anExportThatIsNotReadKeepsItsUsersPlaceUntilItIsReadOrItsConnectionIsGone() async throws {
        try await GatewayHarness.run(environment: ["RATE_LIMIT_FACTOR": "0"]) { gateway in
            for user in ["alice", "bob"] {
                // More than both kernels' buffers hold.
                try await gateway.pool.execute(
                    """
                    INSERT INTO live_activities (match_id, user_id, device_id, generation, route, shard, status,
                        end_reason, activity_id, start_id, ended_at, end_push)
                    SELECT 1, $1, repeat('d', 64), n, 1, 1, 'ended', 'match_end', repeat('a', 60) || n,
                        repeat('s', 60) || n, now(), 'none'
                    FROM generate_series(1, \(AccountStore.exportedActivitiesMax)) AS n
                    """, [.text(GatewayHarness.sub(user))])
            }
            func export(_ user: String) async throws -> RawClient {
                let client = try RawClient(port: gateway.port, receiveBuffer: 2_048)
                let bearer = try GatewayHarness.bearer(user)
                let request = "GET /user/data HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(bearer)\r\n\r\n"
                try await client.send(request)
                try await eventually("the answer begins") {
                    client.takeOnce()
                    return !client.received.isEmpty
                }
                return client
            }
            let alice = try await export("alice")
            let ofOneUser = try await gateway.send("GET", "/user/data")
            #expect(ofOneUser.status == 503)
            #expect(ofOneUser.header("retry-after") == "15")
            var bob: RawClient? = try await export("bob")
            #expect(try await gateway.send("GET", "/user/data", as: "carol").status == 200)

            #expect(try await alice.answers(1).map(\.status) == [200])
            #expect(bob?.isClosed == false)
            bob = nil
            for user in ["alice", "bob"] {
                try await eventually("the place of \(user), who has read it or left, is free") {
                    try await gateway.send("HEAD", "/user/data", as: user).status == 200
                }
            }
        }
    }

    @Test func twoExportsAreMadeAtATimeAndThirtyTwoWaitForTheirReaders() async throws {
        let slots = ExportSlots()
        func isRefused(_ user: String) async -> Bool {
            do { _ = try await slots.reply(to: UserID(user)) { .noContent } } catch { return error is Problem }
            return false
        }
        _ = try await slots.reply(to: UserID("a")) {
            try await slots.reply(to: UserID("b")) {
                #expect(await isRefused("c"))
                return .noContent
            }
        }
        // One that fails has no place, and one that is made leaves room for another.
        _ = try? await slots.reply(to: UserID("c")) { throw Problem(.internalError) }
        var unread: [Reply] = []
        for number in 0..<ExportSlots.max {
            unread.append(try await slots.reply(to: UserID("u\(number)")) { .noContent })
        }
        #expect(await isRefused("c"))
        unread.removeLast()
        #expect(await isRefused("u0"))
        #expect(await !isRefused("c"))
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
