/// Sends one HTTP request to any host and returns its answer, for Cognito and for images.
public protocol WebTransport: Sendable {
    /// - Returns: the answer, with any status.
    /// - Throws: an error when there is no answer, or when it has more bytes than the request allows. A transport
    ///   repeats nothing and follows no redirects. When the calling task is cancelled, it throws `.cancelled`.
    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse
}

/// One call to any host.
public struct WebRequest: Hashable, Sendable {
    public var method: String
    /// The whole address: "https://cognito-idp.eu-west-1.amazonaws.com/".
    public var url: String
    /// The headers, with names in lower case.
    public var headers: [String: String]
    public var body: [UInt8]?
    /// The time from the first byte sent to the last byte received.
    public var timeout: Duration
    /// The most bytes of an answer.
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
