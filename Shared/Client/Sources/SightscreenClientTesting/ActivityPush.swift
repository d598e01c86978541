import SightscreenModels
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenClient

/// A Live Activity's payload as the phone decodes it, with the app's own types and a default `JSONDecoder`. A payload
/// that does not decode is dropped.
struct ActivityPush: Sendable {
    struct Alert: Decodable, Hashable, Sendable {
        var title: String
        var body: String
        var sound: String?
    }

    enum Event: String, Decodable, Sendable { case start, update, end }

    var timestamp: Int
    var event: Event
    /// The content; nil only for an end, which then leaves the content as it is.
    var content: ShownContent?
    var dismissAt: Int?
    var alert: Alert?
    var attributesType: String?
    /// The channel that a started activity listens to, in place of an update token.
    var inputChannel: ChannelID?
    private let body: [UInt8]

    init(_ body: [UInt8]) throws(PushDropped) {
        let head: Head = try Self.decode(body)
        self.body = body
        timestamp = head.timestamp
        event = head.event
        dismissAt = head.dismissalDate
        attributesType = head.attributesType
        inputChannel = head.inputChannel
        // An invalid alert does not prevent the rest from being shown.
        alert = (try? Self.decode(body) as Alerting)?.alert
        if head.hasState {
            let state: State = try Self.decode(body)
            content = ShownContent(state: state.contentState, staleAt: head.staleDate, relevance: head.relevanceScore)
        } else if event != .end {
            throw PushDropped(.notDecodable)
        }
    }

    func attributes() throws(PushDropped) -> LiveActivityAttributes {
        let attributed: Attributed = try Self.decode(body)
        return attributed.attributes
    }

    // MARK: - Apple's keys

    private struct Push<APS: Decodable>: Decodable { var aps: APS }

    private struct Head: Decodable {
        var timestamp: Int
        var event: Event
        var staleDate: Int?
        var dismissalDate: Int?
        var relevanceScore: Double?
        var attributesType: String?
        var inputChannel: ChannelID?
        var hasState: Bool

        enum Key: String, CodingKey {
            case timestamp, event
            case contentState = "content-state"
            case staleDate = "stale-date"
            case dismissalDate = "dismissal-date"
            case relevanceScore = "relevance-score"
            case attributesType = "attributes-type"
            case inputChannel = "input-push-channel"
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: Key.self)
            timestamp = try keys.decode(Int.self, forKey: .timestamp)
            event = try keys.decode(Event.self, forKey: .event)
            staleDate = try keys.decodeIfPresent(Int.self, forKey: .staleDate)
            dismissalDate = try keys.decodeIfPresent(Int.self, forKey: .dismissalDate)
            relevanceScore = try keys.decodeIfPresent(Double.self, forKey: .relevanceScore)
            attributesType = try keys.decodeIfPresent(String.self, forKey: .attributesType)
            inputChannel = try keys.decodeIfPresent(ChannelID.self, forKey: .inputChannel)
            hasState = keys.contains(.contentState)
        }
    }

    private struct State: Decodable {
        var contentState: ContentState
        enum CodingKeys: String, CodingKey { case contentState = "content-state" }
    }

    private struct Alerting: Decodable { var alert: Alert }
    private struct Attributed: Decodable { var attributes: LiveActivityAttributes }

    private static func decode<Part: Decodable>(_ body: [UInt8]) throws(PushDropped) -> Part {
        do { return try JSONDecoder().decode(Push<Part>.self, from: Data(body)).aps } catch {
            throw PushDropped(.notDecodable)
        }
    }
}

/// The error that ends the handling of a push.
struct PushDropped: Error {
    var reason: PushDrop
    init(_ reason: PushDrop) { self.reason = reason }
}
