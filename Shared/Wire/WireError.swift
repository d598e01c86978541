/// Why a message did not get through, or a connection was closed.
public struct WireError: Error, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable {
        /// Nobody listens there.
        case unavailable
        /// The connection ended before the answer came: whether the peer acted on the request is unknown.
        case closed
        /// No answer in time: whether the peer acted on the request is unknown.
        case timeout
        /// The peer does not take what it is sent; its connection is given up.
        case slow
        /// The peer's handler failed and says so.
        case refused
        /// A frame that is not one of ours.
        case malformed
        /// More than a frame may hold; nothing was sent.
        case tooLarge
        /// The process at the other end belongs to another user.
        case foreignUser
        /// The socket cannot be made: its path is too long, its folder is not ours, or its owner lives.
        case socket
    }

    public var code: Code
    public var reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
