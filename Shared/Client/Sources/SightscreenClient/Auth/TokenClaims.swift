#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import SightscreenModels

/// The claims of a token about its user.
///
/// The token is read and not verified: the app has it from Cognito itself, over TLS, and uses it only to decide what to
/// show. A user who alters it sees buttons, and the gateway, which verifies the token, answers them with 403.
struct TokenClaims: Decodable, Hashable, Sendable {
    var sub: UserID
    var email: String?
    var groups: [String]

    private enum CodingKeys: String, CodingKey {
        case sub, email
        case groups = "cognito:groups"
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        sub = try members.decode(UserID.self, forKey: .sub)
        email = try members.decodeIfPresent(String.self, forKey: .email)
        groups = try members.decodeIfPresent([String].self, forKey: .groups) ?? []
    }

    /// Reads the claims of a JSON Web Token; nil when `token` is no such token or names no user.
    init?(token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.bytes(base64URL: parts[1]),
            let claims = try? JSONDecoder().decode(Self.self, from: payload), !claims.sub.rawValue.isEmpty
        else { return nil }
        self = claims
    }

    private static func bytes(base64URL text: Substring) -> Data? {
        var base64 = String(
            text.map { character -> Character in
                switch character {
                case "-": "+"
                case "_": "/"
                default: character
                }
            })
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}
