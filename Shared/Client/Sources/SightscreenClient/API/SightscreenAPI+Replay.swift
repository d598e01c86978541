public import SightscreenModels

/// An administrator's, and only where the gateway has a stand-in provider; elsewhere they are answered with 403 or 404.
extension SightscreenAPI {
    /// `GET /admin/replay/tapes`.
    public func replayTapes() async throws(APIError) -> [ReplayTape] {
        struct Answer: Decodable { var tapes: [ReplayTape] }
        let answer: Answer = try await call("GET", "/admin/replay/tapes", Nothing?.none)
        return answer.tapes
    }

    /// `GET /admin/replay/matches`.
    public func replays() async throws(APIError) -> [ReplayedMatch] {
        struct Answer: Decodable { var matches: [ReplayedMatch] }
        let answer: Answer = try await call("GET", "/admin/replay/matches", Nothing?.none)
        return answer.matches
    }

    /// `GET /admin/replay/matches/:id`.
    public func replay(_ match: MatchID) async throws(APIError) -> ReplayedMatch {
        try await call("GET", "/admin/replay/matches/\(match)", Nothing?.none)
    }

    /// `POST /admin/replay/matches`, once: each call loads another match.
    public func startReplay(_ order: ReplayOrder) async throws(APIError) -> ReplayedMatch {
        try await call("POST", "/admin/replay/matches", order, rule: .never)
    }

    /// `POST /admin/replay/matches/:id/control`; a step once, since each is one frame more.
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
