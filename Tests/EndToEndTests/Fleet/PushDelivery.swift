public import SightscreenModels

/// One line of apns-simulator's log: what it was sent and what it answered.
public struct PushDelivery: Decodable, Sendable {
    public var seq: Int
    /// Milliseconds since 1970.
    public var receivedAt: Int64
    /// Of what a channel brings to a phone, the phone's name; empty for the publish itself.
    public var token: String
    /// The channel that was published to; nil for a push to a token.
    public var channel: String?
    /// With how many phones a publish did not arrive.
    public var lost: Int?
    public var headers: [String: String]
    public var payload: Payload?
    public var verdict: Verdict

    public struct Verdict: Decodable, Sendable {
        public var status: Int
        public var reason: String?
    }

    public struct Payload: Decodable, Sendable {
        public var aps: Aps
    }

    /// The keys of a Live Activity push that a phone acts on.
    public struct Aps: Decodable, Sendable {
        public var timestamp: Int?
        public var event: String?
        public var contentState: ContentState?
        public var staleDate: Int?
        public var dismissalDate: Int?
        public var relevanceScore: Double?
        public var alert: Alert?
        public var sound: String?
        public var attributesType: String?
        public var attributes: Attributes?
        public var inputPushChannel: String?

        enum CodingKeys: String, CodingKey {
            case timestamp, event, alert, sound, attributes
            case contentState = "content-state"
            case staleDate = "stale-date"
            case dismissalDate = "dismissal-date"
            case relevanceScore = "relevance-score"
            case attributesType = "attributes-type"
            case inputPushChannel = "input-push-channel"
        }
    }

    public struct Alert: Decodable, Sendable {
        public var title: String
        public var body: String
        public var sound: String?
    }

    public struct Attributes: Decodable, Sendable {
        public var matchId: MatchID
        public var startId: String
    }

    public var priority: Int? { headers["apns-priority"].flatMap { Int($0) } }
    public var expiration: Int? { headers["apns-expiration"].flatMap { Int($0) } }
    public var isAccepted: Bool { verdict.status == 200 }
}
