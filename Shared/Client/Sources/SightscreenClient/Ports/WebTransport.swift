/// Carries one HTTP request to any host and brings its answer back: to Cognito, to where images are.
public protocol WebTransport: Sendable {
    /// - Returns: the answer, of whatever status.
    /// - Throws: when there is none, or more bytes than the request allows. A transport repeats nothing and follows no
    ///   redirects; when the calling task is cancelled it gives up with `.cancelled`.
    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse
}

/// One call, with its host.
public struct WebRequest: Hashable, Sendable {
    public var method: String
    /// "https://cognito-idp.eu-west-1.amazonaws.com/".
    public var url: String
    /// Names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]?
    /// From the first byte out to the last one in.
    public var timeout: Duration
    /// The longest answer that is taken.
    public var bodyBytesMax: Int

    public init(
        method: String = "GET", url: String, headers: [String: String] = [:], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10), bodyBytesMax: Int = 4 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.bodyBytesMax = bodyBytesMax
    }
}
