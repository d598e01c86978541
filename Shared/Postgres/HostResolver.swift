import Glibc

/// Looks up host names on a thread of its own: `getaddrinfo` may block for many seconds, and neither the reactor nor a
/// thread of the task pool may be blocked.
enum HostResolver {
    private final class Request {
        let name: String
        let continuation: CheckedContinuation<[String], any Error>
        init(_ name: String, _ continuation: CheckedContinuation<[String], any Error>) {
            self.name = name
            self.continuation = continuation
        }
    }

    /// Returns the addresses of a host, in the order in which they are to be tried; one "" for a Unix socket.
    static func addresses(of host: PostgresHost) async throws -> [String] {
        if !host.address.isEmpty { return [host.address] }
        if host.name.isEmpty || host.isSocket { return [""] }
        return try await withCheckedThrowingContinuation { continuation in
            let request = Unmanaged.passRetained(Request(host.name, continuation))
            var thread = pthread_t()
            let status = pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    let request = Unmanaged<Request>.fromOpaque(raw).takeRetainedValue()
                    request.continuation.resume(with: Result { try HostResolver.resolve(request.name) })
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

    private static func resolve(_ host: String) throws -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0, let list else {
            throw PostgresError(.unavailable, "cannot look up \(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next: UnsafeMutablePointer<addrinfo>? = list
        while let entry = next {
            next = entry.pointee.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let named = getnameinfo(
                entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            guard named == 0 else { throw PostgresError(.unavailable, "cannot read the address of \(host)") }
            addresses.append(text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
        }
        return addresses
    }
}
