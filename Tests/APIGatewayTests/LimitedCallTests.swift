import SightscreenModels
import Testing

/// Limits as callers meet them.
@Suite struct LimitedCallTests {
    private static let key = "the-key-of-0123456789-administrators"

    /// A limit that lets the right key through hides answers and hinders no guess.
    @Test func overTheLimitOfWrongKeysNotEvenTheRightOneIsLetIn() async throws {
        try await GatewayHarness.run(environment: ["ADMIN_API_KEY": Self.key]) { gateway in
            func ask(_ key: String) async throws -> GatewayHarness.Answer {
                try await gateway.send("GET", "/admin/hold", as: nil, headers: [("x-api-key", key)])
            }
            for _ in 0..<10 {
                let answer = try await ask(String(repeating: "x", count: 40))
                #expect(answer.status == 401)
                #expect(answer.header("www-authenticate") == "Bearer")
            }
            let limited = try await ask(String(repeating: "x", count: 40))
            #expect(limited.status == 429)
            #expect(limited.header("retry-after") == "3600")
            let right = try await ask(Self.key)
            #expect(right.status == 429)
            // An administrator's token is no guess.
            let administrator = try await gateway.send("GET", "/admin/hold", as: "carol", isAdmin: true)
            #expect(administrator.status == 200)
        }
    }

    @Test func aFewWrongKeysDoNotKeepTheRightOneOut() async throws {
        try await GatewayHarness.run(environment: ["ADMIN_API_KEY": Self.key]) { gateway in
            for key in [String](repeating: "x", count: 9) + [Self.key, Self.key] {
                let answer = try await gateway.send("GET", "/admin/hold", as: nil, headers: [("x-api-key", key)])
                #expect(answer.status == (key == Self.key ? 200 : 401))
            }
        }
    }

    @Test func callsOfNobodyCountAgainstTheirAddress() async throws {
        try await GatewayHarness.run { gateway in
            let expired = try GatewayHarness.bearer("alice", expiresIn: -300)
            let calls: [(path: String, headers: [(String, String)], status: Int)] = [
                ("/nothing", [], 404), ("/user/follows", [], 401),
                ("/user/follows", [("authorization", "Bearer \(expired)")], 401),
            ]
            var refused = 0
            for number in 0..<640 {
                let call = calls[number % calls.count]
                let answer = try await gateway.send("GET", call.path, as: nil, headers: call.headers)
                #expect(answer.status == call.status || answer.status == 429)
                if answer.status == 429 { refused += 1 }
            }
            // The bucket refills by ten a second.
            #expect((1...40).contains(refused))
            #expect(try await gateway.send("GET", "/user/follows").status == 200, "who says who he is, is let in")
        }
    }

    @Test func aRequestCountsThoughItsFormIsWrongOrItsCallerHasNoRight() async throws {
        try await GatewayHarness.run { gateway in
            var statuses: [Int: Int] = [:]
            for _ in 0..<40 {
                let answer = try await gateway.send("POST", "/user/follow/match", "{}")
                statuses[answer.status, default: 0] += 1
            }
            #expect((30...32).contains(statuses[400] ?? 0))
            #expect((8...10).contains(statuses[429] ?? 0))
            // Another limit, another user: not concerned.
            let read = try await gateway.send("GET", "/user/follows")
            #expect(read.status == 200)
            let other = try await gateway.send("POST", "/user/follow/match", "{}", as: "bob")
            #expect(other.status == 400)
        }
    }

