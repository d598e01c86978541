/// The reason why a message did not get through, or why a connection was closed.
public struct WireError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// No process listens at the path, or the instance is not connected.
        case unavailable
        /// The connection ended before the answer came: whether the peer acted on the request is unknown.
        case closed
        /// No answer in time: whether the peer acted on the request is unknown.
        case timeout
        /// The peer does not read what it is sent, and its connection is closed; or too many requests are waiting.
        case slow
        /// The peer's handler failed and says so.
        case refused
        /// A frame is not of this protocol, or a message came where it must not.
        case malformed
        /// The message is longer than a frame may be; nothing was sent.
        case tooLarge
        /// The process at the other end belongs to another user.
        case foreignUser
        /// The socket cannot be made: its path is too long, its folder is not ours, or its owner lives.
        case socket
    }

    public var code: Code
    public var reason: String

    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
