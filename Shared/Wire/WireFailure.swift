import Messages

/// The answer to a request whose handler failed.
struct WireFailure: Message {
    static let type = "failure"
    var reason: String
}
