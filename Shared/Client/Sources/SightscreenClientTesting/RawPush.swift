/// A push as it arrives from the network, before any check.
public struct RawPush: Hashable, Sendable {
    /// The receiving token in lower-case hex.
    public var token: String
    /// The headers, with names in lower case. The phone reads `apns-push-type`, `apns-priority`, `apns-expiration` and
    /// `apns-topic`.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(token: String, headers: [String: String], body: [UInt8]) {
        self.token = token.lowercased()
        self.headers = headers
        self.body = body
    }

    var pushType: String { headers["apns-push-type"] ?? "" }
    /// The priority; 10 when the header is missing.
    var priority: Int { headers["apns-priority"].flatMap { Int($0) } ?? 10 }
    /// The time in seconds since 1970 until which the push is valid. 0 means that it is not kept for an offline phone;
    /// nil that it is kept and does not expire.
    var expiration: Int? { headers["apns-expiration"].flatMap { Int($0) } }
    var topic: String { headers["apns-topic"] ?? "" }
}