    @Test func anAccountWithTooManyBadTokensRegistersNoMoreForTheHour() async throws {
        let rows = """
            INSERT INTO bad_tokens (user_id, since, count)
            VALUES ('\(GatewayHarness.sub("alice"))', clock_timestamp() - interval '50 minutes', 20),
                ('\(GatewayHarness.sub("bob"))', clock_timestamp(), 19)
            """
        try await GatewayHarness.run(rows: rows) { gateway in
            let token = String(repeating: "d1", count: 32)
            let calls = [
                ("/devices", #"{"deviceId":"phone","platform":"ios","deviceToken":"\#(token)"}"#),
                ("/devices/push-to-start-token", #"{"deviceId":"phone","pushToStartToken":"\#(token)"}"#),
                (
                    "/matches/\(GatewayHarness.match)/activity-token",
                    #"{"deviceId":"phone","activityToken":"\#(token)"}"#
                ),
            ]
            for (path, body) in calls {
                let answer = try await gateway.send("POST", path, body)
                #expect(answer.status == 429, "\(path): \(answer.text)")
                #expect((590...601).contains(answer.header("retry-after").flatMap { Int($0) } ?? 0))
                let other = try await gateway.send("POST", path, body, as: "bob")
                #expect(other.status != 429, "\(path): \(other.text)")
            }
            // What it shows may be said, and it may leave.
            let list = try await gateway.send(
                "POST", "/devices", #"{"deviceId":"phone","platform":"ios","activities":[]}"#)
            #expect(list.status == 200)
            #expect(try await gateway.send("DELETE", "/devices/phone").status == 204)
        }
    }

    @Test func activityTokensOfWhichNothingComesAreLimitedByUser() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.follow(GatewayHarness.laterMatch)
            func refused(_ number: Int, as user: String = "alice") async throws -> GatewayHarness.Answer {
                try await gateway.postToken("t\(number)", device: "phone", as: user, #","activityId":"a\#(number)""#)
            }
            // A good one costs nothing.
            for _ in 0..<3 {
                let good = try await gateway.postToken(
                    "good", device: "phone", match: GatewayHarness.laterMatch, #","activityId":"good""#)
                #expect(good.status == 200)
            }
            for number in 1...5 { #expect(try await refused(number).status == 404) }
            let limited = try await refused(6)
            #expect(limited.status == 429)
            #expect(limited.problem == "rate-limited")
            #expect((10...12).contains(limited.header("retry-after").flatMap { Int($0) } ?? 0))
            #expect(try await gateway.activities().count == 4)
            #expect(try await refused(1, as: "bob").status == 404)
        }
    }

    /// Who invents tokens replaces each before APNs has been asked.
    @Test func anActivityGetsFewNewTokensAMinute() async throws {
        try await GatewayHarness.run { gateway in
            try await gateway.follow()
            for number in 0...6 {
                let answer = try await gateway.postToken("t\(number)", device: "phone", #","activityId":"a""#)
                #expect(answer.status == (number <= 5 ? 200 : 429))
            }
        }
    }

    /// Those under way at once are all looked at, and waited for afterwards.
    @Test func manyAtOnceAreNoWayAroundThatLimit() async throws {
        try await GatewayHarness.run { gateway in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        try await gateway.postToken("t\(number)", device: "phone", match: MatchID(4_711)).status
                    }
                }
                for try await status in group { #expect([404, 429].contains(status)) }
            }
            let limited = try await gateway.postToken("t", device: "phone")
            #expect(limited.status == 429)
        }
    }

    @Test func aFactorOfZeroLetsEverybodyIn() async throws {
        try await GatewayHarness.run(environment: ["RATE_LIMIT_FACTOR": "0"]) { gateway in
            for _ in 0..<40 {
                let answer = try await gateway.send("POST", "/user/follow/match", "{}")
                #expect(answer.status == 400)
            }
        }
    }

    @Test func usersWaitUntilTheGatewayKnowsWhoWasDeleted() async throws {
        try await GatewayHarness.run(knowsDeletions: false) { gateway in
            let answer = try await gateway.send("GET", "/user/follows")
            #expect(answer.status == 503)
            #expect(answer.header("retry-after") != nil)
            let open = try await gateway.send("GET", "/app/config", as: nil)
            #expect(open.status == 200)
        }
    }

    @Test func aCompressedBodyIsRefused() async throws {
        try await GatewayHarness.run { gateway in
            let answer = try await gateway.send(
                "POST", "/user/follow/match", "{}", headers: [("content-encoding", "gzip")])
            #expect(answer.status == 415)
        }
    }

    @Test func whoShowsNothingIsNotToldThatATokenIsBad() async throws {
        try await GatewayHarness.run { gateway in
            let nothing = try await gateway.send("GET", "/user/follows", as: nil)
            #expect(nothing.header("www-authenticate") == "Bearer")
            let bad = try await gateway.send("GET", "/user/follows", as: nil, headers: [("authorization", "Bearer x")])
            #expect(bad.header("www-authenticate") == #"Bearer error="invalid_token""#)
        }
    }
}
