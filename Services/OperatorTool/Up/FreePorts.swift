import Glibc

/// Ports for a run's own servers: fixed for its length, so that a service that dies comes back where it was.
enum FreePorts {
    /// Ports below those that Linux gives to connections (`net.ipv4.ip_local_port_range`, by default from 32768). Any
    /// client of this machine could take one of those before the service listens, or while it is restarted.
    private static let range = 15_000..<32_000

    static func take(_ count: Int) throws -> [Int] {
        var ports: [Int] = []
        for port in range.shuffled() {
            if ports.count == count { return ports }
            if isFree(port), claim(port) { ports.append(port) }
        }
        throw UpError(
            "no free ports between \(range.lowerBound) and \(range.upperBound), or no socket left (ulimit -n)")
    }

    /// Takes a name by which the other runs of this machine know that a port is given, whether it is bound yet or not. It
    /// is given back with this process.
    static func claim(_ port: Int) -> Bool {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The zero in front: a name that is no file.
        let name = Array("\0sightscreen-port-\(port)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        if status != 0 { close(descriptor) }
        return status == 0
    }

    static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        return bound == 0 && listen(descriptor, 1) == 0
    }
}
