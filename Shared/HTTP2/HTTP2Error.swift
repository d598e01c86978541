/// What kept a connection from being made or a context from being built; ends with the cause as the library below
/// words it.
public struct HTTP2Error: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable {
        /// The name has no address.
        case lookup
        /// Nobody answers at the address, or the connection broke.
        case connection
        /// The certificate, the key, the peer's name or the handshake.
        case tls
        /// The peer does not speak HTTP/2, or not correctly.
        case httpProtocol
        case timeout
        /// A file of the configuration is missing, unreadable or not what it should be.
        case configuration
    }

    public var code: Code
    public var message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
