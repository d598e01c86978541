/// Sends one HTTP request to the gateway and returns its answer: with URLSession on a phone, with libcurl in
/// `device-lab`, from a script in tests.
public protocol APITransport: Sendable {
    /// - Returns: the answer, with any status.
    /// - Throws: an error when there is no answer. A transport repeats nothing and follows no redirects. When the
    ///   calling task is cancelled, it throws `.cancelled`.
    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse
}

/// One call to the gateway, whose address the transport knows.
public struct APIRequest: Hashable, Sendable {
    public var method: String
    /// The path from the root, ready to be sent: "/matches/1304076/follow".
    public var path: String
    /// The headers, with names in lower case.
    public var headers: [String: String]
    /// The body in JSON; nil for none.
    public var body: [UInt8]?
    /// The time from the first byte sent to the last byte received.
    public var timeout: Duration

    public init(
        method: String, path: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10)
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

public struct APIResponse: Hashable, Sendable {
    public var status: Int
    /// The headers, with names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The reason why there is no answer. Whether the request took effect is unknown, except for `offline`.
public enum TransportError: Error, Hashable, Sendable {
    /// There is no network, and nothing was sent.
    case offline
    case timeout
    case cancelled
    /// The connection failed or broke. The value is for the log.
    case broken(String)
}
