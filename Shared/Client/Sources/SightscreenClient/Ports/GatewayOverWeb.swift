/// The gateway at one address, over a transport that reaches any host.
public struct GatewayOverWeb: APITransport {
    private let base: String
    private let web: any WebTransport

    /// - Parameter base: the gateway's address, such as "https://api.sightscreen.app".
    public init(base: String, web: any WebTransport) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.web = web
    }

    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        try await web.send(
            WebRequest(
                method: request.method, url: base + request.path, headers: request.headers, body: request.body,
                timeout: request.timeout))
    }
}
