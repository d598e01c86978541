import Sightscreen

/// The body of `POST /api/tape`.
struct TapeCommand: Decodable, Sendable {
    enum Name: String, Decodable, Sendable, CaseIterable {
        case play, pause, step, seek, speed, stop, load, fault, clearFaults
    }

    /// Who misbehaves.
    enum Target: String, Decodable, Sendable, CaseIterable { case provider, apns }

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
}
