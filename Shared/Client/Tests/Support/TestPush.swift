import FoundationEssentials
public import SightscreenModels

/// The body of a push, written from Apple's page "Starting and updating Live Activities with ActivityKit push
/// notifications" and not by this repository's sender.
public struct TestPush: Sendable {
    private var aps: [String: JSON] = [:]
    private var matchID: MatchID?
    private var purpose: String?
    private var nonce: String?

    /// Returns a push that starts an activity.
    ///
    /// - Parameter channel: the channel that it listens to; nil for an update token.
    public static func start(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert,
        attributesType: String, attributes: LiveActivityAttributes, channel: ChannelID? = nil
    ) -> Self {
        var push = update(
            stamp: stamp, contentState: contentState, staleAt: staleAt, relevance: relevance, alert: alert)
        push.aps["event"] = .text("start")
        push.aps["attributes-type"] = .text(attributesType)
        push.aps["attributes"] = .value(attributes)
        if let channel {
            push.aps["input-push-channel"] = .text(channel.rawValue)
        } else {
            push.aps["input-push-token"] = .number(1)
        }
        return push
    }

    public static func update(
        stamp: Stamp, contentState: ContentState, staleAt: Int?, relevance: Double?, alert: PushAlert? = nil
    ) -> Self {
        var push = TestPush()
        push.aps["event"] = .text("update")
        push.aps["timestamp"] = .number(Double(stamp.rawValue))
        push.aps["content-state"] = .value(contentState)
        push.aps["stale-date"] = staleAt.map { .number(Double($0)) }
        push.aps["relevance-score"] = relevance.map { .number($0) }
        push.aps["alert"] = alert.map { .object(texts($0, withSound: true)) }
        return push
    }

    public static func end(stamp: Stamp, contentState: ContentState, dismissAt: Int) -> Self {
        var push = update(stamp: stamp, contentState: contentState, staleAt: nil, relevance: nil)
        push.aps["event"] = .text("end")
        push.aps["dismissal-date"] = .number(Double(dismissAt))
        return push
    }

    /// Returns a silent push that asks the app for its activities.
    ///
    /// - Parameters:
    ///   - matchID: the match that the push is about; nil for none.
    ///   - confirm: a nonce that the app is to return.
    public static func reconcile(matchID: MatchID?, confirm: String? = nil) -> Self {
        TestPush(aps: ["content-available": .number(1)], matchID: matchID, purpose: "reconcile", nonce: confirm)
    }

    /// Returns an ordinary notification, whose sound is beside its alert.
    public static func visible(matchID: MatchID, alert: PushAlert) -> Self {
        var aps: [String: JSON] = ["alert": .object(texts(alert, withSound: false))]
        if alert.sound { aps["sound"] = .text("default") }
        return TestPush(aps: aps, matchID: matchID, purpose: "startLiveActivity")
    }

    public func encoded() throws -> [UInt8] {
        var body: [String: JSON] = ["aps": .object(aps)]
        body["matchId"] = matchID.map { .text($0.description) }
        body["purpose"] = purpose.map { .text($0) }
        body["confirm"] = nonce.map { .text($0) }
        return [UInt8](try JSONEncoder().encode(JSON.object(body)))
    }

    private static func texts(_ alert: PushAlert, withSound: Bool) -> [String: JSON] {
        var texts: [String: JSON] = ["title": .text(alert.title), "body": .text(alert.body)]
        if withSound, alert.sound { texts["sound"] = .text("default") }
        return texts
    }

    private indirect enum JSON: Encodable, Sendable {
        case text(String)
        case number(Double)
        case object([String: JSON])
        case value(any Encodable & Sendable)

        func encode(to encoder: any Encoder) throws {
            switch self {
            case .text(let text): try text.encode(to: encoder)
            case .number(let number): try number.encode(to: encoder)
            case .object(let members): try members.encode(to: encoder)
            case .value(let value): try value.encode(to: encoder)
            }
        }
    }
}
