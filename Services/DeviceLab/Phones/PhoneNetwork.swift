import HTTPClient
import SightscreenClient
import Synchronization

/// The connection of one app process to the gateway, over libcurl. It works while the phone is online and the process
/// lives.
final class PhoneNetwork: APITransport {
    private struct State {
        var isOnline: Bool
        var isCut = false
        var isOpen: Bool { isOnline && !isCut }
    }

    private let base: String
    private let http: HTTPClient
    private let state: Mutex<State>

    init(base: String, http: HTTPClient, isOnline: Bool) {
        self.base = base
        self.http = http
        state = Mutex(State(isOnline: isOnline))
    }

    func setOnline(_ isOnline: Bool) { state.withLock { $0.isOnline = isOnline } }

    /// Ends the process's access: nothing is sent any more, and no answer arrives.
    func cut() { state.withLock { $0.isCut = true } }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        guard state.withLock({ $0.isOpen }) else { throw .offline }
        let answer: HTTPClientResponse
        do {
            answer = try await http.send(
                HTTPClientRequest(
                    method: request.method, url: base + request.path,
                    headers: request.headers.map { ($0.key, $0.value) },
                    body: request.body ?? (request.method == "POST" ? [] : nil), timeout: request.timeout))
        } catch let error as HTTPClientError {
            throw error.code == .timeout ? .timeout : .broken(error.description)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .broken("\(error)")
        }
        // The gateway has answered, but the app was closed meanwhile.
        guard state.withLock({ $0.isOpen }) else { throw .broken("the network went away") }
        return APIResponse(
            status: answer.status, headers: Dictionary(answer.headers) { first, _ in first }, body: answer.body)
    }
}
