/// A push as it comes off the network: nothing of it is believed yet.
public struct RawPush: Hashable, Sendable {
    /// Lower-case hex: whom it is for.
    public var token: String
    /// Names in lower case; what matters are `apns-push-type`, `apns-priority`, `apns-expiration`, `apns-topic`.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(token: String, headers: [String: String], body: [UInt8]) {
        self.token = token.lowercased()
        self.headers = headers
        self.body = body
    }

    var pushType: String { headers["apns-push-type"] ?? "" }
    /// 10 where nothing is said.
    var priority: Int { headers["apns-priority"].flatMap { Int($0) } ?? 10 }
    /// Seconds since 1970; 0: not kept for a phone that is away; nil: kept, and never too old.
    var expiration: Int? { headers["apns-expiration"].flatMap { Int($0) } }
    var topic: String { headers["apns-topic"] ?? "" }
}
