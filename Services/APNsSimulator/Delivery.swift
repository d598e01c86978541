import APNsProtocol
import FoundationEssentials
import SightscreenModels

/// One request that reached the simulator, and what became of it: a line of `GET /deliveries`.
struct Delivery: Sendable {
    /// Counts from 1 without gaps.
    var seq: Int
    /// Milliseconds since 1970.
    var receivedAtMs: Int64
    var environment: APNsEnvironment
    /// Tells connections apart, per environment.
    var connection: Int
    /// Lower-case; "" when the path has none.
    var token: String
    /// `:method`, `:path` and all `apns-*`; never `authorization`.
    var headers: [String: String]
    /// As received; equal payloads share their bytes.
    var payload: [UInt8]
    /// Whether `payload` is JSON with `aps`: then the line has it as `payload`, else as the text `payloadText`.
    var payloadIsPush: Bool
    /// What was answered. Status 0: the push was not taken in, and its sender got no answer of APNs.
    var answer: APNsAnswer
    /// What a phone made of it; nil when APNs did not take it.
    var deviceVerdict: DeviceVerdict?
    /// The fault that befell it.
    var fault: String?

    /// One line of NDJSON, its newline included.
    func line() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let head = Line(
            seq: seq, receivedAt: receivedAtMs, environment: environment, connection: connection, token: token,
            headers: headers, payloadText: payloadIsPush ? nil : String(decoding: payload, as: UTF8.self),
            verdict: Line.Verdict(status: answer.status, reason: answer.reasonText, timestamp: answer.timestampMs),
            deviceVerdict: deviceVerdict, fault: fault)
        var line = [UInt8](try encoder.encode(head))
        if payloadIsPush {
            line.removeLast()
            line += Array(#","payload":"#.utf8)
            // A line break between the tokens of a payload would end the line; within a string JSON has none.
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
        var headers: [String: String]
        var payloadText: String?
        var verdict: Verdict
        var deviceVerdict: DeviceVerdict?
        var fault: String?
    }
}
