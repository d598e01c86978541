import FoundationEssentials
import SightscreenClient
import SightscreenModels

/// Answers `GET /app/config`, and passes other calls to a gateway behind it.
actor ConfigGateway: APITransport {
    enum Failure: Hashable, Sendable {
        case transport(TransportError)
        case status(Int)
        case body(String)
    }

    private var config: AppConfig
    private var failure: Failure?
    private let gateway: ScriptedGateway?
    /// The requests for the configuration.
    private(set) var requests: [APIRequest] = []
    private var isHeld = false
    private var held: [CheckedContinuation<Void, Never>] = []

    init(_ config: AppConfig, before gateway: ScriptedGateway? = nil) {
        self.config = config
        self.gateway = gateway
    }

    func say(_ config: AppConfig) { self.config = config }
    func fail(_ failure: Failure?) { self.failure = failure }
    func hold() { isHeld = true }

    func release() {
        isHeld = false
        for continuation in held { continuation.resume() }
        held = []
    }

    var heldCount: Int { held.count }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        guard request.path == "/app/config" || request.path.hasPrefix("/app/config?") else {
            guard let gateway else { throw .offline }
            return try await gateway.send(request)
        }
        requests.append(request)
        if isHeld { await withCheckedContinuation { held.append($0) } }
        switch failure {
        case .transport(let error): throw error
        case .status(let status): return APIResponse(status: status, body: Array("{}".utf8))
        case .body(let text): return APIResponse(status: 200, body: Array(text.utf8))
        case nil: break
        }
        guard let data = try? JSONEncoder().encode(config) else { throw .broken("not encoded") }
        return APIResponse(status: 200, body: [UInt8](data))
    }
}
