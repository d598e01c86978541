import ControlHTTP
import SightscreenModels
import Tokens

/// The body of `POST /api/tape`.
struct TapeCommand: Decodable, Sendable {
    enum Name: String, Decodable, Sendable, CaseIterable {
        case play, pause, step, seek, speed, stop, load, fault, clearFaults

        init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }

    /// Who misbehaves.
    enum Target: String, Decodable, Sendable, CaseIterable {
        case provider, apns

        init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }

    var command: Name
    /// Of all but `load`, `fault` and `clearFaults`; the match that plays when it is not said.
    var matchId: MatchID?
    /// Of `seek`: one of them.
    var label: String?
    var cursor: Int?
    /// Of `speed` and `load`: seconds of the match per second.
    var speed: Double?
    /// Of `load`.
    var tapeId: String?
    var variant: String?
    var seed: UInt64?
    var lead: Double?
    var paused: Bool?
    /// Of `fault`, and of `clearFaults`, which means both when it is not said.
    var target: Target?
    /// Of `fault`: as the control port of that target takes it.
    var fault: JSONValue?

    /// One of a match, without anything else to say.
    init(_ command: Name, of match: MatchID) {
        self.command = command
        matchId = match
    }

    /// Loads a tape and leaves it standing before its first frame.
    init(load tape: String, speed: Double, variant: String?, seed: UInt64?) {
        command = .load
        tapeId = tape
        self.speed = speed
        self.variant = variant
        self.seed = seed
        paused = true
    }

    /// Whether it can be the id or the name of a tape: it stands in the path of a call.
    static func isTape(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.first != "."
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || [0x2d, 0x2e, 0x5f].contains($0)
            }
    }
}
