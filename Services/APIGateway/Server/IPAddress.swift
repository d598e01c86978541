import NIOCore

/// An IPv4 or IPv6 address. An IPv4 address and the IPv6 address that it is mapped to are the same.
struct IPAddress: Hashable, Sendable {
    /// The address as IPv6.
    let bits: UInt128

    /// The prefix `::ffff:0:0/96`, to which IPv4 addresses are mapped in IPv6.
    private static let mapped = UInt128(0xffff) << 32

    init(bits: UInt128) { self.bits = bits }

    /// - Parameter text: "192.0.2.1" or "2001:db8::1", with nothing around it; any other text gives nil.
    init?(_ text: some StringProtocol) {
        let text = Substring(text)
        guard text.utf8.count <= 45, let bits = text.contains(":") ? Self.version6(text) : Self.version4(text) else {
            return nil
        }
        self.bits = bits
    }

    /// Gives nil for a Unix socket.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        self.init(text)
    }

    /// Reads four decimal numbers. A leading zero is refused, because other programs read such a number as octal.
    private static func version4(_ text: Substring) -> UInt128? {
        var bits: UInt32 = 0
        var dots = 0
        var digits = 0
        var number = 0
        for byte in text.utf8 {
            if byte.isDigit {
                guard digits == 0 || number > 0 else { return nil }
                digits += 1
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                guard number <= 255 else { return nil }
            } else {
                guard byte == UInt8(ascii: "."), digits > 0, dots < 3 else { return nil }
                bits = bits << 8 | UInt32(number)
                dots += 1
                digits = 0
                number = 0
            }
        }
        return digits > 0 && dots == 3 ? mapped | UInt128(bits << 8 | UInt32(number)) : nil
    }

    /// Reads eight groups of hexadecimal digits. The last two may be an IPv4 address, and "::" may stand once for any
    /// number of zeros.
    private static func version6(_ text: Substring) -> UInt128? {
        var parts = text.split(separator: ":", maxSplits: 10, omittingEmptySubsequences: false)
        guard parts.count >= 3 else { return nil }
        // "::1" begins with two empty parts and "1::" ends with two; one of the two stands for the zeros.
        if parts[0].isEmpty {
            guard parts[1].isEmpty else { return nil }
            parts.removeFirst()
        }
        if parts.count > 1, parts[parts.count - 1].isEmpty {
            guard parts[parts.count - 2].isEmpty else { return nil }
            parts.removeLast()
        }
        var groups: [UInt128] = []
        var gap: Int?
        for (index, part) in parts.enumerated() {
            if part.isEmpty {
                guard gap == nil else { return nil }
                gap = groups.count
            } else if index == parts.count - 1, part.contains(".") {
                guard let last = version4(part) else { return nil }
                groups += [last >> 16 & 0xffff, last & 0xffff]
            } else {
                guard part.utf8.count <= 4, part.allSatisfy(\.isHexDigit), let group = UInt128(part, radix: 16) else {
                    return nil
                }
                groups.append(group)
            }
        }
        guard gap == nil ? groups.count == 8 : groups.count < 8 else { return nil }
        if let gap { groups.insert(contentsOf: Array(repeating: 0, count: 8 - groups.count), at: gap) }
        return groups.reduce(0) { $0 << 16 | $1 }
    }

    var isIPv4: Bool { bits >> 32 == Self.mapped >> 32 }
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        if isIPv4 {
            return (0..<4).map { String(UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0))) }.joined(separator: ".")
        }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> (112 - 16 * $0)) }
        guard let zeros = Self.longestZeros(groups) else {
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    /// Returns the first of the longest runs of at least two zeros.
    private static func longestZeros(_ groups: [UInt16]) -> Range<Int>? {
        var longest = 0..<1
        var start = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
        }
        return longest.count > 1 ? longest : nil
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
