import HTTPClient
import Logging
import Tokens

extension KeySource {
    /// A source of the keys that are published at `url`. `http` decides whether plain http is allowed; redirects are
    /// never followed.
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

/// The issuer answered with another status than 200.
struct KeyFetchFailure: Error, CustomStringConvertible {
    let description: String
}
