import NIOCore

/// How long a connection may take over each thing. They bound what one connection costs: a client that only dribbles is
/// gone after 13 seconds at the latest, whatever it dribbles.
struct GatewayTimes: Sendable {
    /// Nothing of a request has come. Longer than a phone's burst of calls when it opens the app; a proxy that keeps
    /// connections open to us for longer has to close them sooner than this, or to try again.
    var idle = TimeAmount.seconds(10)
    /// From a request's first byte to the end of its header, which is one packet or two.
    var head = TimeAmount.seconds(5)
    /// From a request's first byte to its last: 16 KiB at a thousandth of what a bad mobile network carries. For the first
    /// request of a connection it counts from the opening, so that being idle first gains nothing.
    var request = TimeAmount.seconds(12)
    /// From a request's last byte to its answer. Everything that a handler waits for ends sooner; this is for the bug that
    /// does not.
    var answer = TimeAmount.seconds(30)
    /// From an answer's first byte until the kernel has taken the last. The client's progress does not extend it.
    var write = TimeAmount.seconds(10)
    /// After the last answer of a connection: until the client has closed it, too. Closing while it still sends would
    /// take the answer away from it.
    var linger = TimeAmount.seconds(1)
}
