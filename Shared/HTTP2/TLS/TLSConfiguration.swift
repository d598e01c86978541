/// The configuration of one TLS end. It always means TLS 1.2 or newer and ALPN `h2`, and a client always checks the
/// peer's chain and name.
public struct TLSConfiguration: Sendable {
    enum Role: Sendable {
        /// A client; a nil file stands for the system's roots.
        case client(caFile: String?)
        case server(certificateFile: String, keyFile: String)
    }
    let role: Role

    /// - Parameter caFile: a PEM file with the roots to trust *instead of* the system's.
    public static func client(caFile: String?) -> TLSConfiguration { .init(role: .client(caFile: caFile)) }

    /// - Parameters:
    ///   - certificateFile: a PEM file with the leaf first, then the chain to the root.
    ///   - keyFile: a PEM file that is not encrypted.
    public static func server(certificateFile: String, keyFile: String) -> TLSConfiguration {
        .init(role: .server(certificateFile: certificateFile, keyFile: keyFile))
    }

    /// Reads the files and makes the context.
    /// - Throws: an error with the code `configuration` that names the wrong file.
    public func makeContext() throws(HTTP2Error) -> TLSContext { try TLSContext(self) }
}
