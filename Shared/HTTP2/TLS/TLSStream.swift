internal import COpenSSL
internal import Glibc

/// TLS over one non-blocking socket. It belongs to the thread that watches the socket.
final class TLSStream {
    enum Progress {
        case done(Int)
        case wantsRead
        case wantsWrite
        /// The peer closed.
        case closed
        case failed(String)
    }

    /// The most plain bytes of one record (RFC 8446, section 5.1).
    private static let recordBytesMax = 16_384

    private let raw: OpaquePointer
    private let context: TLSContext
    /// The plain bytes of a record that the socket has accepted only in part; 0 when there is none.
    private var unfinished = 0

    /// - Parameter host: the name (or IP address) that the peer's certificate must be for; nil for a server.
    init(_ context: TLSContext, descriptor: Int32, host: String?) throws(HTTP2Error) {
        self.context = context
        ERR_clear_error()
        guard let raw = SSL_new(context.raw), SSL_set_fd(raw, descriptor) == 1 else {
            throw HTTP2Error(.tls, "no TLS connection: \(OpenSSLErrors.take())")
        }
        self.raw = raw
        guard let host else {
            SSL_set_accept_state(raw)
            return
        }
        SSL_set_connect_state(raw)
        if TLSStream.isAddress(host) {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), host) == 1 else {
                throw HTTP2Error(.tls, "\(host) cannot be verified: \(OpenSSLErrors.take())")
            }
        } else {
            SSL_set_hostflags(raw, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
            let named = host.withCString {
                SSL_ctrl(
                    raw, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name),
                    UnsafeMutableRawPointer(mutating: $0))
            }
            guard named == 1, SSL_set1_host(raw, host) == 1 else {
                throw HTTP2Error(.tls, "\(host) cannot be verified: \(OpenSSLErrors.take())")
            }
        }
    }

    deinit { SSL_free(raw) }

    static func isAddress(_ host: String) -> Bool {
        var space = in6_addr()
        return inet_pton(AF_INET, host, &space) == 1 || inet_pton(AF_INET6, host, &space) == 1
    }

    func handshake() -> Progress {
        ERR_clear_error()
        let status = SSL_do_handshake(raw)
        if status == 1 {
            var name: UnsafePointer<UInt8>?
            var count: UInt32 = 0
            SSL_get0_alpn_selected(raw, &name, &count)
            guard count == 2, let name, name[0] == UInt8(ascii: "h"), name[1] == UInt8(ascii: "2") else {
                return .failed("the peer does not speak HTTP/2")
            }
            return .done(0)
        }
        return progress(status)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        ERR_clear_error()
        var count = 0
        let status = SSL_read_ex(raw, buffer.baseAddress, buffer.count, &count)
        return status == 1 ? .done(count) : progress(status)
    }

    /// Writes one record at most. While the rest of a record waits for the socket, `bytes` must begin with the same
    /// bytes.
    ///
    /// Only one record is offered to OpenSSL at a time: otherwise, after it has finished one record, it goes on to the
    /// next, and reports for both that nothing was written when the second has to wait.
    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        ERR_clear_error()
        let offered = unfinished > 0 ? unfinished : min(bytes.count, Self.recordBytesMax)
        var count = 0
        let status = SSL_write_ex(raw, bytes.baseAddress, offered, &count)
        unfinished = status == 1 ? 0 : offered
        return status == 1 ? .done(count) : progress(status)
    }

    /// Sends the TLS close notification, without waiting for the peer's.
    func sayGoodbye() {
        ERR_clear_error()
        SSL_shutdown(raw)
        ERR_clear_error()
    }

    private func progress(_ status: Int32) -> Progress {
        let systemError = errno
        switch SSL_get_error(raw, status) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            return ERR_peek_error() != 0
                ? .failed(OpenSSLErrors.take())
                : systemError == 0 ? .closed : .failed(String(cString: strerror(systemError)))
        default:
            let result = SSL_get_verify_result(raw)
            let reason = OpenSSLErrors.take()
            if result != Int(X509_V_OK), let text = X509_verify_cert_error_string(result) {
                return .failed("\(reason) (\(String(cString: text)))")
            }
            // A peer that closes without a close notification counts as closed.
            return reason == "unexpected eof while reading" ? .closed : .failed(reason)
        }
    }
}
