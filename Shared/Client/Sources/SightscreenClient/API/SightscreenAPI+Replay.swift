public import SightscreenModels

/// The calls for replays. They need an administrator's session and a gateway with a stand-in provider; other gateways
/// answer with 403 or 404.
extension SightscreenAPI {
    /// Calls `GET /admin/replay/tapes`.
    public func replayTapes() async throws(APIError) -> [ReplayTape] {
        struct Answer: Decodable { var tapes: [ReplayTape] }
        let answer: Answer = try await call("GET", "/admin/replay/tapes", Nothing?.none)
        return answer.tapes
    }

    /// Calls `GET /admin/replay/matches`.
    public func replays() async throws(APIError) -> [ReplayedMatch] {
        struct Answer: Decodable { var matches: [ReplayedMatch] }
        let answer: Answer = try await call("GET", "/admin/replay/matches", Nothing?.none)
        return answer.matches
    }

    /// Calls `GET /admin/replay/matches/:id`.
    public func replay(_ match: MatchID) async throws(APIError) -> ReplayedMatch {
        try await call("GET", "/admin/replay/matches/\(match)", Nothing?.none)
    }

    /// Calls `POST /admin/replay/matches`, without retries: each call loads another match.
    public func startReplay(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch {
        try await call("POST", "/admin/replay/matches", order, rule: .never)
    }

    /// Calls `POST /admin/replay/matches/:id/control`. A step is sent without retries, because each call moves one
    /// frame further.
    @discardableResult
    public func controlReplay(_ match: MatchID, _ action: ReplayAction) async throws(APIError) -> ReplayedMatch {
        struct Body: Encodable {
            var action: String
            var ball: String?
            var cursor: Int?
            var speed: Double?
        }
        let body: Body =
            switch action {
            case .play: Body(action: "play")
            case .pause: Body(action: "pause")
            case .stop: Body(action: "stop")
            case .step: Body(action: "step")
            case .seekToBall(let ball): Body(action: "seek", ball: ball)
            case .seekToFrame(let frame): Body(action: "seek", cursor: frame)
            case .speed(let speed): Body(action: "speed", speed: speed)
            }
        return try await call(
            "POST", "/admin/replay/matches/\(match)/control", body, rule: action == .step ? .never : nil)
    }
}
