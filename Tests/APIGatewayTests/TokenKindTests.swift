import Postgres
import SightscreenModels
import Testing

/// A phone has a token of one kind, and its user or another registers it as another kind.
@Suite struct TokenKindTests {
    enum Kind: String, CaseIterable { case device, start, update }

    /// What the token stands as, and what it is registered as.
    private static let ways: [(Kind, Kind)] = [
        (.device, .start), (.device, .update), (.start, .device), (.start, .update),
    ]

    private func register(
        as kind: Kind, by user: String, _ gateway: GatewayHarness
    ) async throws -> GatewayHarness.Answer {
        let token = try GatewayHarness.token("one")
        return switch kind {
        case .device:
            try await gateway.send(
                "POST", "/devices", #"{"deviceId":"phone","platform":"ios","deviceToken":"\#(token)"}"#, as: user)
        case .start:
            try await gateway.send(
                "POST", "/devices/push-to-start-token", #"{"deviceId":"phone","pushToStartToken":"\#(token)"}"#,
                as: user)
        case .update: try await gateway.postToken("one", device: "phone", as: user)
        }
    }

    /// The users with a token, and its kind.
    private func holders(_ gateway: GatewayHarness) async throws -> Set<String> {
        Set(
            try await gateway.pool.query(
                """
                SELECT user_id, 'device' AS kind FROM devices WHERE device_token IS NOT NULL
                UNION ALL SELECT user_id, 'start' FROM devices WHERE push_to_start_token IS NOT NULL
                UNION ALL SELECT user_id, 'update' FROM live_activities WHERE update_token IS NOT NULL
                """
            ).map {
                "\(try $0.string("user_id") == GatewayHarness.sub("alice") ? "alice" : "bob") \(try $0.string("kind"))"
            })
    }

    @Test(arguments: ways)
    func aTokenThatAPNsHasAcceptedIsOfThatKind(stands: Kind, registered: Kind) async throws {
        try await GatewayHarness.run { gateway in
            #expect(try await register(as: stands, by: "alice", gateway).status == 200)
            try await gateway.pool.execute(
                "UPDATE devices SET device_token_proven_at = clock_timestamp(), start_token_proven_at = clock_timestamp()"
            )
            try await gateway.follow(as: "bob")
            for user in ["bob", "alice"] {
                let answer = try await register(as: registered, by: user, gateway)
                #expect(answer.status == 409)
                #expect(answer.problem == "token-of-another-kind")
            }
            #expect(try await holders(gateway) == ["alice \(stands)"])
        }
    }

    /// Anybody can register a token as what it is not, before its phone does or after. Neither takes anything from the
    /// other, until APNs has accepted the token as one of them.
    @Test(arguments: ways)
    func anotherUsersTokenStandsBesideIt(stands: Kind, registered: Kind) async throws {
        try await GatewayHarness.run { gateway in
            #expect(try await register(as: stands, by: "alice", gateway).status == 200)
            try await gateway.follow(as: "bob")
            #expect(try await register(as: registered, by: "bob", gateway).status == 200)
            let both: Set = ["alice \(stands)", "bob \(registered)"]
            #expect(try await holders(gateway) == both)
            // The way round by another kind ends where the straight one does.
            #expect(try await register(as: stands, by: "bob", gateway).status == 202)
            #expect(try await holders(gateway).contains("alice \(stands)"))
            #expect(try await register(as: stands, by: "alice", gateway).status == 200)
            try await gateway.pool.execute(
                """
                UPDATE devices SET device_token_proven_at = clock_timestamp(), start_token_proven_at = clock_timestamp()
                WHERE user_id = '\(GatewayHarness.sub("alice"))'
                """)
            #expect(try await register(as: registered, by: "bob", gateway).status == 409)
            #expect(try await register(as: stands, by: "alice", gateway).status == 200)
            #expect(try await holders(gateway).contains("alice \(stands)"))
        }
    }

    @Test(arguments: ways)
    func aUsersOwnTokenGivesWay(stands: Kind, registered: Kind) async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.follow(as: "bob")
            #expect(try await register(as: stands, by: "bob", gateway).status == 200)
            #expect(try await register(as: registered, by: "bob", gateway).status == 200)
            #expect(try await holders(gateway) == ["bob \(registered)"])
        }
    }
}
