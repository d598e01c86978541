import HTTPClient
import SightscreenClient
import Synchronization

/// The client library's way to the network in tests: libcurl, and a switch for the network.
final class CurlTransport: WebTransport {
    private struct State {
        var isOnline = true
        var answers: [(request: WebRequest, response: APIResponse)] = []
    }

    private let http = HTTPClient(configuration: .init(allowHTTP: true))
    private let state = Mutex(State())

    func setOnline(_ online: Bool) { state.withLock { $0.isOnline = online } }

    /// What was asked and answered, in order.
    var answers: [(request: WebRequest, response: APIResponse)] { state.withLock { $0.answers } }

    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
        guard state.withLock({ $0.isOnline }) else { throw .offline }
        do {
            let answer = try await http.send(
                HTTPClientRequest(
                    method: request.method, url: request.url, headers: request.headers.map { ($0, $1) },
                    body: request.body, timeout: request.timeout, bodyBytesMax: request.bodyBytesMax))
            let response = APIResponse(
                status: answer.status, headers: Dictionary(answer.headers) { first, _ in first }, body: answer.body)
            state.withLock { $0.answers.append((request, response)) }
            return response
        } catch let error as HTTPClientError {
            throw error.code == .timeout ? .timeout : .broken("\(error)")
        } catch {
            throw .cancelled
        }
    }
}
