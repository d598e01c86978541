/// One HTTP request. Redirects are never followed: a host comes from configuration, not from an answer.
public struct HTTPClientRequest: Sendable {
    public var method: String
    public var url: String
    public var headers: [(String, String)]
    public var body: [UInt8]?
    /// From the start of the connection to the last byte of the body.
    public var timeout: Duration
    /// Largest body taken, in bytes, after decompression; a longer one fails with `.tooLarge`.
    public var bodyBytesMax: Int

    public init(
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

/// A whole answer, of any status.
public struct HTTPClientResponse: Sendable {
    public var status: Int
    /// In the order received; names in lower case.
    public var headers: [(String, String)]
    public var body: [UInt8]

    public init(status: Int, headers: [(String, String)], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first header of this name (any case).
    public func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.0 == wanted }?.1
    }
}
