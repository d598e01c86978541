/// One end of an HTTP/2 connection without a socket, whose bytes `HTTP2Transport` moves.
protocol HTTP2ByteEnd: AnyObject {
    /// The number of bytes that `nextOutput` has returned so far.
    var outputBytes: UInt64 { get }
    /// Whether both ends have nothing more to send, so that the socket can be closed.
    var isFinished: Bool { get }
    /// Takes in bytes from the peer.
    /// - Throws: when the connection cannot go on; `nextOutput` may still have a GOAWAY to send.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error)
    /// Returns the next bytes for the peer, about one frame, valid until the next call; nil when there is nothing to
    /// send now.
    func nextOutput() throws(HTTP2Error) -> UnsafeRawBufferPointer?
}
