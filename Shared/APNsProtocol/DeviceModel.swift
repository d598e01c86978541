import FoundationEssentials
public import Sightscreen

/// The end of a push: one token's phone, as far as ActivityKit's rules are known.
public struct DeviceModel: Sendable, Hashable {
    /// Updates dated further ahead than this are dropped.
    public static let aheadSecondsMax = 8 * 3_600

    public let kind: RegisteredToken.Kind
    /// The stamp that an update must exceed.
    public private(set) var shown: Stamp?
    public private(set) var hasEnded = false

    /// - Parameter shown: the stamp of the start or of the phone's own state, when it is known.
    public init(kind: RegisteredToken.Kind, shown: Stamp? = nil) {
        self.kind = kind
        self.shown = shown
    }

    /// Takes in a push that APNs answered with 200.
    ///
    /// - Parameters:
    ///   - expiration: `apns-expiration`; 0 and nil never expire here.
    ///   - now: the phone's clock, seconds since 1970.
    public mutating func receive(
        _ payload: [UInt8], expiration: Int?, attributesType: String, now: Int
    ) -> DeviceVerdict {
        if let expiration, expiration > 0, expiration < now { return .expired }
        guard kind != .device else { return .handled }
        guard let head = Self.decode(Push<Head>.self, payload)?.aps else { return .notDecodable }
        guard (head.event == .start) == (kind == .start) else { return .wrongEventForToken }
        if hasEnded { return .alreadyEnded }
        guard Self.decode(Push<State>.self, payload) != nil else { return .notDecodable }
        if head.timestamp > now + Self.aheadSecondsMax, head.event != .end { return .droppedFarTimestamp }
        switch head.event {
        case .start: return verdictOnStart(payload, attributesType: attributesType)
        case .update:
            if let shown, head.timestamp <= shown.rawValue { return .droppedOldTimestamp }
            shown = Stamp(head.timestamp)
            return .handled
        case .end:
            hasEnded = true
            return .handled
        }
    }

    private func verdictOnStart(_ payload: [UInt8], attributesType: String) -> DeviceVerdict {
        guard Self.decode(Push<Alerting>.self, payload) != nil else { return .missingAlert }
        guard let named = Self.decode(Push<Typed>.self, payload), named.aps.attributesType == attributesType else {
            return .wrongAttributesType
        }
        return Self.decode(Push<Attributed>.self, payload) == nil ? .attributesNotDecodable : .handled
    }

    private static func decode<Part: Decodable>(_ type: Part.Type, _ payload: [UInt8]) -> Part? {
        try? JSONDecoder().decode(type, from: Data(payload))
    }

    private struct Push<APS: Decodable>: Decodable { var aps: APS }

    private struct Head: Decodable {
        var timestamp: Int
        var event: LiveActivityPayload.Event
    }

    private struct State: Decodable {
        var contentState: ContentState
        enum CodingKeys: String, CodingKey { case contentState = "content-state" }
    }

    private struct Alerting: Decodable {
        struct Alert: Decodable {
            var title: String
            var body: String
        }
        var alert: Alert
    }

    private struct Typed: Decodable {
        var attributesType: String
        enum CodingKeys: String, CodingKey { case attributesType = "attributes-type" }
    }

    private struct Attributed: Decodable {
        var attributes: LiveActivityAttributes
    }
}
