// Could not be compiled where the rest of this package was.
#if canImport(Darwin)
    public import Foundation

    /// The gateway over `URLSession`: `GatewayOverWeb` over `URLSessionWebTransport`, and nothing else.
    ///
    /// Compiled against stubs only: on Linux `device-lab` brings a transport of its own.
    public struct URLSessionTransport: APITransport {
        private let gateway: GatewayOverWeb

        /// - Parameter base: the gateway's address, "https://api.sightscreen.app".
        public init(base: URL) { self.init(base: base, web: URLSessionWebTransport()) }

        /// - Parameter session: one of the app's own, which has neither cookies nor a cache.
        public init(base: URL, session: URLSession) {
            self.init(base: base, web: URLSessionWebTransport(session: session))
        }

        private init(base: URL, web: URLSessionWebTransport) {
            gateway = GatewayOverWeb(base: base.absoluteString, web: web)
        }

        public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            try await gateway.send(request)
        }
    }
#endif
