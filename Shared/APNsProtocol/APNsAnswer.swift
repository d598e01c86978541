#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// APNs' answer to one push.
public struct APNsAnswer: Hashable, Sendable {
    public var status: Int
    /// The reason as sent; nil for 200 and for a body that is not Apple's.
    public var reasonText: String?
    /// With 410: when APNs learnt that the token is dead, **milliseconds** since 1970.
    public var timestampMs: Int64?
    /// The seconds of a `retry-after` field. Apple documents none; where there is one it is obeyed.
    public var retryAfter: Int?

    package init(status: Int, reasonText: String? = nil, timestampMs: Int64? = nil) {
        self.status = status
        self.reasonText = reasonText
        self.timestampMs = timestampMs
    }

    public init(_ reason: APNsReason, timestampMs: Int64? = nil) {
        self.init(status: reason.status, reasonText: reason.rawValue, timestampMs: timestampMs)
    }

    /// Reads an answer. A body that cannot be decoded is ignored, so that only the status counts.
    public init(status: Int, body: [UInt8]) {
        struct Body: Codable {
            var reason: String?
            var timestamp: Int64?
        }
        let decoded = body.isEmpty ? nil : try? JSONDecoder().decode(Body.self, from: Data(body))
        self.init(status: status, reasonText: decoded?.reason, timestampMs: decoded?.timestamp)
    }

    public static let accepted = Self(status: 200)

    /// The reason; nil when there is none or this build does not know it.
    public var reason: APNsReason? { reasonText.flatMap(APNsReason.init(rawValue:)) }

    /// The body as APNs sends it; empty for 200.
    public var body: [UInt8] {
        guard status != 200, let reasonText else { return [] }
        let timestamp = timestampMs.map { ",\"timestamp\":\($0)" } ?? ""
        return Array("{\"reason\":\"\(reasonText)\"\(timestamp)}".utf8)
    }
}
