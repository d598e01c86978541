/// The address that a request comes from, as far as it is known.
struct ClientAddress: Hashable, Sendable {
    /// The address; nil if the peer is not on an IP network, or was gone before its address could be read.
    let address: IPAddress?

    /// The key for counting limits: an IPv4 address, or an IPv6 /64, which usually belongs to one customer. All unknown
    /// clients count as one.
    var network: AddressBlock? { address.map { AddressBlock(clientAt: $0) } }
}

extension ClientAddress: CustomStringConvertible {
    var description: String { address.map { "\($0)" } ?? "unknown" }
}
