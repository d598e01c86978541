import Glibc

/// Looks host names up on a thread of its own: `getaddrinfo` may block for many seconds, and neither the reactor nor a
/// thread of the task pool may.
enum HostResolver {
    private final class Request {
        let hosts: [String]
        let continuation: CheckedContinuation<[String], any Error>
        init(_ hosts: [String], _ continuation: CheckedContinuation<[String], any Error>) {
            self.hosts = hosts
            self.continuation = continuation
        }
    }

    /// One address per host; "" for the path of a Unix socket.
    static func addresses(of hosts: [String]) async throws -> [String] {
        if hosts.allSatisfy(isPath) { return hosts.map { _ in "" } }
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

    private static func isPath(_ host: String) -> Bool { host.hasPrefix("/") || host.hasPrefix("@") }

    private static func resolve(_ host: String) throws -> String {
        if isPath(host) { return "" }
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
