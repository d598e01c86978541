/// A block of addresses with the same leading bits, as in "10.0.0.0/8" or "2001:db8::/32".
struct AddressBlock: Hashable, Sendable {
    /// The first address of the block.
    let address: IPAddress
    /// The number of leading bits that are the same, of the 128 of IPv6.
    private let prefix: Int

    /// - Parameter prefix: the number of leading bits, of 128.
    private init(_ address: IPAddress, prefix: Int) {
        self.address = IPAddress(bits: address.bits & Self.mask(prefix))
        self.prefix = prefix
    }
    /// Makes the block that counts as one client: a single IPv4 address, or the 2^64 IPv6 addresses of a /64.
    init(clientAt address: IPAddress) { self.init(address, prefix: address.isIPv4 ? 128 : 64) }

    /// - Parameter text: an address, or an address with "/" and the number of leading bits, at least 1.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(first) else { return nil }
        guard parts.count == 2 else {
            self.init(address, prefix: 128)
            return
        }
        // "::ffff:10.0.0.0/104" is read as IPv6, "10.0.0.0/8" as IPv4.
        let width = first.contains(":") ? 128 : 32
        guard parts[1].utf8.count <= 3, parts[1].utf8.allSatisfy(\.isDigit), let bits = Int(parts[1]),
            (1...width).contains(bits)
        else { return nil }
        self.init(address, prefix: 128 - width + bits)
    }

    func contains(_ other: IPAddress) -> Bool { other.bits & Self.mask(prefix) == address.bits }

    private static func mask(_ prefix: Int) -> UInt128 { UInt128.max << (128 - prefix) }
}

extension AddressBlock: CustomStringConvertible {
    var description: String {
        if prefix == 128 { return "\(address)" }
        return address.isIPv4 && prefix > 96 ? "\(address)/\(prefix - 96)" : "\(address)/\(prefix)"
    }
}
