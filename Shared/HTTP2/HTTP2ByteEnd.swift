/// One end of an HTTP/2 connection without a socket, as `HTTP2Transport` moves its bytes.
protocol HTTP2ByteEnd: AnyObject {
    /// Bytes that `nextOutput` has given out so far.
    var outputBytes: UInt64 { get }
    /// Both ends have said all they will: close the socket.
    var isFinished: Bool { get }
    /// Takes in what the peer sent.
    /// - Throws: when the connection cannot go on; `nextOutput` may still have a GOAWAY to send.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error)
    /// The next bytes for the peer, about one frame, valid until the next call; nil when there is nothing to send now.
    func nextOutput() throws(HTTP2Error) -> UnsafeRawBufferPointer?
}
