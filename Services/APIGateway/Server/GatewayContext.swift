import HTTPTypes
import Hummingbird
import NIOCore

/// A request's context: the peer at the other end of its connection.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The client, or the proxy in front of it; nil if it is not on an IP network.
    let peer: IPAddress?
    let channel: any Channel

    init(source: Source) {
        channel = source.channel
        coreContext = .init(source: source)
        peer = IPAddress(source.channel.remoteAddress)
    }

    private static let forwardedFor = HTTPField.Name("X-Forwarded-For")

    func client(of request: Request, behind proxies: TrustedProxies) -> ClientAddress {
        proxies.client(peer: peer, forwardedFor: Self.forwardedFor.map { request.headers[values: $0] } ?? [])
    }
    /// Returns the peer if it sent X-Forwarded-For and is not a trusted proxy.
    func ignoredForwarder(of request: Request, behind proxies: TrustedProxies) -> IPAddress? {
        guard let name = Self.forwardedFor, request.headers.contains(name), let peer, !proxies.contains(peer) else {
            return nil
        }
        return peer
    }
}
