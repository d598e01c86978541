import FoundationEssentials
public import HTTPClient
public import SightscreenModels
public import Tapes

/// The control port of mock-sportmonks: loads, plays and steps a tape.
public struct TapeControl: Sendable {
    public struct Position: Decodable, Sendable {
        public var matchId: MatchID
        /// Frames shown so far, and all of them.
        public var cursor: Int
        public var frames: Int
        /// "S1 12.3 87/6".
        public var label: String
        public var playing: Bool
    }

    public let base: String
    private let http: HTTPClient

    public init(base: String, http: HTTPClient) {
        self.base = base
        self.http = http
    }

    /// Loads a tape and leaves it standing before its first frame.
    public func load(
        _ tape: String, speed: Double, variant: TapeVariant = .clean, seed: UInt64 = 1
    ) async throws -> MatchID {
        struct Body: Encodable {
            var speed: Double
            var variant: String
            var seed: UInt64
            var paused = true
        }
        struct Answer: Decodable { var matchId: MatchID }
        return try await send(
            "POST", "/control/tapes/\(tape)/load", Body(speed: speed, variant: variant.rawValue, seed: seed),
            as: Answer.self
        )
        .matchId
    }

    public func play(_ match: MatchID) async throws -> Position {
        try await send("POST", "/control/matches/\(match)/play", as: Position.self)
    }

    public func pause(_ match: MatchID) async throws -> Position {
        try await send("POST", "/control/matches/\(match)/pause", as: Position.self)
    }

    /// Takes the match out of the provider.
    public func stop(_ match: MatchID) async throws -> Position {
        try await send("POST", "/control/matches/\(match)/stop", as: Position.self)
    }

    /// Shows the next frame.
    public func step(_ match: MatchID) async throws -> Position {
        try await send("POST", "/control/matches/\(match)/step", as: Position.self)
    }

    public func position(_ match: MatchID) async throws -> Position {
        try await send("GET", "/control/matches/\(match)", as: Position.self)
    }

    private struct Nothing: Encodable {}

    private func send<Answer: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable = Nothing(), as type: Answer.Type
    ) async throws -> Answer {
        let response = try await http.send(
            HTTPClientRequest(
                method: method, url: base + path, headers: [("content-type", "application/json")],
                body: method == "GET" ? nil : [UInt8](try JSONEncoder().encode(body)), timeout: .seconds(10)))
        guard (200..<300).contains(response.status) else {
            let text = String(decoding: response.body.prefix(300), as: UTF8.self)
            throw GatewayClient.Failure("mock-sportmonks: \(method) \(path): \(response.status) \(text)")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(response.body))
    }
}
