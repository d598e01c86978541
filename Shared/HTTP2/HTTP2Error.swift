/// The reason why a connection or a context could not be made, or why a connection ended. The message ends with the
/// cause in the words of the library below.
public struct HTTP2Error: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        /// The name has no address.
        case lookup
        /// No process answers at the address, or the connection broke.
        case connection
        /// The certificate, the key, the peer's name or the handshake is wrong.
        case tls
        /// The peer does not speak HTTP/2, or violates the protocol.
        case httpProtocol
        case timeout
        /// A file of the configuration is missing, unreadable or not what it should be.
        case configuration
    }

    public var code: Code
    public var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
