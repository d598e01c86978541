/// The host and port of an HTTP/2 server.
public struct HTTP2Origin: Hashable, Sendable, CustomStringConvertible {
    public var host: String
    public var port: Int

    package init(host: String, port: Int = 443) {
        self.host = host
        self.port = port
    }

    /// The value of `:authority`, with the port only where it is not 443.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    public var description: String { authority }
}
