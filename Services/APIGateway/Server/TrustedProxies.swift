/// The proxies in front of the gateway whose X-Forwarded-For is trusted: `TRUSTED_PROXIES`.
struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]
    /// No proxies: X-Forwarded-For is never read.
    static let none = TrustedProxies([])

    init(_ blocks: [AddressBlock]) { self.blocks = blocks }

    func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// Returns the client behind a connection. Each proxy appends the address that connected to it at the right end, so
    /// the list is read from the right, and only as far as the addresses are trusted proxies: further left a client can
    /// write anything.
    /// - Parameter forwardedFor: the values of the X-Forwarded-For fields, in their order.
    func client(peer: IPAddress?, forwardedFor fields: @autoclosure () -> [String]) -> ClientAddress {
        guard var client = peer, contains(client) else { return ClientAddress(address: peer) }
        for field in fields().reversed() {
            for entry in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
                guard let address = Self.address(entry) else { return ClientAddress(address: client) }
                client = address
                guard contains(address) else { return ClientAddress(address: client) }
            }
        }
        return ClientAddress(address: client)
    }

    /// Reads "192.0.2.1", "2001:db8::1" or "[2001:db8::1]"; some proxies add a port, as in "192.0.2.1:4711" or
    /// "[::1]:80".
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.drop { $0 == " " || $0 == "\t" }
        let end = text.lastIndex { $0 != " " && $0 != "\t" }.map { text.index(after: $0) } ?? text.startIndex
        let trimmed = text[..<end]
        if let address = IPAddress(trimmed) { return address }
        guard let colon = trimmed.lastIndex(of: ":") else { return bracketed(trimmed) }
        let port = trimmed[trimmed.index(after: colon)...]
        guard (1...5).contains(port.utf8.count), port.utf8.allSatisfy(\.isDigit) else { return bracketed(trimmed) }
        let host = trimmed[..<colon]
        return host.contains(":") ? bracketed(host) : IPAddress(host)
    }

    private static func bracketed(_ text: Substring) -> IPAddress? {
        guard text.first == "[", text.last == "]", text.contains(":") else { return nil }
        return IPAddress(text.dropFirst().dropLast())
    }
}
