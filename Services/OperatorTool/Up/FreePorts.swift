import Glibc

/// Ports for a run's own servers: fixed for its length, so that a service that dies comes back where it was.
enum FreePorts {
    /// Ports below those that Linux gives to connections (`net.ipv4.ip_local_port_range`, by default from 32768). Any
    /// client of this machine could take one of those before the service listens, or while it is restarted.
    private static let range = 15_000..<32_000

    static func take(_ count: Int) throws -> [Int] {
        // All sockets stay open until the last port is known, so that no port is assigned twice.
        var sockets: [(descriptor: Int32, port: Int)] = []
        defer { sockets.forEach { close($0.descriptor) } }
        // The order is random, because another run may look for its ports at the same moment.
        for port in range.shuffled() {
            if sockets.count == count { break }
            if let socket = try? listening(on: port) { sockets.append(socket) }
        }
        guard sockets.count == count else {
            throw UpError(
                "no free ports between \(range.lowerBound) and \(range.upperBound), or no socket left (ulimit -n)")
        }
        return sockets.map(\.port)
    }

    static func isFree(_ port: Int) -> Bool {
        guard let socket = try? listening(on: port) else { return false }
        close(socket.descriptor)
        return true
    }

    private static func listening(on port: Int) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw UpError("no socket left: raise the limit of open files (ulimit -n)") }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard bound == 0, listen(descriptor, 1) == 0 else {
            close(descriptor)
            throw UpError("port \(port) is taken")
        }
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    }
}
