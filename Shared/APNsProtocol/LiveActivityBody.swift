import SightscreenModels

/// The JSON of a Live Activity push, with Apple's key names.
struct LiveActivityBody: Encodable {
    let aps: APS

    init(_ payload: LiveActivityPayload) { aps = APS(payload: payload) }

    struct APS: Encodable {
        let payload: LiveActivityPayload

        enum Key: String, CodingKey {
            case timestamp, event, alert, attributes
            case contentState = "content-state"
            case staleDate = "stale-date"
            case relevanceScore = "relevance-score"
            case dismissalDate = "dismissal-date"
            case attributesType = "attributes-type"
            case inputPushToken = "input-push-token"
            case inputPushChannel = "input-push-channel"
        }

        func encode(to encoder: any Encoder) throws {
            var keys = encoder.container(keyedBy: Key.self)
            try keys.encode(payload.stamp, forKey: .timestamp)
            try keys.encode(payload.event, forKey: .event)
            try keys.encode(payload.contentState, forKey: .contentState)
            try keys.encodeIfPresent(payload.staleAt, forKey: .staleDate)
            try keys.encodeIfPresent(payload.dismissAt, forKey: .dismissalDate)
            // JSON has no infinity: a score that is not finite is left out, as if all matches were equally relevant.
            if let relevance = payload.relevance, relevance.isFinite {
                try keys.encode(relevance, forKey: .relevanceScore)
            }
            try keys.encodeIfPresent(payload.alert.map(Alert.init), forKey: .alert)
            if let start = payload.start {
                try keys.encode(start.attributesType, forKey: .attributesType)
                try keys.encode(start.attributes, forKey: .attributes)
                if let channel = start.channel {
                    try keys.encode(channel, forKey: .inputPushChannel)
                } else {
                    try keys.encode(1, forKey: .inputPushToken)
                }
            }
        }
    }

    /// The alert of a Live Activity, which has its sound inside.
    struct Alert: Encodable {
        let title: String
        let body: String
        let sound: String?

        init(_ alert: PushAlert) {
            title = alert.title
            body = alert.body
            sound = alert.sound ? "default" : nil
        }
    }
}
