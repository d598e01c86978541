#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenModels

/// The parts of a payload that a phone reads. It is decoded once for all devices that receive it.
public struct DevicePush: Sendable, Hashable {
    public struct Head: Decodable, Sendable, Hashable {
        public var timestamp: Int
        public var event: LiveActivityEvent
    }

    public struct Alert: Decodable, Sendable, Hashable {
        public var title: String
        public var body: String
    }

    /// The `timestamp` and `event`, if both can be read.
    public let head: Head?
    /// The alert; nil unless it has a title and a body.
    public let alert: Alert?
    public let hasState: Bool
    public let attributesType: String?
    public let hasAttributes: Bool

    public init(_ payload: [UInt8]) {
        let data = Data(payload)
        func decode<Part: Decodable>(_ type: Part.Type) -> Part? {
            try? JSONDecoder().decode(Push<Part>.self, from: data).aps
        }
        head = decode(Head.self)
        alert = decode(Alerting.self)?.alert
        hasState = decode(State.self) != nil
        attributesType = decode(Typed.self)?.attributesType
        hasAttributes = decode(Attributed.self) != nil
    }

    private struct Push<APS: Decodable>: Decodable { var aps: APS }

    private struct State: Decodable {
        var contentState: ContentState
        enum CodingKeys: String, CodingKey { case contentState = "content-state" }
    }

    private struct Alerting: Decodable { var alert: Alert }

    private struct Typed: Decodable {
        var attributesType: String
        enum CodingKeys: String, CodingKey { case attributesType = "attributes-type" }
    }

    private struct Attributed: Decodable { var attributes: LiveActivityAttributes }
}
