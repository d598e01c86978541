import Glibc

/// Decides which hosts may be reached in production: those that the whole Internet can name. This keeps a mistake in a
/// setting from turning a service against its own network.
enum PublicHost {
    static func isPublic(_ host: String) -> Bool {
        if host.contains(":") { return isPublicIPv6(host) }
        // Resolvers also read "127.1", "0x7f.1" and "2130706433" as addresses.
        var address = in_addr()
        if inet_aton(host, &address) != 0 { return isPublicIPv4(UInt32(bigEndian: address.s_addr)) }
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last else { return false }
        return !["localhost", "local", "internal", "lan", "home", "arpa", "test", "invalid", "localdomain"].contains(
            last)
    }

    private static func isPublicIPv4(_ address: UInt32) -> Bool {
        let reserved: [(UInt32, Int)] = [
            (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
            (0xAC10_0000, 12), (0xC000_0000, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xE000_0000, 3),
        ]
        return !reserved.contains { base, bits in address >> (32 - bits) == base >> (32 - bits) }
    }

    private static func isPublicIPv6(_ host: String) -> Bool {
        var address = in6_addr()
        guard inet_pton(AF_INET6, host, &address) == 1 else { return false }
        let bytes = withUnsafeBytes(of: address) { [UInt8]($0) }
        // Global unicast is 2000::/3. Addresses that map or tunnel an IPv4 address are refused, because the IPv4
        // address in them is not checked.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        return !(bytes[0] == 0x20 && bytes[1] == 0x02) && !(bytes[0] == 0x20 && bytes[1] == 0x01 && bytes[2] < 2)
    }
}
