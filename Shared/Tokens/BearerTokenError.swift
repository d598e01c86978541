/// The reason for which a bearer token was refused. No case carries any part of the token.
public enum BearerTokenError: Error, Hashable, Sendable {
    /// The token is not three parts of strict base64url, is over 8 KiB, or holds JSON that a strict reader refuses.
    case malformed(String)
    /// The header has another `alg` than RS256, or asks for something special (`jku`, `crit`, …).
    case unsupportedHeader(String)
    /// The `kid` is not among the issuer's keys, which may have been rotated: fetch them again.
    case unknownKey
    case badSignature
    /// The token has expired.
    /// - Parameter at: the token's `exp`, in seconds since 1970.
    case expired(at: Int)
    case notYetValid
    /// The token is valid for longer than its issuer allows.
    case longLived
    case wrongIssuer
    /// The token was made for another app: its `client_id` or `aud` is not ours.
    case wrongClient
    /// A claim is missing, or has another type or form than required.
    case badClaim(String)

    /// The reason as one of a fixed set, for logs and metrics.
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
