import HTTPClient
import SightscreenClient
import Synchronization

/// The gateway over libcurl, which notes what was answered.
final class CountingTransport: APITransport {
    private let base: String
    private let http = HTTPClient(configuration: .init(allowHTTP: true))
    private let answers = Mutex<[Int]>([])

    init(base: String) { self.base = base }

    var statuses: [Int] { answers.withLock { $0 } }
    var count: Int { statuses.count }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let answer: HTTPClientResponse
        do {
            answer = try await http.send(
                HTTPClientRequest(
                    method: request.method, url: base + request.path, headers: request.headers.map { ($0, $1) },
                    body: request.body ?? (request.method == "POST" ? [] : nil), timeout: request.timeout))
        } catch let error as HTTPClientError {
            switch error.code {
            case .timeout: throw .timeout
            case .connect: throw .offline
            default: throw .broken(error.description)
            }
        } catch is CancellationError {
            throw .cancelled
        } catch { throw .broken("\(error)") }
        answers.withLock { $0.append(answer.status) }
        return APIResponse(
            status: answer.status, headers: Dictionary(answer.headers) { first, _ in first }, body: answer.body)
    }
}
