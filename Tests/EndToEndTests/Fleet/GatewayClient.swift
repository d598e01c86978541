import FoundationEssentials
public import HTTPClient
public import SightscreenModels

/// The calls of the HTTP API that the phones of these tests make.
public struct GatewayClient: Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
        public init(_ description: String) { self.description = description }
    }

    public let base: String
    private let http: HTTPClient

    public init(base: String, http: HTTPClient) {
        self.base = base
        self.http = http
    }

    public func registerDevice(_ phone: SimulatedPhone, bearer: String) async throws {
        struct Body: Encodable {
            var deviceId: DeviceID
            var platform = "ios"
            var deviceToken: String
            var osVersion = "18.4"
            var appVersion = "1.0.0"
            var liveActivitiesEnabled = true
            var frequentPushesEnabled = true
            var broadcast: Bool
        }
        try await send(
            "POST", "/devices",
            Body(
                deviceId: phone.device, deviceToken: phone.deviceToken.rawValue,
                broadcast: phone.subscriber != nil), bearer: bearer)
    }

    public func registerStartToken(_ phone: SimulatedPhone, bearer: String) async throws {
        struct Body: Encodable {
            var pushToStartToken: String
            var deviceId: DeviceID
        }
        try await send(
            "POST", "/devices/push-to-start-token",
            Body(pushToStartToken: phone.startToken.rawValue, deviceId: phone.device), bearer: bearer)
    }

    public func follow(_ match: MatchID, alerts: AlertLevel = .all, bearer: String) async throws {
        struct Body: Encodable {
            var matchId: MatchID
            var alerts: AlertLevel
        }
        try await send("POST", "/user/follow/match", Body(matchId: match, alerts: alerts), bearer: bearer)
    }

    public func unfollow(_ match: MatchID, bearer: String) async throws {
        struct Body: Encodable { var matchId: MatchID }
        try await send("DELETE", "/user/follow/match", Body(matchId: match), bearer: bearer)
    }

    /// The matches that the user follows.
    public func follows(bearer: String) async throws -> [MatchID] {
        let response = try await http.send(
            HTTPClientRequest(
                url: "\(base)/user/follows", headers: [("authorization", "Bearer \(bearer)")], timeout: .seconds(5)))
        guard response.status == 200 else {
            throw Failure("GET /user/follows: \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return try JSONDecoder().decode(FollowsResponse.self, from: Data(response.body)).follows.map(\.matchId)
    }

    public func postUpdateToken(
        _ token: UpdateToken, phone: SimulatedPhone, activity: Int, bearer: String
    ) async throws {
        struct Body: Encodable {
            var activityToken: String
            var deviceId: DeviceID
            var activityId: ActivityID
            var startId: StartID
        }
        let running = phone.activities[activity]
        try await send(
            "POST", "/matches/\(running.matchID)/activity-token",
            Body(
                activityToken: token.rawValue, deviceId: phone.device, activityId: running.id, startId: running.startID),
            bearer: bearer)
    }

    /// Reports an activity that listens to a channel.
    public func report(phone: SimulatedPhone, activity: Int, channel: String, bearer: String) async throws {
        let running = phone.activities[activity]
        try await send(
            "POST", "/matches/\(running.matchID)/activity",
            ActivityReport(
                activityId: running.id, channelId: ChannelID(channel), deviceId: phone.device,
                startId: running.startID), bearer: bearer)
    }

    /// Whether the gateway knows the match.
    public func knows(_ match: MatchID, bearer: String) async throws -> Bool {
        let response = try await http.send(
            HTTPClientRequest(
                url: "\(base)/matches/\(match)", headers: [("authorization", "Bearer \(bearer)")], timeout: .seconds(5))
        )
        return response.status == 200
    }

    private func send(_ method: String, _ path: String, _ body: some Encodable, bearer: String) async throws {
        let response = try await http.send(
            HTTPClientRequest(
                method: method, url: base + path,
                headers: [("authorization", "Bearer \(bearer)"), ("content-type", "application/json")],
                body: [UInt8](try JSONEncoder().encode(body)), timeout: .seconds(5)))
        guard (200..<300).contains(response.status) else {
            throw Failure("\(method) \(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
    }
}
