import ControlHTTP
import HTTPClient
import HTTPTypes
import SightscreenModels
import Tokens

/// The tapes of mock-sportmonks and the faults of both stand-ins.
struct StandInControl: Sendable {
    struct Tape: Codable, Hashable, Sendable {
        var tapeId: String
        var title: String
    }

    /// A loaded match, as mock-sportmonks reports it.
    struct Position: Decodable, Sendable {
        var matchId: MatchID
        var tapeId: String
        var title: String
        var variant: String
        var cursor: Int
        var frames: Int
        var label: String
        var playing: Bool
        var speed: Double
        var isLast: Bool
        /// When the newest frame came, in milliseconds since 1970.
        var shownAt: Int64?

        var tape: LabTapePosition {
            LabTapePosition(
                tapeId: tapeId, variant: variant, cursor: cursor, frames: frames, label: label, isPlaying: playing,
                speed: speed, isLast: isLast)
        }
    }

    private struct Nothing: Codable {}

    let provider: ControlPort
    let apns: ControlPort

    init(provider: String, apns: String, http: HTTPClient) {
        self.provider = ControlPort(name: "mock-sportmonks", base: provider + "/control", http: http)
        self.apns = ControlPort(name: "apns-simulator", base: apns, http: http)
    }

    func tapes() async throws -> [Tape] { try await provider.get("/tapes", as: [Tape].self) }
    func positions() async throws -> [Position] { try await provider.get("/matches", as: [Position].self) }

    func timeline(of match: MatchID) async throws -> TapeTimeline {
        TapeTimeline(match, labels: try await provider.get("/matches/\(match)/labels", as: [String].self))
    }

    /// The number of waiting faults of each stand-in; nil for one that does not answer.
    func faults() async -> LabState.Faults {
        LabState.Faults(
            provider: (try? await provider.get("/faults", as: [JSONValue].self))?.count,
            apns: (try? await apns.get("/faults", as: [JSONValue].self))?.count)
    }

    /// - Parameter current: the match of a command that names none.
    /// - Returns: the match's position after the command; nil for a command that concerns no match.
    /// - Throws: `Problem` for a command that lacks something, `ControlPort.Failure` with the stand-in's answer.
    func perform(_ command: TapeCommand, current: MatchID?) async throws -> Position? {
        switch command.command {
        case .play, .pause, .step, .stop:
            return try await act(command.command.rawValue, Nothing(), try match(command, current))
        case .seek:
            struct Body: Encodable {
                var label: String?
                var cursor: Int?
            }
            guard command.label != nil || command.cursor != nil else {
                throw Problem(.badRequest, "seek wants a label or a cursor")
            }
            return try await act(
                "seek", Body(label: command.label, cursor: command.cursor), try match(command, current))
        case .speed:
            struct Body: Encodable { var speed: Double }
            guard let speed = command.speed else { throw Problem(.badRequest, "speed is missing") }
            return try await act("speed", Body(speed: speed), try match(command, current))
        case .load: return try await load(command)
        case .fault:
            guard let target = command.target else { throw Problem(.badRequest, "target is provider or apns") }
            guard case .object? = command.fault else { throw Problem(.badRequest, "fault is an object") }
            try await (target == .provider ? provider : apns).post("/faults", command.fault)
            return nil
        case .clearFaults:
            if command.target != .apns { try await provider.delete("/faults") }
            if command.target != .provider { try await apns.delete("/faults") }
            return nil
        }
    }

    private func match(_ command: TapeCommand, _ current: MatchID?) throws -> MatchID {
        guard let match = command.matchId ?? current else {
            throw Problem(.conflict, "no tape is loaded")
        }
        return match
    }

    private func act(_ action: String, _ body: some Encodable, _ match: MatchID) async throws -> Position {
        try await provider.post("/matches/\(match)/\(action)", body, as: Position.self)
    }

    private func load(_ command: TapeCommand) async throws -> Position {
        struct Body: Encodable {
            var speed: Double?
            var variant: String?
            var seed: UInt64?
            var lead: Double?
            var paused: Bool?
        }
        guard let tape = command.tapeId, TapeCommand.isTape(tape) else {
            throw Problem(.badRequest, "tapeId is the id or the name of a tape")
        }
        return try await provider.post(
            "/tapes/\(tape)/load",
            Body(
                speed: command.speed, variant: command.variant, seed: command.seed, lead: command.lead,
                paused: command.paused), as: Position.self)
    }
}
