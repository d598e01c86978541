internal import Glibc

/// Non-blocking TCP sockets.
enum Sockets {
    /// The most unsent bytes that the kernel holds (TCP_NOTSENT_LOWAT). The limit is low, because unsent bytes in our
    /// own memory can still be dropped.
    static let unsentBytesMax: Int32 = 32 * 1024

    static func make(_ family: Int32) throws(HTTP2Error) -> Int32 {
        let descriptor = socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw failure("no socket") }
        return descriptor
    }

    static func tune(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentBytesMax)
    }

    static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    static func pendingError(_ descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &count)
        return error
    }

    static func listen(on address: SocketAddress) throws(HTTP2Error) -> Int32 {
        let descriptor = try make(address.family)
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        let bound = address.withNative { bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, 512) == 0 else {
            let error = failure("cannot listen")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Accepts the next waiting connection; nil when there is none or it cannot be accepted now.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    static func port(of descriptor: Int32) -> Int {
        var storage = sockaddr_storage()
        var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &count)
            // Both families keep the port at the same place, in network order.
            return Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }

    static func failure(_ what: String, _ error: Int32 = errno) -> HTTP2Error {
        HTTP2Error(.connection, "\(what): \(String(cString: strerror(error)))")
    }
}
