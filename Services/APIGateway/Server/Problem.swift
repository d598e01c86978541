import SightscreenModels

/// One refusal of the API; all kinds are in one table. A handler throws it, and `GatewayResponder` makes the answer.
struct Problem: Error, Hashable {
    enum Kind: String, CaseIterable {
        case invalidRequest = "invalid-request"
        case invalidJSON = "invalid-json"
        case malformedHTTP = "malformed-http"
        case unauthorized
        case forbidden
        case notFound = "not-found"
        case unknownMatch = "unknown-match"
        case notFollowing = "not-following"
        case methodNotAllowed = "method-not-allowed"
        /// The proxy in front answers this.
        case requestTimeout = "request-timeout"
        case deviceRequired = "device-required"
        case unknownTeam = "unknown-team"
        case limitReached = "limit-reached"
        case tokenOfAnotherKind = "token-of-another-kind"
        case unknownReplay = "unknown-replay"
        case replayRefused = "replay-refused"
        case bodyTooLarge = "body-too-large"
        case addressTooLong = "address-too-long"
        case unsupportedMediaType = "unsupported-media-type"
        case rateLimited = "rate-limited"
        case internalError = "internal-error"
        case unavailable
        case notReady = "not-ready"

        var status: Int {
            switch self {
            case .invalidRequest, .invalidJSON, .malformedHTTP: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .notFound, .unknownMatch, .notFollowing, .unknownReplay: 404
            case .methodNotAllowed: 405
            case .requestTimeout: 408
            case .deviceRequired, .unknownTeam, .limitReached, .tokenOfAnotherKind, .replayRefused: 409
            case .bodyTooLarge: 413
            case .addressTooLong: 414
            case .unsupportedMediaType: 415
            case .rateLimited: 429
            case .internalError: 500
            case .unavailable, .notReady: 503
            }
        }

        var title: String {
            switch self {
            case .invalidRequest: "The request is not valid"
            case .invalidJSON: "The body is not valid JSON"
            case .malformedHTTP: "The request is not valid HTTP/1.1"
            case .unauthorized: "Valid credentials are needed"
            case .forbidden: "Only administrators may do this"
            case .notFound: "There is nothing here"
            case .unknownMatch: "There is no such match"
            case .notFollowing: "The match is not followed"
            case .methodNotAllowed: "The method is not allowed here"
            case .requestTimeout: "The request took too long to arrive"
            case .deviceRequired: "The request must name the device"
            case .unknownReplay: "There is no such tape or replay"
            case .replayRefused: "The stand-in refuses this"
            case .unknownTeam: "The match has no such side"
            case .limitReached: "There can be no more of these"
            case .tokenOfAnotherKind: "The token is of another kind"
            case .bodyTooLarge: "The body is too large"
            case .addressTooLong: "The address is too long"
            case .unsupportedMediaType: "The body must be application/json"
            case .rateLimited: "Too many requests"
            case .internalError: "Something went wrong on our side"
            case .unavailable: "The service cannot do this right now"
            case .notReady: "The service is not ready"
            }
        }
    }

    var kind: Kind
    /// A sentence for the developer of a client; it comes from a fixed set and never holds what the client sent.
    var detail: String?
    /// The field that was wrong.
    var field: String?
    /// Further headers: `Allow`, `WWW-Authenticate`, `Retry-After`.
    var headers: [String: String]

    init(_ kind: Kind, _ detail: String? = nil, field: String? = nil, headers: [String: String] = [:]) {
        self.kind = kind
        self.detail = detail
        self.field = field
        self.headers = headers
    }

    static func field(_ name: String, _ detail: String) -> Problem { Problem(.invalidRequest, detail, field: name) }

    /// - Parameter isToken: whether a token was sent that is not valid; without a token RFC 6750 (3.1) wants no error
    ///   code.
    static func unauthorized(_ detail: String, isToken: Bool = true) -> Problem {
        Problem(
            .unauthorized, detail,
            headers: ["WWW-Authenticate": isToken ? #"Bearer error="invalid_token""# : "Bearer"])
    }

    static let bodyTooLarge = Problem(.bodyTooLarge, "at most \(GatewayLimits.bodyBytesMax) bytes are taken")

    /// A 503 that asks the client to try again in two seconds: what is missing comes back by itself.
    static func unavailable(_ detail: String) -> Problem {
        Problem(.unavailable, detail, headers: ["Retry-After": "2"])
    }

    func document(requestID: String) -> ProblemDocument {
        ProblemDocument(
            type: "/problems/\(kind.rawValue)", title: kind.title, status: kind.status, detail: detail, field: field,
            requestId: requestID)
    }
}
