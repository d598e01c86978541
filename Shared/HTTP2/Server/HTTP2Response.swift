/// A complete answer.
public struct HTTP2Response: Sendable, Equatable {
    public var status: Int
    /// The header fields without `:status`.
    public var headers: [HTTP2Field]
    public var body: [UInt8]

    package init(status: Int, headers: [HTTP2Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The seconds after which the peer asks to be tried again; nil when it gave none in seconds.
    public var retryAfter: Int? {
        headers.first { $0.name == "retry-after" }.flatMap { Int($0.value) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
