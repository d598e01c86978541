#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels

extension APIError {
    /// Creates the error for a response with which the gateway refuses a call.
    init(_ response: APIResponse) {
        self = .refused(
            status: response.status,
            try? JSONDecoder().decode(ProblemDocument.self, from: Data(response.body)),
            retryAfter: response.headers["retry-after"].flatMap { Int($0) }.map { max($0, 0) })
    }
}
