// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    public import Foundation

    /// The gateway over `URLSession`: `GatewayOverWeb` with `URLSessionWebTransport`. On Linux, `device-lab` uses a
    /// transport of its own.
    public struct URLSessionTransport: APITransport {
        private let gateway: GatewayOverWeb

        /// - Parameter base: the gateway's address, "https://api.sightscreen.app".
        public init(base: URL) { self.init(base: base, web: URLSessionWebTransport()) }

        /// - Parameter session: a session of the app, which should have neither cookies nor a cache.
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
