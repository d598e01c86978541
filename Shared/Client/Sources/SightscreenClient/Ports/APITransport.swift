/// Carries one HTTP request to the gateway and brings its answer back. URLSession on a phone, libcurl in `device-lab`, a
/// script in tests.
public protocol APITransport: Sendable {
    /// - Returns: the answer, of whatever status.
    /// - Throws: when there is none. A transport repeats nothing and follows no redirects; when the calling task is
    ///   cancelled it gives up with `.cancelled`.
    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse
}

/// One call, without the gateway's address: that is the transport's.
public struct APIRequest: Hashable, Sendable {
    public var method: String
    /// From the root, ready to be sent: "/matches/1304076/follow".
    public var path: String
    /// Names in lower case.
    public var headers: [String: String]
    /// JSON; nil for none.
    public var body: [UInt8]?
    /// From the first byte out to the last one in.
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
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no answer. Whether the request took effect is unknown, but for `offline`.
public enum TransportError: Error, Hashable, Sendable {
    /// No network: nothing was sent.
    case offline
    case timeout
    case cancelled
    /// The connection failed or broke; for the log.
    case broken(String)
}
