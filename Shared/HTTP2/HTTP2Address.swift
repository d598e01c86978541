/// One address of an origin.
public struct HTTP2Address: Sendable {
    let native: SocketAddress
}

extension HTTP2Origin {
    /// Looks up the origin's addresses. The result is not cached, because Apple asks for a fresh query before each
    /// connection.
    public func addresses() async throws(HTTP2Error) -> [HTTP2Address] {
        try await SocketAddress.lookUp(host: host, port: port).map { HTTP2Address(native: $0) }
    }
}
