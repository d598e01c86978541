import Glibc

/// One entry of a connection string's list of hosts.
struct PostgresHost: Sendable, Equatable {
    /// A name, an address, or the path of a folder with a Unix socket; empty: the default folder.
    var name: String
    /// Where it is, whatever the name says; empty: where the name says.
    var address: String

    /// The entries of libpq's options `host` and `hostaddr`: both are lists, and either may be missing.
    static func list(names: String?, addresses: String?) -> [PostgresHost] {
        let names = names.map(entries) ?? []
        let addresses = addresses.map(entries) ?? []
        return (0..<max(names.count, addresses.count, 1)).map { place in
            PostgresHost(
                name: place < names.count ? names[place] : "",
                address: place < addresses.count ? addresses[place] : "")
        }
    }

    /// Whether what is sent to it stays on this machine.
    var isLocal: Bool {
        if !address.isEmpty { return Self.isLoopback(address) }
        return name.isEmpty || isSocket || name.lowercased() == "localhost" || Self.isLoopback(name)
    }

    /// A path, or a name of Linux's abstract namespace.
    var isSocket: Bool { address.isEmpty && (name.hasPrefix("/") || name.hasPrefix("@")) }

    /// For a message.
    var description: String { !name.isEmpty ? name : address.isEmpty ? "localhost" : address }

    private static func entries(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isLoopback(_ text: String) -> Bool {
        var four = in_addr()
        // inet_aton reads no further than a space, and an address is all of the text.
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
