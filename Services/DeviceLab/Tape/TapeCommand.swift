import ControlHTTP
import SightscreenModels
import Tokens

/// The body of `POST /api/tape`.
struct TapeCommand: Decodable, Sendable {
    enum Name: String, Decodable, Sendable, CaseIterable {
        case play, pause, step, seek, speed, stop, load, fault, clearFaults

        init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }
    /// The stand-in that a fault is for.
    enum Target: String, Decodable, Sendable, CaseIterable {
        case provider, apns

        init(from decoder: any Decoder) throws { try self.init(oneOf: decoder) }
    }

    var command: Name
    /// The match of all commands but `load`, `fault` and `clearFaults`; without it, the match that plays.
    var matchId: MatchID?
    /// The target of `seek`: a label or a cursor.
    var label: String?
    var cursor: Int?
    /// The speed of `speed` and `load`, in seconds of the match per second.
    var speed: Double?
    /// The tape of `load`; the next four say how it is played.
    var tapeId: String?
    var variant: String?
    var seed: UInt64?
    var lead: Double?
    var paused: Bool?
    /// The target of `fault` and `clearFaults`; `clearFaults` without it means both.
    var target: Target?
    /// The fault of `fault`, in the form that the control port of its target accepts.
    var fault: JSONValue?
    /// A command for a match that has no arguments.
    init(_ command: Name, of match: MatchID) {
        self.command = command
        matchId = match
    }

    /// Loads a tape and leaves it before its first frame.
    init(load tape: String, speed: Double, variant: String?, seed: UInt64?) {
        command = .load
        tapeId = tape
        self.speed = speed
        self.variant = variant
        self.seed = seed
        paused = true
    }

    /// Whether the text can be the id or the name of a tape, which is part of a call's path.
    static func isTape(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.first != "."
            && name.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || [0x2d, 0x2e, 0x5f].contains($0)
            }
    }
}
