/// The simulator's answer to a request.
struct SimulatorAnswer: Hashable, Sendable {
    var status: Int
    /// The reason as sent; nil without one.
    var reason: String?
    /// With 410: when the token was deleted, in milliseconds since 1970.
    var timestampMs: Int64?
    /// The seconds of a `retry-after` field; nil without the field.
    var retryAfter: Int?

    init(status: Int, reason: String? = nil, timestampMs: Int64? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.timestampMs = timestampMs
        self.retryAfter = retryAfter
    }

    init(_ refusal: Refusal, timestampMs: Int64? = nil, retryAfter: Int? = nil) {
        self.init(
            status: refusal.status, reason: refusal.rawValue, timestampMs: timestampMs, retryAfter: retryAfter)
    }

    static let accepted = Self(status: 200)
    /// The request was not processed, and its sender gets no answer of APNs.
    static let unanswered = Self(status: 0)

    /// The body as Apple sends it; empty without a reason.
    var body: [UInt8] {
        guard let reason else { return [] }
        let timestamp = timestampMs.map { ",\"timestamp\":\($0)" } ?? ""
        return Array("{\"reason\":\"\(reason)\"\(timestamp)}".utf8)
    }
}
