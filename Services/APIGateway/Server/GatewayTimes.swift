import NIOCore

/// How long a connection may take over each thing. They bound what one connection costs.
struct GatewayTimes: Sendable {
    /// Until the next request's head is here as a whole, from the opening or from the last answer. Longer than a phone's
    /// burst of calls when it opens the app; a proxy that keeps connections open to us for longer has to try again.
    var head = TimeAmount.seconds(10)
    /// From a request's head to its last byte: 16 KiB at a thousandth of what a bad mobile network carries.
    var body = TimeAmount.seconds(12)
    /// From a request's last byte until the kernel has the last of its answer. Everything that a handler waits for ends sooner;
    /// this is for the bug that does not, and for the client that does not read.
    var answer = TimeAmount.seconds(30)
}
