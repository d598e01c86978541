import Activities
import Postgres
import SightscreenModels
import Testing

@testable import APIGateway

/// What one account can leave in the database, by every call that writes.
@Suite struct WritingRouteTests {
    private static let match = GatewayHarness.match
    private static let channel = "Y2hhbm5lbA=="
    private static let limits = ["RATE_LIMIT_FACTOR": "0"]

    private static let channels = """
        INSERT INTO broadcast_channels (match_id, environment, class, generation, shard, channel_id, opened_at)
        VALUES (\(match), 'production', 0, 1, 1, '\(channel)', now())
        """

    /// The routes by which a user changes something. A new one is among them by itself.
    private static func routes(of gateway: GatewayHarness) -> [Route] {
        gateway.routes.filter { $0.access == .users && $0.method != "GET" }
    }

    /// A request of a route in which every field is given; what names an activity or a token is new with each number.
    private static func request(_ route: Route, _ number: Int, device: String) throws -> (path: String, body: String?) {
        func value(_ name: String) throws -> String? {
            switch name {
            case "matchId": #""\#(match)""#
            case "deviceId": #""\#(device)""#
            case "activityId", "startId": #""\#(name)-\#(number)""#
            case "activityToken", "deviceToken", "pushToStartToken":
                #""\#(try GatewayHarness.token("\(name) \(number)"))""#
            case "channelId": #""\#(channel)""#
            case "activities": #"[{"matchId":"\#(match)","activityId":"activityId-\#(number)"}]"#
            case "platform": #""ios""#
            case "environment": #""production""#
            case "alerts": #""all""#
            case "teamId": #""1""#
            case "osVersion", "appVersion": #""18.2""#
            case "nonce": #""0123456789abcdef""#
            case "startsLocally", "broadcast", "liveActivitiesEnabled", "frequentPushesEnabled": "true"
            case "bootedAt": "1"
            // Another name of a field above.
            case "token": nil
            default: throw UnknownField(name: name)
            }
        }
        let path = route.path.replacing(":id", with: "\(match)").replacing(":deviceToken", with: device)
        guard let fields = route.operation.body?.fields else { return (path, nil) }
        let members = try fields.compactMap { field in try value(field.name).map { #""\#(field.name)":\#($0)"# } }
        return (path, "{\(members.joined(separator: ","))}")
    }

    private struct UnknownField: Error { var name: String }

    /// After each call the user unfollows, or signs out, and follows again: whatever may take the place of the last
    /// generation does.
    @Test func noneLeavesASeventeenthGeneration() async throws {
        try await GatewayHarness.run(environment: Self.limits, rows: Self.channels) { gateway in
            let routes = Self.routes(of: gateway)
            #expect(routes.count > 10)
            for route in routes {
                let user = route.operation.id
                for number in 1...18 {
                    try await gateway.follow(as: user)
                    try await gateway.register("phone", as: user, start: GatewayHarness.token("\(user) \(number)"))
                    for again in [number, number + 100] {
                        let request = try Self.request(route, again, device: "phone")
                        let answer = try await gateway.send(route.method, request.path, request.body, as: user)
                        #expect(answer.status < 500 && answer.status != 400, "\(user): \(answer.text)")
                        if route.operation.id == "deleteUser" { break }
                        // No end waits, since those have a bound of their own.
                        try await gateway.pool.execute(
                            "UPDATE live_activities SET end_push = 'sent' WHERE end_push = 'due'")
                    }
                    if route.operation.id == "deleteUser" { break }
                    let parting: (String, String) =
                        number % 2 == 0
                        ? ("DELETE", "/user/follow/match/\(Self.match)") : ("DELETE", "/devices/phone")
                    #expect(try await gateway.send(parting.0, parting.1, as: user).status < 300)
                }
                let generations = try await gateway.activities(of: user).count
                #expect(
                    generations <= ActivityTokenRule.reportedMax, "\(route.method) \(route.path) leaves \(generations)")
            }
        }
    }

    /// Each call comes from a phone under ever new names.
    @Test func noneLeavesActivitiesOnPhonesWithoutEnd() async throws {
        try await GatewayHarness.run(environment: Self.limits, rows: Self.channels) { gateway in
            for route in Self.routes(of: gateway) {
                let user = route.operation.id
                try await gateway.follow(as: user)
                for number in 1...30 {
                    let request = try Self.request(route, number, device: "phone-\(number)")
                    let answer = try await gateway.send(route.method, request.path, request.body, as: user)
                    #expect(answer.status < 500 && answer.status != 400, "\(user): \(answer.text)")
                    try await gateway.pool.execute(
                        "UPDATE devices SET device_token = NULL, push_to_start_token = NULL")
                }
                let rows = try await gateway.pool.query(
                    """
                    SELECT (SELECT count(*) FROM devices WHERE user_id = $1) AS phones,
                        (SELECT count(DISTINCT device_id) FROM live_activities WHERE user_id = $1) AS phones_with_activities,
                        (SELECT count(*) FROM live_activities AS l WHERE l.user_id = $1 AND l.status <> 'ended'
                            AND NOT EXISTS (SELECT FROM devices AS d
                                WHERE d.user_id = l.user_id AND d.device_id = l.device_id)) AS unknown
                    """, [.text(GatewayHarness.sub(user))])
                let (phones, showing) = (try rows[0].int("phones"), try rows[0].int("phones_with_activities"))
                #expect(phones <= UserDevices.devicesMax, "\(user): \(phones) phones")
                #expect(
                    showing <= UserDevices.devicesMax + UserDevices.formerDevicesMax,
                    "\(user): activities on \(showing) phones")
                #expect(try rows[0].int("unknown") == 0, "\(user): activities run on phones that are not registered")
            }
        }
    }
}
