/// Where a request comes from, as far as it is known.
struct ClientAddress: Hashable, Sendable {
    /// Nil: the peer is not on an IP network, or was gone before it could be asked.
    let address: IPAddress?

    /// What limits are counted by: an IPv4 address, or an IPv6 network of /64, all of which one customer has. All clients
    /// that are unknown count as one.
    var network: AddressBlock? { address.map { AddressBlock(clientAt: $0) } }
}

extension ClientAddress: CustomStringConvertible {
    var description: String { address.map { "\($0)" } ?? "unknown" }
}
