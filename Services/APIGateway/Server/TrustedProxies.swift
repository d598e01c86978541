/// The proxies in front of the gateway, whose word about where a request comes from is taken: `TRUSTED_PROXIES`.
struct TrustedProxies: Sendable {
    private let blocks: [AddressBlock]

    /// Nobody is trusted.
    static let none = TrustedProxies([])

    init(_ blocks: [AddressBlock]) { self.blocks = blocks }

    func contains(_ address: IPAddress) -> Bool { blocks.contains { $0.contains(address) } }

    /// The client behind a connection. Each proxy adds the address it was asked from at the right end, so the list is
    /// read from there, and only as far as those who wrote it are trusted: further left, a client can write what it likes.
    /// - Parameter forwardedFor: the X-Forwarded-For fields, in their order.
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

    /// "192.0.2.1", "2001:db8::1", "[2001:db8::1]"; some proxies add a port, as in "192.0.2.1:4711" or "[::1]:80".
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
