import NIOCore

/// The longest times for the steps of a connection. They bound what one connection costs.
struct GatewayTimes: Sendable {
    /// The time until the next request's head has arrived completely, from the opening or from the last answer. It is
    /// longer than a phone's burst of calls when the app opens; a proxy that keeps a connection open for longer has to
    /// connect again.
    var head = TimeAmount.seconds(10)
    /// The time from a request's head to its last byte: 16 KiB at a thousandth of what a bad mobile network carries.
    var body = TimeAmount.seconds(12)
    /// The time from a request's last byte until the kernel has the whole answer. Everything that a handler waits for
    /// ends sooner; this catches a bug in a handler, and a client that does not read.
    var answer = TimeAmount.seconds(30)
}
