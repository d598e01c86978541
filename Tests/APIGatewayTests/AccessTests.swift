@testable import APIGateway
import HTTPClient
import Postgres
import SightscreenModels
import Testing

@Suite struct AccessTests {
    @Test func publicCallsNeedNoToken() async throws {
        try await GatewayHarness.run(environment: ["MIN_APP_VERSION": "2.1.0", "MAINTENANCE_MODE": "true"]) { gateway in
            for path in ["/", "/health", "/health/live", "/health/ready", "/app/config"] {
                let answer = try await gateway.send("GET", path, as: nil)
                #expect(answer.status == 200, "\(path)")
                #expect(answer.header("x-content-type-options") == "nosniff")
                #expect(answer.header("server") == nil)
            }
            let config = try await gateway.send("GET", "/app/config", as: nil).decode(AppConfig.self)
            #expect(config.minAppVersion == "2.1.0")
            #expect(config.maintenanceMode)
        }
    }

    @Test func everyOtherCallNeedsAGoodToken() async throws {
        try await GatewayHarness.run { gateway in
            let tokens = try [
                nil, "Bearer ", "Bearer x", "Basic abc", "Bearer \(GatewayHarness.bearer("alice", expiresIn: -61))",
                "Bearer \(GatewayHarness.bearer("alice", client: "another-app"))", GatewayHarness.bearer("alice"),
            ]
            for route in gateway.routes where route.access != .everybody {
                for token in tokens {
                    let answer = try await gateway.send(
                        route.method, route.path, as: nil, headers: token.map { [("authorization", $0)] } ?? [])
                    #expect(answer.status == 401, "\(route.method) \(route.path) \(token ?? "-")")
                    #expect(answer.problem == "unauthorized")
                    #expect(answer.header("www-authenticate") != nil)
                }
            }
            #expect(try await gateway.send("GET", "/matches").status == 200)
        }
    }

    @Test func whatDoesNotExistIsToldApartFromWhatIsNotAllowed() async throws {
        try await GatewayHarness.run { gateway in
            for path in ["/nothing", "/matches/1/2/3", "/Matches", "/matches/", "//", "/admin"] {
                let answer = try await gateway.send("GET", path)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.header("content-type") == "application/problem+json")
            }
            let wrong = try await gateway.send("PUT", "/user/follow/match")
            #expect(wrong.status == 405)
            #expect(wrong.header("allow") == "DELETE, POST")
            #expect(try await gateway.send("DELETE", "/matches/live").header("allow") == "GET, HEAD")
        }
    }

    @Test func aBodyIsReadStrictly() async throws {
        try await GatewayHarness.run { gateway in
            let id = GatewayHarness.match
            let bad = [
                "", "null", "[]", "hello", #"{"matchId":"\#(id)""#, #"{"matchId":"\#(id)"} x"#,
                #"{"matchId":"1","matchId":"\#(id)"}"#, "\u{feff}{\"matchId\":\"\(id)\"}",
                #"{"matchId":"\#(id)","x":\#(String(repeating: "[", count: 20))\#(String(repeating: "]", count: 20))}"#,
            ]
            for body in bad {
                let answer = try await gateway.send("POST", "/user/follow/match", body)
                #expect(answer.status == 400, "\(body)")
                #expect(answer.problem == "invalid-json", "\(body)")
            }
            for body in [
                #"{"matchId":\#(id)}"#, #"{"matchId":"\#(id)","colour":"red"}"#,
                #"{"matchId":"\#(id)","alerts":"loud"}"#, #"{"matchId":"\#(id)","alerts":"other"}"#,
            ] {
                let answer = try await gateway.send("POST", "/user/follow/match", body)
                #expect(answer.problem == "invalid-request", "\(body)")
            }
            let unknown = try await gateway.send("POST", "/user/follow/match", #"{"matchId":"77"}"#)
            #expect(unknown.status == 404)
            #expect(unknown.problem == "unknown-match")
            #expect(try await gateway.send("GET", "/user/follows").decode(FollowsResponse.self).follows.isEmpty)
            // The next good one works.
            try await gateway.follow()
        }
    }

    @Test func sizesAndTypesAreBounded() async throws {
        try await GatewayHarness.run { gateway in
            let path = "/user/follow/match"
            let filler = String(repeating: " ", count: 16_384)
            #expect(try await gateway.send("POST", path, filler).problem == "invalid-json")
            let large = try await gateway.send("POST", path, filler + " ")
            #expect(large.status == 413)
            let form = try await gateway.send(
                "POST", path, "matchId=1", headers: [("content-type", "application/x-www-form-urlencoded")])
            #expect(form.status == 415)
            let long = try await gateway.send("GET", "/matches?x=\(String(repeating: "a", count: 2_100))")
            #expect(long.status == 414)
        }
    }

    @Test func aRequestKeepsItsIdAndAProblemNamesIt() async throws {
        try await GatewayHarness.run { gateway in
            let answer = try await gateway.send("GET", "/nothing", headers: [("x-request-id", "abc-123")])
            #expect(answer.header("x-request-id") == "abc-123")
            #expect(try answer.decode(ProblemDocument.self).requestId == "abc-123")
            let made = try await gateway.send("GET", "/nothing", headers: [("x-request-id", "not an id!")])
            #expect(made.header("x-request-id")?.utf8.count == 16)
        }
    }
}
