/// Something that the provider does wrong for the next calls.
struct ProviderFault: Codable, Sendable, Equatable {
    enum Kind: String, Codable, Sendable {
        /// 200 with a web page.
        case html
        /// 200 without a body.
        case empty
        /// 200 with JSON that has no `data`.
        case noData = "no-data"
        /// JSON that breaks off in the middle.
        case cut
        /// Balls one ahead of all rows.
        case torn
        /// The right answer after `delayMs`.
        case slow
        case badRequest = "400"
        case unauthenticated = "401"
        case forbidden = "403"
        case notFound = "404"
        case tooMany = "429"
        case serverError = "500"
        case badGateway = "502"
        case unavailable = "503"

        var status: Int? { Int(rawValue) }
    }

    var kind: Kind
    /// For how many calls, from 1.
    var count: Int
    /// Only for calls of this endpoint; nil for all.
    var endpoint: ProviderEndpoint?
    /// With `slow`: 10 s unless given.
    var delayMs: Int?
    /// With 429 and 503: what the header `Retry-After` says; no header unless given.
    var retryAfter: Int?
}

/// What the provider counts calls by.
enum ProviderEndpoint: String, Codable, Sendable {
    case livescores
    case fixtures
    case fixture
}
