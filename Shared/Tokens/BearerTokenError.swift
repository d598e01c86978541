/// Why a bearer token was refused. No case carries any of the token.
public enum BearerTokenError: Error, Hashable, Sendable {
    /// Not three parts of strict base64url, over 8 KiB, or JSON that a strict reader refuses.
    case malformed(String)
    /// Another `alg` than RS256, or a header that asks for something special (`jku`, `crit`, …).
    case unsupportedHeader(String)
    /// A `kid` that is not among the issuer's keys (they may have been rotated: fetch them again).
    case unknownKey
    case badSignature
    /// - Parameter at: its `exp`, in seconds since 1970.
    case expired(at: Int)
    case notYetValid
    /// Its issuer gives none that lasts for so long.
    case longLived
    case wrongIssuer
    /// Made for another app: `client_id` or `aud` is not ours.
    case wrongClient
    /// A claim that is missing, or of another type or form than it must be.
    case badClaim(String)

    /// One of a fixed set, for logs and metrics.
    public var kind: String {
        switch self {
        case .malformed: "malformed"
        case .unsupportedHeader: "unsupported-header"
        case .unknownKey: "unknown-key"
        case .badSignature: "bad-signature"
        case .expired: "expired"
        case .notYetValid: "not-yet-valid"
        case .longLived: "long-lived"
        case .wrongIssuer: "wrong-issuer"
        case .wrongClient: "wrong-client"
        case .badClaim: "bad-claim"
        }
    }
}

extension BearerTokenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let reason): "the token is malformed: \(reason)"
        case .unsupportedHeader(let reason): "the token's header is not supported: \(reason)"
        case .unknownKey: "the token is signed with a key the issuer does not publish"
        case .badSignature: "the token's signature does not match"
        case .expired: "the token has expired"
        case .notYetValid: "the token is not valid yet"
        case .longLived: "the token is valid for more than a day"
        case .wrongIssuer: "the token was made by another issuer"
        case .wrongClient: "the token was made for another client"
        case .badClaim(let name): "the token's claim '\(name)' is missing or malformed"
        }
    }
}
