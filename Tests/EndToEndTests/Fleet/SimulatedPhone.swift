public import SightscreenModels

/// One of the tests' phones, by ActivityKit's rules: a start makes an activity, which gets an update token a moment
/// later; an update whose timestamp is not later than the one shown is dropped; nothing is shown after the end.
public struct SimulatedPhone: Sendable {
    public struct Activity: Sendable {
        public let id: ActivityID
        public let startID: StartID
        public let matchID: MatchID
        public var updateToken: UpdateToken?
        /// The channel that it listens to instead of having a token.
        public var channel: String?
        public var state: ContentState
        public var timestamp: Int
        /// Every timestamp that was shown, in order.
        public var shown: [Int]
        public var endedAt: Int?
        public var dismissalDate: Int?
    }

    /// What a delivery did to the phone.
    public enum Effect: Sendable, Equatable {
        case started(activity: Int)
        case shown(activity: Int)
        case ended(activity: Int)
        /// The phone ignores it, and says why.
        case dropped(String)
    }

    public let user: String
    public let device: DeviceID
    public let startToken: PushToStartToken
    public let deviceToken: DeviceToken
    /// The name by which apns-simulator delivers broadcasts to the phone; nil for one that cannot listen.
    public let subscriber: String?
    /// In order of starting; a healthy match has one.
    public private(set) var activities: [Activity] = []

    public init(
        user: String, device: DeviceID, startToken: PushToStartToken, deviceToken: DeviceToken,
        subscriber: String? = nil
    ) {
        self.subscriber = subscriber
        self.user = user
        self.device = device
        self.startToken = startToken
        self.deviceToken = deviceToken
    }

    public func has(_ token: String) -> Bool {
        token == startToken.rawValue || token == subscriber || activities.contains { $0.updateToken?.rawValue == token }
    }

    public mutating func setUpdateToken(_ token: UpdateToken, of activity: Int) {
        activities[activity].updateToken = token
    }

    /// - Parameter newActivityID: taken when the delivery starts an activity.
    public mutating func receive(_ delivery: PushDelivery, newActivityID: ActivityID) -> Effect {
        guard let aps = delivery.payload?.aps, let timestamp = aps.timestamp, let event = aps.event else {
            return .dropped("not a Live Activity payload")
        }
        guard let state = aps.contentState else { return .dropped("no content-state") }
        if delivery.token == startToken.rawValue {
            guard event == "start" else { return .dropped("\(event) sent to a push-to-start token") }
            return start(aps, state: state, timestamp: timestamp, id: newActivityID)
        }
        guard
            let index = activities.lastIndex(where: {
                $0.updateToken?.rawValue == delivery.token || $0.channel != nil && delivery.token == subscriber
            })
        else { return .dropped("unknown token") }
        guard activities[index].endedAt == nil else { return .dropped("\(event) after the end") }
        switch event {
        case "update":
            guard timestamp > activities[index].timestamp else {
                return .dropped("timestamp \(timestamp) is not later")
            }
            show(state, timestamp, on: index)
            return .shown(activity: index)
        case "end":
            show(state, timestamp, on: index)
            activities[index].endedAt = timestamp
            activities[index].dismissalDate = aps.dismissalDate
            return .ended(activity: index)
        default:
            return .dropped("\(event) sent to an update token")
        }
    }

    private mutating func start(
        _ aps: PushDelivery.Aps, state: ContentState, timestamp: Int, id: ActivityID
    ) -> Effect {
        guard aps.attributesType == "LiveActivityAttributes", let attributes = aps.attributes else {
            return .dropped("attributes-type is not that of the app")
        }
        guard aps.alert != nil else { return .dropped("a start without alert") }
        guard aps.inputPushChannel == nil || subscriber != nil else {
            return .dropped("a start on a channel, before iOS 18")
        }
        activities.append(
            Activity(
                id: id, startID: StartID(attributes.startId), matchID: attributes.matchId, updateToken: nil,
                channel: aps.inputPushChannel,
                state: state,
                timestamp: timestamp, shown: [timestamp]))
        return .started(activity: activities.count - 1)
    }

    private mutating func show(_ state: ContentState, _ timestamp: Int, on index: Int) {
        activities[index].state = state
        activities[index].timestamp = timestamp
        activities[index].shown.append(timestamp)
    }
}
