import FoundationEssentials

/// The parts of a payload on which an answer, or the start of an activity, depends.
struct PayloadFacts: Sendable, Hashable {
    /// The means by which a started activity gets its updates.
    enum Input: Sendable, Hashable {
        case absent
        /// The app reports an update token: `input-push-token`.
        case token
        /// The activity listens to this channel: `input-push-channel`.
        case channel(String)
        /// The value of `input-push-channel` is not a text.
        case badChannel
        /// The payload names both, which exclude each other.
        case both
    }

    /// `aps.event`; nil when it is absent or not a text.
    var event: String?
    /// `aps.timestamp`; nil when it is absent or not a whole number.
    var timestamp: Int?
    var input: Input

    /// Parses a payload; nil unless it is a JSON object with an object `aps`.
    init?(_ body: [UInt8]) {
        guard let push = try? JSONDecoder().decode(Push.self, from: Data(body)),
            String(validating: body, as: UTF8.self) != nil
        else { return nil }
        self = push.aps.facts
    }

    private init(event: String?, timestamp: Int?, input: Input) {
        self.event = event
        self.timestamp = timestamp
        self.input = input
    }

    private struct Push: Decodable { var aps: APS }

    private struct APS: Decodable {
        var facts: PayloadFacts

        private enum Key: String, CodingKey {
            case event, timestamp
            case token = "input-push-token"
            case channel = "input-push-channel"
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: Key.self)
            let channel = try? keys.decode(String.self, forKey: .channel)
            let input: Input =
                switch (keys.contains(.token), keys.contains(.channel)) {
                case (true, true): .both
                case (true, false): .token
                case (false, true): channel.map(Input.channel) ?? .badChannel
                case (false, false): .absent
                }
            facts = PayloadFacts(
                event: try? keys.decode(String.self, forKey: .event),
                timestamp: try? keys.decode(Int.self, forKey: .timestamp), input: input)
        }
    }
}
