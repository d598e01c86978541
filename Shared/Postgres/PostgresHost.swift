import Glibc

/// One entry of a connection string's list of hosts.
struct PostgresHost: Sendable, Equatable {
    /// libpq's default, for an entry that is empty, too.
    private static let usualPort = "5432"

    /// A name, an address, or the path of a folder with a Unix socket; empty for the default folder.
    var name: String
    /// The address to connect to, whatever the name is; empty if the name is to be looked up.
    var address: String
    var port = Self.usualPort

    /// Reads the entries of libpq's options `host`, `hostaddr` and `port`: all are lists, and each may be missing. One port
    /// is that of all hosts.
    static func list(names: String?, addresses: String?, ports: String? = nil) -> [PostgresHost] {
        let names = names.map(entries) ?? []
        let addresses = addresses.map(entries) ?? []
        let ports = ports.map(entries) ?? []
        func entry(_ list: [String], _ place: Int) -> String { place < list.count ? list[place] : "" }
        func port(_ place: Int) -> String {
            let port = entry(ports, ports.count == 1 ? 0 : place)
            return port.isEmpty ? usualPort : port
        }
        return (0..<max(names.count, addresses.count, 1)).map { place in
            PostgresHost(name: entry(names, place), address: entry(addresses, place), port: port(place))
        }
    }

    /// Whether the traffic to this host stays on this machine.
    var isLocal: Bool {
        if !address.isEmpty { return Self.isLoopback(address) }
        return name.isEmpty || isSocket || name.lowercased() == "localhost" || Self.isLoopback(name)
    }

    /// Whether the name is a path, or a name in Linux's abstract namespace.
    var isSocket: Bool { address.isEmpty && (name.hasPrefix("/") || name.hasPrefix("@")) }

    /// The host for a message.
    var description: String { !name.isEmpty ? name : address.isEmpty ? "localhost" : address }

    private static func entries(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isLoopback(_ text: String) -> Bool {
        var four = in_addr()
        // inet_aton stops reading at a space, so a text with one is refused: the whole text must be the address.
        if text.utf8.allSatisfy({ $0 > 0x20 }), inet_aton(text, &four) != 0 {
            return UInt32(bigEndian: four.s_addr) >> 24 == 127
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: six) { [UInt8]($0) }
        let mapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return mapped ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}
