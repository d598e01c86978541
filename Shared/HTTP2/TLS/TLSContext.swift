internal import COpenSSL
internal import Glibc

/// The certificates, roots and rules that any number of connections share.
///
/// `@unchecked Sendable`: OpenSSL's context is not changed after `init`, and counts its references atomically.
public final class TLSContext: @unchecked Sendable {
    let raw: OpaquePointer
    let isServer: Bool

    private static let ignoreBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()
    private static let alpn: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]

    init(_ configuration: TLSConfiguration) throws(HTTP2Error) {
        // Without this, a write to a peer that went away would end the process; now it is an error.
        TLSContext.ignoreBrokenPipes
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_method()) else {
            throw HTTP2Error(.tls, "no TLS context: \(OpenSSLErrors.take())")
        }
        raw = context
        if case .server = configuration.role { isServer = true } else { isServer = false }
        SSL_CTX_ctrl(raw, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        SSL_CTX_ctrl(raw, SSL_CTRL_MODE, Int(modes), nil)
        switch configuration.role {
        case .client(let caFile): try trust(caFile)
        case .server(let certificateFile, let keyFile): try present(certificateFile, keyFile)
        }
    }

    deinit { SSL_CTX_free(raw) }

    private func trust(_ caFile: String?) throws(HTTP2Error) {
        SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nil)
        _ = TLSContext.alpn.withUnsafeBufferPointer { SSL_CTX_set_alpn_protos(raw, $0.baseAddress, UInt32($0.count)) }
        if let caFile {
            guard SSL_CTX_load_verify_file(raw, caFile) == 1 else {
                throw HTTP2Error(.configuration, "\(caFile) holds no certificates: \(OpenSSLErrors.take())")
            }
        } else if SSL_CTX_set_default_verify_paths(raw) != 1 {
            throw HTTP2Error(.configuration, "no system certificates: \(OpenSSLErrors.take())")
        }
    }

    private func present(_ certificateFile: String, _ keyFile: String) throws(HTTP2Error) {
        guard SSL_CTX_use_certificate_chain_file(raw, certificateFile) == 1 else {
            throw HTTP2Error(.configuration, "\(certificateFile) holds no certificate: \(OpenSSLErrors.take())")
        }
        guard SSL_CTX_use_PrivateKey_file(raw, keyFile, SSL_FILETYPE_PEM) == 1, SSL_CTX_check_private_key(raw) == 1
        else { throw HTTP2Error(.configuration, "\(keyFile) does not hold its key: \(OpenSSLErrors.take())") }
        // A record's head and body are read with one system call, because the records that a server gets are large.
        SSL_CTX_ctrl(raw, SSL_CTRL_SET_READ_AHEAD, 1, nil)
        SSL_CTX_set_alpn_select_cb(
            raw,
            { _, chosen, chosenCount, offered, offeredCount, _ in
                // The offered names are a length byte and that many bytes each.
                guard let offered, let chosen, let chosenCount else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                var index = 0
                while index < Int(offeredCount) {
                    let count = Int(offered[index])
                    if count == 2, index + 2 < Int(offeredCount), offered[index + 1] == UInt8(ascii: "h"),
                        offered[index + 2] == UInt8(ascii: "2")
                    {
                        chosen.pointee = offered + index + 1
                        chosenCount.pointee = 2
                        return SSL_TLSEXT_ERR_OK
                    }
                    index += 1 + count
                }
                return SSL_TLSEXT_ERR_ALERT_FATAL
            }, nil)
    }
}

/// The OpenSSL error queue of this thread.
enum OpenSSLErrors {
    /// Returns all waiting errors, oldest first, as one line, and empties the queue.
    static func take() -> String {
        var lines: [String] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            if let reason = ERR_reason_error_string(code) {
                lines.append(String(cString: reason))
            } else {
                var buffer = [CChar](repeating: 0, count: 256)
                ERR_error_string_n(code, &buffer, buffer.count)
                lines.append(buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
            }
        }
        return lines.isEmpty ? "no reason given" : lines.joined(separator: ", ")
    }
}
