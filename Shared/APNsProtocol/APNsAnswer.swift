#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What APNs answered to one push.
public struct APNsAnswer: Hashable, Sendable {
    public var status: Int
    /// As sent; nil for 200 and for a body that is not Apple's.
    public var reasonText: String?
    /// With 410: when APNs learnt that the token is dead, **milliseconds** since 1970.
    public var timestampMs: Int64?
    /// Seconds, of a `retry-after` field. Apple documents none; it is obeyed where there is one.
    public var retryAfter: Int?

    public init(status: Int, reasonText: String? = nil, timestampMs: Int64? = nil) {
        self.status = status
        self.reasonText = reasonText
        self.timestampMs = timestampMs
    }

    public init(_ reason: APNsReason, timestampMs: Int64? = nil) {
        self.init(status: reason.status, reasonText: reason.rawValue, timestampMs: timestampMs)
    }

    /// Reads an answer; a body that cannot be read leaves the status to speak for itself.
    public init(status: Int, body: [UInt8]) {
        struct Body: Codable {
            var reason: String?
            var timestamp: Int64?
        }
        let decoded = body.isEmpty ? nil : try? JSONDecoder().decode(Body.self, from: Data(body))
        self.init(status: status, reasonText: decoded?.reason, timestampMs: decoded?.timestamp)
    }

    public static let accepted = Self(status: 200)

    /// Nil for none and for one that this build does not know.
    public var reason: APNsReason? { reasonText.flatMap(APNsReason.init(rawValue:)) }

    /// The body as APNs sends it; empty for 200.
    public var body: [UInt8] {
        guard status != 200, let reasonText else { return [] }
        let timestamp = timestampMs.map { ",\"timestamp\":\($0)" } ?? ""
        return Array("{\"reason\":\"\(reasonText)\"\(timestamp)}".utf8)
    }
}
