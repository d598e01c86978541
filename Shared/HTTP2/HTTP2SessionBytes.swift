internal import CNGHTTP2

/// Moves bytes into and out of an nghttp2 session, for both client and server.
enum HTTP2SessionBytes {
    static func put(_ bytes: UnsafeRawBufferPointer, into session: OpaquePointer?) throws(HTTP2Error) {
        let count = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        guard count == bytes.count else { throw failure(count) }
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

    private static func failure(_ code: Int) -> HTTP2Error {
        HTTP2Error(.httpProtocol, String(cString: nghttp2_strerror(Int32(clamping: code))))
    }
}
