import FoundationEssentials
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// A gateway in memory. It refuses the calls that the real one refuses, and can be made to fail like it.
actor ScriptedGateway: APITransport {
    /// The relevance of every match that has a state.
    static let relevance = 71.5

    struct Call: Hashable, Sendable {
        var method: String
        var path: String
        var body: JSON?
        var user: UserID?
        /// The status of the answer; nil when there was none.
        var status: Int?

        var line: String { "\(method) \(path)" }
    }

    /// The failure of a call.
    enum Trouble: Sendable {
        case refusal(Int, String, retryAfter: Int? = nil)
        /// The call never takes effect.
        case transport(TransportError)
        /// The call takes effect, and its answer is lost.
        case answerLost
        /// The call waits for `release`.
        case held
    }

    struct Activity: Hashable, Sendable {
        var id: ActivityID?
        var token: UpdateToken
        var startID: StartID?
    }

    private let contract: OpenAPIContract
    private(set) var calls: [Call] = []
    private(set) var devices: [DeviceID: DeviceRegistration] = [:]
    /// The user of each phone, who has registered it last.
    private(set) var owners: [DeviceID: UserID] = [:]
    private(set) var startTokens: [DeviceID: PushToStartToken] = [:]
    private(set) var follows: [UserID: [MatchID]] = [:]
    /// The side that a match's follower supports.
    private(set) var sides: [MatchID: String] = [:]
    /// The newest activity of each match.
    private(set) var activities: [MatchID: Activity] = [:]
    /// The activities whose tokens Apple reported as dead, and which no other has replaced.
    private var dead: [MatchID: ActivityID] = [:]
    /// The matches with a start under way.
    private var pending: Set<MatchID> = []
    /// The gateway's answer about the activities that a phone lists.
    private var cards = (end: [ActivityID](), tokensWanted: [ActivityID](), gone: [MatchID]())
    /// The channels of the matches.
    private var channels: [MatchID: BroadcastChannel] = [:]
    /// The activities on channels that the gateway wants to end when they are reported.
    private var unwanted: Set<MatchID> = []
    /// The reports of activities on channels.
    private(set) var reports: [ActivityReport] = []
    /// The nonce that the app must return before tokens of another user become its own.
    private var nonce: String?
    private var matches: [MatchID: MatchItem] = [:]
    private var users: [String: UserID] = [:]
    private var isOffline = false
    private var troubles: [(path: String, trouble: Trouble)] = []
    private var held: [CheckedContinuation<Void, Never>] = []

    init() throws { contract = try .served() }

    // MARK: - The script

    func accept(_ bearer: String, as user: UserID) { users[bearer] = user }
    func revoke(_ bearer: String) { users[bearer] = nil }
    func setOffline(_ offline: Bool) { isOffline = offline }
    func play(_ match: MatchItem) { matches[match.id] = match }

    /// Sets the match's channel; nil for none.
    func setChannel(_ channel: BroadcastChannel?, of match: MatchID) { channels[match] = channel }

    /// Asks for the end of the match's activities on channels when they are reported.
    func endReported(of match: MatchID) { unwanted.insert(match) }

    /// Sets a user's follows, as from another phone or an earlier installation.
    func setFollows(_ matches: [MatchID], of user: UserID) { follows[user] = matches }

    /// Records that the token of the match's activity is dead, and that another start is sent.
    func findDeadToken(of match: MatchID) {
        dead[match] = activities.removeValue(forKey: match)?.id
        pending.insert(match)
    }

    func judgeCards(end: [ActivityID] = [], tokensWanted: [ActivityID] = [], gone: [MatchID] = []) {
        cards = (end, tokensWanted, gone)
    }

    /// Treats the phone's tokens as another user's until its app returns the nonce, which the caller sends.
    func keepTokens(until nonce: String) { self.nonce = nonce }

    /// Sets the failures of the next calls whose path ends like this, one each.
    func trouble(_ path: String, _ next: Trouble...) { troubles += next.map { (path, $0) } }

    func release() {
        for continuation in held { continuation.resume() }
        held = []
    }

    var heldCount: Int { held.count }

    func calls(_ line: String) -> [Call] { calls.filter { $0.line == line } }
    /// Returns the calls that succeeded.
    func successes(_ line: String) -> [Call] { calls(line).filter { (200..<300).contains($0.status ?? 0) } }

    // MARK: - APITransport

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let place = calls.count
        let user = bearer(request).flatMap { users[$0] }
        calls.append(
            Call(method: request.method, path: request.path, body: request.body.flatMap { JSON($0) }, user: user))
        if isOffline { throw .offline }
        var answerIsLost = false
        if let index = troubles.firstIndex(where: { request.path.hasSuffix($0.path) }) {
            switch troubles.remove(at: index).trouble {
            case .refusal(let status, let kind, let retryAfter):
                return noted(problem(status, kind, retryAfter: retryAfter), place)
            case .transport(let error): throw error
            case .answerLost: answerIsLost = true
            case .held: await withCheckedContinuation { held.append($0) }
            }
        }
        if Task.isCancelled { throw .cancelled }
        let answer = noted(answer(to: request, user), place)
        if answerIsLost { throw .timeout }
        return answer
    }

    private func noted(_ response: APIResponse, _ place: Int) -> APIResponse {
        if calls.indices.contains(place) { calls[place].status = response.status }
        return response
    }

    private func bearer(_ request: APIRequest) -> String? {
        guard let header = request.headers["authorization"], header.hasPrefix("Bearer ") else { return nil }
        return String(header.dropFirst("Bearer ".count))
    }

    // MARK: - The gateway

    private func answer(to request: APIRequest, _ user: UserID?) -> APIResponse {
        guard let operation = contract.operation(request.method, request.path) else {
            return problem(404, "not-found")
        }
        guard let user else { return problem(401, "unauthorized") }
        if request.body != nil, request.headers["content-type"] != "application/json" {
            return problem(415, "unsupported-media-type")
        }
        if let fault = contract.fault(in: request.body, of: operation) { return problem(400, "invalid-request", fault) }
        let match = operation.parameters["id"].flatMap { MatchID($0) }
        switch (request.method, operation.path, match) {
        case ("POST", "/devices", _): return register(request, user)
        case ("POST", "/devices/push-to-start-token", _): return registerStartToken(request)
        case ("POST", "/devices/confirm", _): return confirm(request, user)
        case ("DELETE", "/devices/{deviceToken}", _):
            let device = DeviceID(operation.parameters["deviceToken"] ?? "")
            // A user cannot unregister another user's phone.
            guard owners[device] == user else { return APIResponse(status: 204) }
            devices[device] = nil
            owners[device] = nil
            startTokens[device] = nil
            // The phone's activities are over, and a later report about them has no effect.
            (activities, dead, pending) = ([:], [:], [])
            return APIResponse(status: 204)
        case ("GET", "/user/follows", _): return listFollows(user)
        case ("DELETE", "/user", _):
            follows[user] = nil
            users = users.filter { $0.value != user }
            return APIResponse(status: 204)
        case ("GET", "/matches/{id}", let match?):
            guard var item = matches[match] else { return problem(404, "unknown-match") }
            if follows[user, default: []].contains(match) { item.channel = channels[match] }
            return json(item)
        case (_, _, let match?):
            guard matches[match] != nil else { return problem(404, "unknown-match") }
            return answer(to: request, operation.path, match, user)
        default: return problem(405, "method-not-allowed")
        }
    }

    private func answer(to request: APIRequest, _ path: String, _ match: MatchID, _ user: UserID) -> APIResponse {
        switch path {
        case "/matches/{id}/follow": return follow(request, match, user)
        case "/matches/{id}/unfollow":
            unfollow(match, user)
            return json(UnfollowResponse(following: false))
        case "/matches/{id}/activity-token": return register(request, match, user)
        case "/matches/{id}/activity":
            guard let report: ActivityReport = decode(request) else { return problem(400, "invalid-request") }
            reports.append(report)
            let isWanted = follows[user, default: []].contains(match) && !unwanted.contains(match)
            return json(ActivityReportResponse(liveActivity: isWanted ? .active : .ended))
        case "/matches/{id}/activity-dismissed":
            let id = request.body.flatMap { JSON($0)?["activityId"]?.text }.map { ActivityID($0) }
            if id == nil || meansTheUnfollow(of: match, id) { unfollow(match, user) }
            return json(UnfollowResponse(following: follows[user, default: []].contains(match)))
        default: return problem(404, "not-found")
        }
    }

    private func register(_ request: APIRequest, _ user: UserID) -> APIResponse {
        guard let registration: DeviceRegistration = decode(request) else { return problem(400, "invalid-request") }
        // The previous user loses the tokens.
        if owners[registration.deviceId] != user { startTokens[registration.deviceId] = nil }
        owners[registration.deviceId] = user
        devices[registration.deviceId] = registration
        return json(
            DeviceResponse(
                deviceId: registration.deviceId, liveActivitiesCapable: true, end: cards.end,
                tokensWanted: cards.tokensWanted, gone: cards.gone, waitsFor: nonce == nil ? nil : .confirmation),
            status: nonce == nil ? 200 : 202)
    }

    private func confirm(_ request: APIRequest, _ user: UserID) -> APIResponse {
        guard let confirmation: DeviceConfirmation = decode(request) else { return problem(400, "invalid-request") }
        // A user who has not registered the phone claims nothing.
        guard let device = confirmation.deviceId, owners[device] == user, nonce == confirmation.nonce else {
            return problem(404, "not-found")
        }
        nonce = nil
        return APIResponse(status: 204)
    }

    private func registerStartToken(_ request: APIRequest) -> APIResponse {
        guard let registration: PushToStartRegistration = decode(request), let device = registration.deviceId else {
            return problem(409, "device-required")
        }
        // The real gateway would register a new phone of an App Store build, which no app intends.
        guard devices[device] != nil else { return problem(409, "device-required") }
        guard nonce == nil else {
            return json(
                DeviceResponse(deviceId: device, liveActivitiesCapable: false, waitsFor: .deviceToken), status: 202)
        }
        startTokens[device] = registration.pushToStartToken
        return json(DeviceResponse(deviceId: device, liveActivitiesCapable: true))
    }

    private func listFollows(_ user: UserID) -> APIResponse {
        json(
            FollowsResponse(
                follows: follows[user, default: []].map {
                    FollowItem(matchId: $0, teamId: sides[$0], alerts: .all, followedAt: 1_700_000_000, expiresAt: nil)
                }))
    }

    private func follow(_ request: APIRequest, _ match: MatchID, _ user: UserID) -> APIResponse {
        if !follows[user, default: []].contains(match) { follows[user, default: []].append(match) }
        if let side = request.body.flatMap({ JSON($0)?["teamId"]?.text }) { sides[match] = side }
        let item = matches[match]
        if item?.status == .live, activities[match] == nil { pending.insert(match) }
        let outlook: LiveActivityOutlook =
            switch item?.status {
            case .live: .starting
            case .completed: .ended
            case .upcoming, .other, nil: .scheduled
            }
        return json(
            FollowResponse(
                following: true, displayState: item?.displayState, liveActivity: outlook, channel: channels[match],
                relevance: item?.relevance ?? (item?.displayState == nil ? nil : Self.relevance)))
    }

    /// Whether a dismissal means an unfollow: its activity is the current one, one that is not known yet, or a dead one
    /// that no other has replaced.
    private func meansTheUnfollow(of match: MatchID, _ id: ActivityID?) -> Bool {
        if let current = activities[match]?.id { return current == id }
        return dead[match] == id || dead[match] == nil && pending.contains(match)
    }

    private func unfollow(_ match: MatchID, _ user: UserID) {
        follows[user]?.removeAll { $0 == match }
        activities[match] = nil
        dead[match] = nil
        pending.remove(match)
    }

    private func register(_ request: APIRequest, _ match: MatchID, _ user: UserID) -> APIResponse {
        guard let report: ActivityTokenRequest = decode(request) else { return problem(400, "invalid-request") }
        guard follows[user, default: []].contains(match) else { return problem(404, "not-following") }
        if matches[match]?.status == .completed {
            return json(ActivityTokenResponse(liveActivity: .ended, displayState: matches[match]?.displayState))
        }
        guard nonce == nil else {
            return json(
                ActivityTokenResponse(liveActivity: .unavailable, displayState: nil, waitsFor: .deviceToken),
                status: 202)
        }
        dead[match] = nil
        pending.remove(match)
        activities[match] = Activity(id: report.activityId, token: report.activityToken, startID: report.startId)
        return json(ActivityTokenResponse(liveActivity: .active, displayState: matches[match]?.displayState))
    }

    // MARK: -

    private func decode<Value: Decodable>(_ request: APIRequest) -> Value? {
        request.body.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    private func json(_ value: some Encodable, status: Int = 200) -> APIResponse {
        guard let data = try? JSONEncoder().encode(value) else { return problem(500, "internal-error") }
        return APIResponse(status: status, headers: ["content-type": "application/json"], body: [UInt8](data))
    }

    private func problem(_ status: Int, _ kind: String, _ detail: String? = nil, retryAfter: Int? = nil) -> APIResponse
    {
        let document = ProblemDocument(
            type: "/problems/\(kind)", title: kind, status: status, detail: detail, requestId: "test")
        let body = (try? JSONEncoder().encode(document)).map { [UInt8]($0) } ?? []
        var headers = ["content-type": "application/problem+json"]
        if let retryAfter { headers["retry-after"] = String(retryAfter) }
        return APIResponse(status: status, headers: headers, body: body)
    }
}
