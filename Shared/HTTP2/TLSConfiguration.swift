/// What a TLS end needs: TLS 1.2 or newer and ALPN `h2`, always. A client always checks the peer's chain and name.
public struct TLSConfiguration: Sendable {
    enum Role: Sendable {
        /// Nil: the system's roots.
        case client(caFile: String?)
        case server(certificateFile: String, keyFile: String)
    }
    let role: Role

    /// - Parameter caFile: a PEM file with the roots to trust *instead of* the system's.
    public static func client(caFile: String?) -> TLSConfiguration { .init(role: .client(caFile: caFile)) }

    /// - Parameters:
    ///   - certificateFile: PEM, the leaf first, then what leads to the root.
    ///   - keyFile: PEM, not encrypted.
    public static func server(certificateFile: String, keyFile: String) -> TLSConfiguration {
        .init(role: .server(certificateFile: certificateFile, keyFile: keyFile))
    }

    /// Reads the files.
    /// - Throws: `configuration` with the file that is wrong.
    public func makeContext() throws(HTTP2Error) -> TLSContext { try TLSContext(self) }
}
