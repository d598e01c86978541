/// A complete answer.
public struct HTTP2Response: Sendable, Equatable {
    public var status: Int
    /// Without `:status`.
    public var headers: [HTTP2Field]
    public var body: [UInt8]

    public init(status: Int, headers: [HTTP2Field] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Seconds after which the peer asks to be tried again, if it said so in seconds.
    public var retryAfter: Int? {
        headers.first { $0.name == "retry-after" }.flatMap { Int($0.value) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
