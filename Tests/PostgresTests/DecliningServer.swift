import Glibc
import TestKit

/// A server that has no TLS, as an attacker's would have none: it declines, and keeps what comes all the same.
final class DecliningServer: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameter address: of this machine.
    init(address text: String = "127.0.0.1") throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(text)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound else { throw StubHTTPServer.NoSocket() }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(listener) }

    /// Whether anybody waits to be accepted.
    func isCalled(withinMs: Int32) -> Bool {
        var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, withinMs) == 1
    }

    /// Serves one connection, on a thread of its own.
    /// - Returns: all that came after the server declined; nil when nobody called.
    func received() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            let request = Unmanaged.passRetained(Request(self, continuation))
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { raw in
                    guard let raw else { return nil }
                    let request = Unmanaged<Request>.fromOpaque(raw).takeRetainedValue()
                    request.continuation.resume(returning: request.server.serveOne())
                    return nil
                }, request.toOpaque())
            pthread_detach(thread)
        }
    }

    private final class Request {
        let server: DecliningServer
        let continuation: CheckedContinuation<[UInt8]?, Never>
        init(_ server: DecliningServer, _ continuation: CheckedContinuation<[UInt8]?, Never>) {
            (self.server, self.continuation) = (server, continuation)
        }
    }

    private func serveOne() -> [UInt8]? {
        guard isCalled(withinMs: 10_000) else { return nil }
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return nil }
        defer { close(connection) }
        var patience = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var buffer = [UInt8](repeating: 0, count: 4096)
        var before = 0
        // The request for TLS: a length and a number.
        while before < 8 {
            let count = read(connection, &buffer, 8 - before)
            guard count > 0 else { return [] }
            before += count
        }
        guard write(connection, "N", 1) == 1 else { return [] }
        // A client that sends a startup packet waits for an answer to it, so one read has all there is.
        let count = read(connection, &buffer, buffer.count)
        return Array(buffer[..<max(0, count)])
    }

    /// An address of this machine that is not loopback; nil: it has none.
    static let ownAddress: String? = {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            let isUp = entry.pointee.ifa_flags & UInt32(IFF_UP) != 0
            guard isUp, let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else {
                continue
            }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            let name = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            if !name.hasPrefix("127.") { return name }
        }
        return nil
    }()
}
