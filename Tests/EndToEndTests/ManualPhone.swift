import FoundationEssentials
import HTTPClient
import OperatorTool
import SightscreenModels
import TestKit

/// A phone of which a test makes every call itself, and what Apple was asked to deliver to it.
struct ManualPhone: Sendable {
    let user: String
    let device: DeviceID
    let deviceToken = ManualPhone.hex(32)
    let startToken = ManualPhone.hex(40)
    private let suite: RunningSuite
    private let bearer: String

    init(_ user: String, _ suite: RunningSuite) throws {
        self.user = user
        self.suite = suite
        device = DeviceID("\(user)-phone")
        bearer = try suite.bearer(user)
    }

    /// Starts the match, and returns phones that follow it, each with the token of its card, which has a state.
    static func withCards(
        _ users: [String], of match: MatchID, _ suite: RunningSuite
    ) async throws -> (phones: [ManualPhone], updateTokens: [String]) {
        let phones = try users.map { try ManualPhone($0, suite) }
        let tokens = phones.map { _ in hex(32) }
        for phone in phones {
            try await phone.register()
            try await phone.follow(match, startsLocally: true)
        }
        _ = try await suite.tape.play(match)
        for (phone, token) in zip(phones, tokens) {
            try await phone.report(token, of: "\(phone.user)-1", match: match)
            try await eventually("\(phone.user) has a state") { try await !phone.pushes(to: token).isEmpty }
        }
        return (phones, tokens)
    }

    // MARK: - What the app does

    /// - Parameters:
    ///   - startsByPush: the phone has a push-to-start token.
    ///   - newToken: instead of its first one.
    func register(startsByPush: Bool = true, newToken: String? = nil) async throws {
        let startToken = newToken ?? startToken
        try await suite.apns.register(deviceToken, kind: "device")
        try await call(
            "POST", "/devices", #"{"deviceId":"\#(device)","platform":"ios","deviceToken":"\#(deviceToken)"}"#)
        guard startsByPush else { return }
        try await suite.apns.register(startToken, kind: "start")
        try await call(
            "POST", "/devices/push-to-start-token", #"{"deviceId":"\#(device)","pushToStartToken":"\#(startToken)"}"#)
    }

    /// Says that the phone has restarted and shows no card.
    func reconcile(bootedAt: Int) async throws {
        try await call(
            "POST", "/devices",
            #"{"deviceId":"\#(device)","platform":"ios","deviceToken":"\#(deviceToken)","bootedAt":\#(bootedAt),"activities":[]}"#
        )
    }

    /// Registers the tokens of another user's phone.
    func claim(_ other: ManualPhone) async throws {
        try await call(
            "POST", "/devices", #"{"deviceId":"\#(device)","platform":"ios","deviceToken":"\#(other.deviceToken)"}"#,
            expecting: [200, 202])
        try await call(
            "POST", "/devices/push-to-start-token",
            #"{"deviceId":"\#(device)","pushToStartToken":"\#(other.startToken)"}"#, expecting: [200, 202])
    }

    func unregister(by token: String) async throws { try await call("DELETE", "/devices/\(token)", "") }

    func follow(_ match: MatchID, startsLocally: Bool = false) async throws {
        try await call(
            "POST", "/user/follow/match",
            #"{"matchId":"\#(match)","deviceId":"\#(device)","startsLocally":\#(startsLocally)}"#)
    }

    func unfollow(_ match: MatchID) async throws {
        try await call("DELETE", "/user/follow/match", #"{"matchId":"\#(match)"}"#)
    }

    /// Reports the update token of an activity.
    /// - Parameter startID: from the attributes, when a push started it.
    /// - Returns: the status.
    @discardableResult
    func report(
        _ token: String, of activity: String, startID: String? = nil, match: MatchID, expecting: Set<Int> = [200]
    ) async throws -> Int {
        try await suite.apns.register(token, kind: "update")
        let start = startID.map { #","startId":"\#($0)""# } ?? ""
        return try await call(
            "POST", "/matches/\(match)/activity-token",
            #"{"deviceId":"\#(device)","activityToken":"\#(token)","activityId":"\#(activity)"\#(start)}"#,
            expecting: expecting)
    }

    func dismiss(_ activity: String, match: MatchID) async throws {
        try await call(
            "POST", "/matches/\(match)/activity-dismissed",
            #"{"deviceId":"\#(device)","activityId":"\#(activity)"}"#)
    }

    var follows: [MatchID] {
        get async throws {
            try await GatewayClient(base: suite.endpoints.gateway, http: suite.http).follows(bearer: bearer)
        }
    }

    // MARK: - What Apple does

    /// From now on APNs answers 410 for the token.
    func loses(_ token: String) async throws {
        _ = try await suite.http.send(
            .init(method: "DELETE", url: "\(suite.endpoints.apnsControl)/tokens/\(token)", timeout: .seconds(5)))
    }

    /// The starts that were delivered to its first push-to-start token, oldest first.
    var starts: [PushDelivery] {
        get async throws { try await pushes(to: startToken).filter { $0.payload?.aps.event == "start" } }
    }

    /// Waits for the start number `number` and answers with its id.
    func start(_ number: Int = 1, within limit: Duration = .seconds(30)) async throws -> String {
        try await eventually("start \(number) of \(user)", within: limit) {
            try await starts.count >= number
        }
        return try await starts[number - 1].payload?.aps.attributes?.startId ?? ""
    }

    /// What was delivered to a token, in order.
    func pushes(to token: String) async throws -> [PushDelivery] {
        try await suite.apns.deliveries(since: 0).filter { $0.token == token && $0.isAccepted }
    }

    /// What an activity with this token shows last.
    func shown(by token: String) async throws -> ContentState? {
        try await pushes(to: token).last { $0.payload?.aps.contentState != nil }?.payload?.aps.contentState
    }

    func end(of token: String) async throws -> PushDelivery? {
        try await pushes(to: token).first { $0.payload?.aps.event == "end" }
    }

    // MARK: -

    @discardableResult
    private func call(
        _ method: String, _ path: String, _ body: String, expecting: Set<Int> = [200, 201, 204]
    ) async throws -> Int {
        let request = HTTPClientRequest(
            method: method, url: suite.endpoints.gateway + path,
            headers: [("authorization", "Bearer \(bearer)"), ("content-type", "application/json")],
            body: Array(body.utf8), timeout: .seconds(5))
        var answer = try await suite.http.send(request)
        // A gateway that has just started cannot do everything yet, and an app sends again what was not done.
        let deadline = ContinuousClock.now + .seconds(10)
        while answer.status == 503, !expecting.contains(503), .now < deadline {
            try await Task.sleep(for: .milliseconds(200))
            answer = try await suite.http.send(request)
        }
        guard expecting.contains(answer.status) else {
            let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
            throw GatewayClient.Failure("\(user): \(method) \(path): \(answer.status) \(text)")
        }
        return answer.status
    }

    static func hex(_ bytes: Int) -> String {
        (0..<bytes).map { _ in
            let text = String(UInt8.random(in: .min ... .max), radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}
