import HTTPClient
import Logging
import Tokens

extension KeySource {
    /// Keys that are published at `url`. Whether plain http will do is for `http` to say; a redirect never does.
    init(
        url: String, http: HTTPClient, timeout: Duration = .seconds(4), logger: Logger,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.init(logger: logger, clock: clock) {
            let answer = try await http.send(
                HTTPClientRequest(
                    url: url, headers: [("accept", "application/json")], timeout: timeout,
                    bodyBytesMax: JWKS.documentBytesMax))
            guard answer.status == 200 else {
                throw KeyFetchFailure(description: "the issuer answers \(answer.status)")
            }
            return answer.body
        }
    }
}

/// The issuer gave an answer that holds no keys.
struct KeyFetchFailure: Error, CustomStringConvertible {
    let description: String
}
