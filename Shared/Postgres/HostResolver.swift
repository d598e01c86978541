import Glibc

/// Looks up host names on a thread of its own: `getaddrinfo` may block for many seconds, and neither the reactor nor a
/// thread of the task pool may be blocked.
enum HostResolver {
    private final class Request {
        let hosts: [PostgresHost]
        let continuation: CheckedContinuation<[String], any Error>
        init(_ hosts: [PostgresHost], _ continuation: CheckedContinuation<[String], any Error>) {
            self.hosts = hosts
            self.continuation = continuation
        }
    }

    /// Returns one address for each host; "" for a Unix socket.
    static func addresses(of hosts: [PostgresHost]) async throws -> [String] {
        if hosts.allSatisfy({ known($0) != nil }) { return hosts.map { known($0) ?? "" } }
        return try await withCheckedThrowingContinuation { continuation in
            let request = Unmanaged.passRetained(Request(hosts, continuation))
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    let request = Unmanaged<Request>.fromOpaque(raw).takeRetainedValue()
                    request.continuation.resume(with: Result { try request.hosts.map(HostResolver.resolve) })
                    return nil
                }, request.toOpaque())
            if status == 0 {
                pthread_detach(thread)
            } else {
                request.release()
                continuation.resume(throwing: PostgresError(.unavailable, "no thread to look the host up"))
            }
        }
    }

    /// Returns the address if no lookup is needed; nil for a name.
    private static func known(_ host: PostgresHost) -> String? {
        if !host.address.isEmpty { return host.address }
        return host.name.isEmpty || host.isSocket ? "" : nil
    }

    private static func resolve(_ entry: PostgresHost) throws -> String {
        if let known = known(entry) { return known }
        let host = entry.name
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0, let list else {
            throw PostgresError(.unavailable, "cannot look up \(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let named = getnameinfo(
            list.pointee.ai_addr, list.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard named == 0 else { throw PostgresError(.unavailable, "cannot read the address of \(host)") }
        return text.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
    }
}
