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
}
