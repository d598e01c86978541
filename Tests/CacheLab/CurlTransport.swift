import HTTPClient
import SightscreenClient

/// A gateway on this machine, over libcurl.
struct CurlTransport: APITransport {
    let base: String
    let http = HTTPClient(configuration: .init(allowHTTP: true))

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        do {
            let answer = try await http.send(
                HTTPClientRequest(
                    method: request.method, url: base + request.path, headers: request.headers.map { ($0, $1) },
                    body: request.body, timeout: request.timeout, bodyBytesMax: 16 << 20))
            return APIResponse(
                status: answer.status, headers: Dictionary(answer.headers) { first, _ in first }, body: answer.body)
        } catch { throw .broken("\(error)") }
    }
}
