/// One HTTP request. Redirects are never followed, because a host comes from configuration, not from an answer.
public struct HTTPClientRequest: Sendable {
    public var method: String
    public var url: String
    public var headers: [(String, String)]
    public var body: [UInt8]?
    /// The time from the start of the connection to the last byte of the body.
    public var timeout: Duration
    /// The largest body that is accepted, in bytes after decompression; a longer one fails with `.tooLarge`.
    public var bodyBytesMax: Int

    package init(
        method: String = "GET", url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10), bodyBytesMax: Int = 1 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.bodyBytesMax = bodyBytesMax
    }
}

/// A complete answer, of any status.
public struct HTTPClientResponse: Sendable {
    public var status: Int
    /// The headers in the order in which they were received; names are in lower case.
    public var headers: [(String, String)]
    public var body: [UInt8]

    package init(status: Int, headers: [(String, String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the first header of this name, in any case.
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.0 == wanted }?.1
    }
}
