internal import CNGHTTP2

/// Moves bytes into and out of an nghttp2 session, for both client and server.
enum HTTP2SessionBytes {
    /// The most frames that wait for the peer, about 1.6 MB. Both ends together make no more than 4 for each of 1,000
    /// streams. nghttp2 itself bounds only its answers to PING and SETTINGS, not the RST_STREAM for each stream that a
    /// peer opens beyond what it may.
    static let framesWaitingMax = 10_000

    static func put(_ bytes: UnsafeRawBufferPointer, into session: OpaquePointer?) throws(HTTP2Error) {
        let count = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard count == bytes.count else { throw failure(count) }
        guard nghttp2_session_get_outbound_queue_size(session) <= framesWaitingMax else {
            throw HTTP2Error(.httpProtocol, "the peer does not read the answers that it asks for")
        }
    }

    /// - Returns: bytes that are valid until the session is used again; nil when there are none.
    static func take(from session: OpaquePointer?) throws(HTTP2Error) -> UnsafeRawBufferPointer? {
        var pointer: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &pointer)
        guard count >= 0 else { throw failure(count) }
        guard count > 0, let pointer else { return nil }
        return UnsafeRawBufferPointer(start: pointer, count: count)
    }

    static func isFinished(_ session: OpaquePointer?) -> Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// Resets a stream within a header callback, which returns the result. nghttp2 still decodes the rest of the block
    /// for the table that both ends share, and hands none of it on; when the reset has left, it closes the stream.
    static func refuseHeaders(_ session: OpaquePointer?, _ stream: Int32) -> Int32 {
        nghttp2_submit_rst_stream(
            session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, HTTP2ErrorCode.enhanceYourCalm.rawValue)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
    }

    private static func failure(_ code: Int) -> HTTP2Error {
        HTTP2Error(.httpProtocol, String(cString: nghttp2_strerror(Int32(clamping: code))))
    }
}
