internal import CCurl

/// One request in flight. It is made on the caller's thread and then belongs to the curl thread.
///
/// `@unchecked Sendable`: it is handed over once through the curl thread's locked queue, and no other thread touches it
/// after that.
final class Transfer: @unchecked Sendable {
    let request: HTTPClientRequest
    let configuration: HTTPClient.Configuration
    var continuation: CheckedContinuation<HTTPClientResponse, any Error>?
    /// Set on the curl thread, because the cancellation may arrive there before the request does.
    var isCancelled = false

    private(set) var easy: OpaquePointer?
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var headers: [(String, String)] = []
    private var body: [UInt8] = []
    /// The number and the bytes of the header lines so far, interim answers and trailers too.
    private var headerLines = (count: 0, bytes: 0)
    /// What the answer has too much of.
    private var excess: String?

    init(_ request: HTTPClientRequest, _ configuration: HTTPClient.Configuration) {
        self.request = request
        self.configuration = configuration
    }

    /// Makes the libcurl handle; nil if libcurl cannot take the request.
    func prepare() -> OpaquePointer? {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        let context = Unmanaged.passUnretained(self).toOpaque()
        let protocols = configuration.allowHTTP ? "http,https" : "https"
        var codes = [
            ccurl_set_string(easy, CURLOPT_URL, request.url),
            ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, protocols),
            ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0),
            ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYPEER, 1),
            ccurl_set_long(easy, CURLOPT_SSL_VERIFYHOST, 2),
            ccurl_set_long(easy, CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.milliseconds),
            ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, request.timeout.milliseconds),
            ccurl_set_string(easy, CURLOPT_USERAGENT, configuration.userAgent),
            // Accepts every encoding that libcurl was built with; libcurl decompresses before it passes bytes on.
            ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, ""),
            ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method),
            // Proxies from the environment are meant for interactive tools, not for a service with secrets.
            ccurl_set_string(easy, CURLOPT_PROXY, ""),
            ccurl_set_writer(easy, Self.takeBody, context),
            ccurl_set_header_writer(easy, Self.takeHeader, context),
        ]
        if let file = configuration.caFile { codes.append(ccurl_set_string(easy, CURLOPT_CAINFO, file)) }
        if let body = request.body {
            codes.append(
                body.withUnsafeBytes {
                    ccurl_set_body(easy, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), $0.count)
                })
        }
        if request.method == "HEAD" { codes.append(ccurl_set_long(easy, CURLOPT_NOBODY, 1)) }
        for (name, value) in request.headers + [("Expect", "")] {
            guard !(name + value).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
            headerList = curl_slist_append(headerList, "\(name): \(value)".trimmingTail)
        }
        codes.append(ccurl_set_headers(easy, headerList))
        return codes.allSatisfy { $0 == CURLE_OK } ? easy : nil
    }

    func finish(_ code: CURLcode) {
        if code == CURLE_OK, let easy {
            var status = 0
            _ = ccurl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
            resume(.success(HTTPClientResponse(status: status, headers: headers, body: body)))
        } else {
            if let excess {
                fail(.tooLarge, "the answer has more than \(excess)")
            } else {
                fail(Self.meaning(of: code), String(cString: curl_easy_strerror(code)))
            }
        }
    }

    func fail(_ code: HTTPClientError.Code, _ reason: String) {
        resume(.failure(HTTPClientError(code: code, place: HTTPClientError.place(of: request.url), reason: reason)))
    }

    func resume(_ result: Result<HTTPClientResponse, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
    }

    /// Frees the handle, which must have been removed from the multi handle.
    func release() {
        if let easy { curl_easy_cleanup(easy) }
        if let headerList { curl_slist_free_all(headerList) }
        easy = nil
        headerList = nil
    }

    // MARK: - Callbacks of libcurl

    /// Twice what the provider and the user pool send.
    private static let headerLinesMax = 128
    private static let headerBytesMax = 32 * 1024

    private static let takeBody: ccurl_writer = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let length = size * count
        // The bound is checked after decompression, so a compression bomb costs no more memory than any other answer.
        guard transfer.body.count + length <= transfer.request.bodyBytesMax else {
            transfer.excess = "\(transfer.request.bodyBytesMax) bytes"
            return 0
        }
        transfer.body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
        return length
    }

    private static let takeHeader: ccurl_writer = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
        let length = size * count
        transfer.headerLines.count += 1
        transfer.headerLines.bytes += length
        guard transfer.headerLines.count <= headerLinesMax, transfer.headerLines.bytes <= headerBytesMax else {
            transfer.excess = "\(headerLinesMax) lines or \(headerBytesMax) bytes of header"
            return 0
        }
        let line = String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
        if line.hasPrefix("HTTP/") {
            // A new header block begins; the one before belonged to an interim answer (100).
            transfer.headers = []
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            transfer.headers.append((line[..<colon].lowercased(), String(value).trimmingTail))
        }
        return length
    }

    private static func meaning(of code: CURLcode) -> HTTPClientError.Code {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timeout
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .badRequest
        default: .transport
        }
    }
}

extension Duration {
    /// Whole milliseconds, at least one: libcurl reads zero as "no limit".
    fileprivate var milliseconds: Int { max(Int(self / .milliseconds(1)), 1) }
}

extension String {
    /// The text without white space at its end, which would end a header line.
    fileprivate var trimmingTail: String {
        var text = self
        while let last = text.unicodeScalars.last, [" ", "\t", "\r", "\n"].contains(last) {
            text.unicodeScalars.removeLast()
        }
        return text
    }
}
