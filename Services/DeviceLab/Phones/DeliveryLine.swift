import FoundationEssentials
import SightscreenClientTesting
import SightscreenModels

/// The part of one line of apns-simulator's log that a phone gets to see.
struct DeliveryLine: Sendable {
    var seq: Int
    /// The push to a token; nil where APNs did not accept it, or it is no JSON.
    var push: RawPush?
    /// The publish that every phone is offered; nil for anything else, and where APNs drops it without a word.
    var broadcast: BroadcastPush?

    /// Reads a line. The payload is its last field, which is cut out as it was received and not decoded.
    init(_ line: some Collection<UInt8>) throws {
        let payload = line.firstRange(of: Self.payloadKey)
        // Within a string of the head a quotation mark would be escaped, so the first match is the field.
        let head = payload.map { Array(line[..<$0.lowerBound]) + [UInt8(ascii: "}")] } ?? Array(line)
        let known = try JSONDecoder().decode(Head.self, from: Data(head))
        seq = known.seq
        guard known.verdict.status == 200, let payload else { return }
        let body = Array(line[payload.upperBound...].dropLast())
        if let channel = known.channel {
            // The arrival at a subscriber has a line of its own, with the subscriber's name for a token.
            guard known.token.isEmpty, known.deviceVerdict == nil else { return }
            broadcast = BroadcastPush(channel: channel, headers: known.headers, body: body)
        } else {
            push = RawPush(token: known.token, headers: known.headers, body: body)
        }
    }

    private struct Head: Decodable {
        struct Verdict: Decodable { var status: Int }
        var seq: Int
        var token: String
        var channel: ChannelID?
        var deviceVerdict: String?
        var headers: [String: String]
        var verdict: Verdict
    }

    private static let payloadKey = Array(#","payload":"#.utf8)
}
