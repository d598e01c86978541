import FoundationEssentials
import SightscreenModels

/// One request that reached the simulator, and its result: a line of `GET /deliveries`.
struct Delivery: Sendable {
    /// The number of the delivery, from 1 without gaps.
    var seq: Int
    /// When the request arrived, in milliseconds since 1970.
    var receivedAtMs: Int64
    var environment: APNsEnvironment
    /// The number of the connection, counted per environment.
    var connection: Int
    /// The token in lower case; "" when the path has none. Of a publish's arrival at a phone, the subscriber's name.
    var token: String
    /// The channel of a publish, and of its arrival at a phone.
    var channel: String?
    /// The headers `:method`, `:path` and all `apns-*`, never `authorization`.
    var headers: [String: String]
    /// The payload as received; equal payloads share their bytes.
    var payload: [UInt8]
    /// Whether `payload` is JSON with `aps`. The line then has it as `payload`, otherwise as the text `payloadText`.
    var payloadIsPush: Bool
    /// The answer. Status 0 means that the push was not processed and its sender got no answer of APNs.
    var answer: SimulatorAnswer
    /// The device's outcome; nil when APNs did not accept the push. Of a publish: why it reaches no phone.
    var deviceVerdict: DeviceOutcome?
    /// The fault that was applied to the request.
    var fault: String?
    /// With an accepted publish: phones that listen and got it, each of which has a line of its own, and those that did
    /// not.
    var reached: Int?
    var lost: Int?

    /// One line of NDJSON, its newline included.
    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Line(
            seq: seq, receivedAt: receivedAtMs, environment: environment, connection: connection, token: token,
            channel: channel, headers: headers,
            payloadText: payloadIsPush ? nil : String(decoding: payload, as: UTF8.self),
            verdict: Line.Verdict(status: answer.status, reason: answer.reason, timestamp: answer.timestampMs),
            deviceVerdict: deviceVerdict, fault: fault, reached: reached, lost: lost)
        var line = [UInt8](try encoder.encode(head))
        if payloadIsPush {
            line.removeLast()
            line += Array(#","payload":"#.utf8)
            // A line break between the tokens of a payload would end the line; JSON strings have none.
            line += payload.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
            line.append(UInt8(ascii: "}"))
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private struct Line: Encodable {
        struct Verdict: Encodable {
            var status: Int
            var reason: String?
            var timestamp: Int64?
        }
        var seq: Int
        var receivedAt: Int64
        var environment: APNsEnvironment
        var connection: Int
        var token: String
        var channel: String?
        var headers: [String: String]
        var payloadText: String?
        var verdict: Verdict
        var deviceVerdict: DeviceOutcome?
        var fault: String?
        var reached: Int?
        var lost: Int?
    }
}
