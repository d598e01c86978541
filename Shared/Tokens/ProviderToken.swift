/// The token that authenticates a provider to APNs: "ES256" over the team and the time of issue.
public enum ProviderToken {
    /// Makes a token.
    /// - Parameters:
    ///   - keyID: the id of the `.p8` key, as Apple's portal shows it.
    ///   - teamID: the id of the developer team.
    ///   - issuedAt: seconds since 1970; APNs accepts the token for an hour from then.
    /// - Throws: `OpenSSLError`, or `Refusal` for an id with other characters than letters and digits.
    public static func make(keyID: String, teamID: String, issuedAt: Int, signer: ES256Signer) throws -> String {
        for (name, id) in [("key id", keyID), ("team id", teamID)] {
            guard (1...32).contains(id.utf8.count), id.utf8.allSatisfy(\.isLetterOrDigit) else {
                throw Refusal(description: "the \(name) is not 1 to 32 letters and digits")
            }
        }
        let header = Base64URL.encode(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
        let claims = Base64URL.encode(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8)
        let signed = "\(header).\(claims)"
        return "\(signed).\(Base64URL.encode(try signer.sign(Array(signed.utf8))))"
    }

    public struct Refusal: Error, Hashable, CustomStringConvertible {
        public let description: String
    }
}
