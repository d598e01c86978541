import FoundationEssentials
import HTTPClient
import SightscreenModels

/// A client of the control port of mock-sportmonks, which plays the tapes (deploy/docs/tapes.md).
struct ReplayClient: Sendable {
    static let speeds = 0.01...1_000_000.0

    /// The base URL, without a slash at its end.
    let url: String
    let http: HTTPClient

    enum Action: String, CaseIterable, Sendable { case play, pause, stop, step, seek, speed }

    struct Tape: Codable, Sendable, Hashable {
        var tapeId: String
        var title: String
    }

    struct Position: Codable, Sendable, Hashable {
        var matchId: String
        var tapeId: String
        var title: String
        var variant: String
        /// The seed is text because it has up to 64 bits, which a JavaScript number cannot hold.
        var seed: String
        var cursor: Int
        var frames: Int
        var label: String
        var playing: Bool
        var speed: Double
        var isLast: Bool
    }

    struct Order: Encodable, Sendable {
        var speed: Double?
        var lead: Int?
        var paused: Bool?
        var variant: String?
        var seed: Int?
    }

    struct Argument: Encodable, Sendable {
        var label: String?
        var cursor: Int?
        var speed: Double?
    }

    func tapes() async throws -> [Tape] { try await ask("GET", "tapes", as: [Tape].self) }

    func replays() async throws -> [Position] {
        try await ask("GET", "matches", as: [StandInPosition].self).map(\.position)
    }

    func replay(_ match: MatchID) async throws -> Position {
        try await ask("GET", "matches/\(match)", as: StandInPosition.self).position
    }

    func load(_ tape: String, _ order: Order) async throws -> Position {
        try await ask("POST", "tapes/\(tape)/load", order, as: StandInPosition.self).position
    }

    func act(_ action: Action, _ match: MatchID, _ argument: Argument) async throws -> Position {
        try await ask("POST", "matches/\(match)/\(action)", argument, as: StandInPosition.self).position
    }
    /// A position as mock-sportmonks writes it.
    private struct StandInPosition: Decodable {
        var matchId: String
        var tapeId: String
        var title: String
        var variant: String
        var seed: UInt64
        var cursor: Int
        var frames: Int
        var label: String
        var playing: Bool
        var speed: Double
        var isLast: Bool

        var position: Position {
            Position(
                matchId: matchId, tapeId: tapeId, title: title, variant: variant, seed: String(seed), cursor: cursor,
                frames: frames, label: label, playing: playing, speed: speed, isLast: isLast)
        }
    }

    private func ask<T: Decodable>(_ method: String, _ path: String, as type: T.Type) async throws -> T {
        try await ask(method, path, Optional<Order>.none, as: type)
    }

    private func ask<T: Decodable>(
        _ method: String, _ path: String, _ body: (some Encodable)?, as type: T.Type
    ) async throws -> T {
        let answer: HTTPClientResponse
        do {
            answer = try await http.send(
                HTTPClientRequest(
                    method: method, url: "\(url)/control/\(path)",
                    headers: [("accept", "application/json"), ("content-type", "application/json")],
                    body: try body.map { [UInt8](try JSONEncoder().encode($0)) }, timeout: .seconds(10),
                    bodyBytesMax: 4 << 20))
        } catch is HTTPClientError {
            throw Problem.unavailable("the stand-in provider does not answer")
        }
        switch answer.status {
        case 200, 201:
            do { return try JSONDecoder().decode(T.self, from: Data(answer.body)) } catch {
                throw Problem.unavailable("the stand-in provider gives another answer than expected")
            }
        case 404: throw Problem(.unknownReplay)
        case 400, 409, 422: throw Problem(.replayRefused, Self.reason(answer.body))
        default: throw Problem.unavailable("the stand-in provider cannot do this")
        }
    }

    /// The stand-in's own sentence, which is for developers, reduced to one line of at most 200 ASCII characters.
    private static func reason(_ body: [UInt8]) -> String? {
        struct Refusal: Decodable {
            var detail: String?
            var message: String?
        }
        let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(body))
        return (refusal?.detail ?? refusal?.message).map {
            String($0.filter { $0.isASCII && !$0.isNewline }.prefix(200))
        }
    }
}
