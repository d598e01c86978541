#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenModels

/// The gateway's calls as typed methods. A refused token is refreshed once. A passing failure is repeated as
/// `APIRetryRule` says. Every other failure is thrown.
public struct SightscreenAPI: Sendable {
    private let transport: any APITransport
    private let session: any SessionPort
    private let clock: any ClientClock
    private let retries: APIRetryRule
    private let jitter: @Sendable () -> Double

    /// - Parameter jitter: returns a random number from 0 to 1, called for each wait.
    public init(
        transport: any APITransport, session: any SessionPort, clock: any ClientClock,
        retries: APIRetryRule = APIRetryRule(),
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.transport = transport
        self.session = session
        self.clock = clock
        self.retries = retries
        self.jitter = jitter
    }

    // MARK: - Following

    /// Calls `POST /matches/:id/follow`.
    public func follow(_ request: FollowRequest) async throws(APIError) -> FollowResponse {
        struct Body: Encodable {
            var deviceId: DeviceID?
            var startsLocally: Bool?
            var teamId: String?
            var alerts: AlertLevel?
        }
        let body = Body(
            deviceId: request.deviceId, startsLocally: request.startsLocally, teamId: request.teamId,
            // A level that this build does not know stays as it is.
            alerts: request.alerts == .other ? nil : request.alerts)
        return try await call("POST", "/matches/\(request.matchId)/follow", body)
    }

    /// Calls `POST /matches/:id/unfollow`.
    public func unfollow(_ match: MatchID) async throws(APIError) -> UnfollowResponse {
        try await call("POST", "/matches/\(match)/unfollow", Nothing?.none)
    }

    /// Calls `GET /user/follows`.
    public func follows() async throws(APIError) -> [FollowItem] {
        let answer: FollowsResponse = try await call("GET", "/user/follows", Nothing?.none)
        return answer.follows
    }

    /// Calls `DELETE /user`, which erases the user's data.
    public func deleteUser() async throws(APIError) { _ = try await send("DELETE", "/user", nil, retries) }

    // MARK: - Activities

    /// Calls `POST /matches/:id/activity-token`.
    public func registerActivityToken(
        _ report: ActivityTokenRequest, match: MatchID
    ) async throws(APIError) -> ActivityTokenResponse {
        try await call("POST", "/matches/\(match)/activity-token", report)
    }

    /// Calls `POST /matches/:id/activity`.
    public func reportActivity(
        _ report: ActivityReport, match: MatchID
    ) async throws(APIError) -> ActivityReportResponse {
        try await call("POST", "/matches/\(match)/activity", report)
    }

    /// Calls `POST /matches/:id/activity-dismissed`.
    public func reportDismissal(
        _ report: ActivityDismissedRequest, match: MatchID
    ) async throws(APIError) -> UnfollowResponse {
        try await call("POST", "/matches/\(match)/activity-dismissed", report)
    }

    // MARK: - This phone

    /// Calls `POST /devices`.
    public func registerDevice(_ registration: DeviceRegistration) async throws(APIError) -> DeviceResponse {
        try await call("POST", "/devices", registration)
    }

    /// Calls `POST /devices/push-to-start-token`.
    public func registerPushToStartToken(
        _ registration: PushToStartRegistration
    ) async throws(APIError) -> DeviceResponse {
        try await call("POST", "/devices/push-to-start-token", registration)
    }

    /// Calls `POST /devices/confirm`.
    public func confirmDevice(_ confirmation: DeviceConfirmation) async throws(APIError) {
        let body: [UInt8]
        do { body = [UInt8](try JSONEncoder().encode(confirmation)) } catch { throw .unreadable(status: 0) }
        _ = try await send("POST", "/devices/confirm", body, retries)
    }

    /// Calls `DELETE /devices/:id` without retries, because a user who signs out does not wait.
    public func unregisterDevice(_ device: DeviceID) async throws(APIError) {
        _ = try await send("DELETE", "/devices/\(device)", nil, .never)
    }

    // MARK: - Matches

    /// Calls `GET /matches/:id`.
    public func match(_ match: MatchID) async throws(APIError) -> MatchItem {
        try await call("GET", "/matches/\(match)", Nothing?.none)
    }

    // MARK: - Sending

    struct Nothing: Encodable {}

    /// - Parameter rule: the retry rule for this call; nil for the rule that was passed to `init`.
    func call<Body: Encodable, Answer: Decodable>(
        _ method: String, _ path: String, _ body: Body?, rule: APIRetryRule? = nil
    ) async throws(APIError) -> Answer {
        let bytes: [UInt8]?
        do { bytes = try body.map { [UInt8](try JSONEncoder().encode($0)) } } catch { throw .unreadable(status: 0) }
        return try decoded(try await send(method, path, bytes, rule ?? retries))
    }

    /// Reads a resource that has an entity tag.
    /// - Parameter tag: the entity tag of the known version.
    func read<Answer: Decodable>(_ path: String, ifNoneMatch tag: String?) async throws(APIError) -> Tagged<Answer> {
        let response = try await send("GET", path, nil, retries, tag: tag)
        // The gateway answers 304 only to a request that has a tag.
        if response.status == 304, tag != nil { return .unchanged }
        return .new(try decoded(response), tag: response.headers["etag"])
    }

    private func decoded<Answer: Decodable>(_ response: APIResponse) throws(APIError) -> Answer {
        do { return try JSONDecoder().decode(Answer.self, from: Data(response.body)) } catch {
            throw .unreadable(status: response.status)
        }
    }

    private func send(
        _ method: String, _ path: String, _ body: [UInt8]?, _ rule: APIRetryRule, tag: String? = nil
    ) async throws(APIError) -> APIResponse {
        var attempt = 1
        while true {
            let failure: APIError
            do { return try await authorized(method, path, body, tag) } catch { failure = error }
            guard let wait = rule.wait(after: failure, attempt: attempt, jitter: jitter()) else { throw failure }
            attempt += 1
            do { try await clock.sleep(for: wait) } catch { throw .transport(.cancelled) }
        }
    }

    /// Sends the request once, and a second time with a fresh token if the first token was refused.
    private func authorized(
        _ method: String, _ path: String, _ body: [UInt8]?, _ tag: String?
    ) async throws(APIError) -> APIResponse {
        guard let token = await session.accessToken() else { throw .signedOut }
        let response = try await exchange(method, path, body, tag, token)
        guard response.status == 401 else { return try checked(response) }
        guard let fresh = await session.accessToken(insteadOf: token) else { throw .signedOut }
        let second = try await exchange(method, path, body, tag, fresh)
        guard second.status != 401 else { throw .signedOut }
        return try checked(second)
    }

    private func exchange(
        _ method: String, _ path: String, _ body: [UInt8]?, _ tag: String?, _ token: String
    ) async throws(APIError) -> APIResponse {
        var headers = ["authorization": "Bearer \(token)", "accept": "application/json"]
        if body != nil { headers["content-type"] = "application/json" }
        if let tag { headers["if-none-match"] = tag }
        do {
            return try await transport.send(APIRequest(method: method, path: path, headers: headers, body: body))
        } catch { throw .transport(error) }
    }

    private func checked(_ response: APIResponse) throws(APIError) -> APIResponse {
        // 304 says that the resource is unchanged since the tag that was sent.
        guard !(200..<300).contains(response.status), response.status != 304 else { return response }
        let document = try? JSONDecoder().decode(ProblemDocument.self, from: Data(response.body))
        throw .refused(
            status: response.status, document,
            retryAfter: response.headers["retry-after"].flatMap { Int($0) }.map { max($0, 0) })
    }
}
