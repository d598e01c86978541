public import SightscreenClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A Cognito that signs in any user with any password, for tests and previews of an app. It answers for no other host.
/// The user's id is the e-mail address. Its tokens are unsigned, and no gateway accepts them.
public struct SampleCognito: WebTransport {
    public init() {}

    private struct Call: Decodable {
        var parameters: [String: String]?
        enum CodingKeys: String, CodingKey { case parameters = "AuthParameters" }
    }

    private struct Answer: Encodable {
        var tokens: [String: String]
        var expiresIn = 3_600

        enum CodingKeys: String, CodingKey { case result = "AuthenticationResult" }
        enum ResultKeys: String, CodingKey {
            case access = "AccessToken"
            case id = "IdToken"
            case refresh = "RefreshToken"
            case expiresIn = "ExpiresIn"
        }

        func encode(to encoder: any Encoder) throws {
            var answer = encoder.container(keyedBy: CodingKeys.self)
            var result = answer.nestedContainer(keyedBy: ResultKeys.self, forKey: .result)
            try result.encodeIfPresent(tokens["access"], forKey: .access)
            try result.encodeIfPresent(tokens["id"], forKey: .id)
            try result.encodeIfPresent(tokens["refresh"], forKey: .refresh)
            try result.encode(expiresIn, forKey: .expiresIn)
        }
    }

    public func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
        if Task.isCancelled { throw .cancelled }
        guard let target = request.headers["x-amz-target"] else { return APIResponse(status: 404) }
        guard target.hasSuffix(".InitiateAuth") else { return APIResponse(status: 200, body: Array("{}".utf8)) }
        let call = try? JSONDecoder().decode(Call.self, from: Data(request.body ?? []))
        let parameters = call?.parameters ?? [:]
        // The refresh token is the e-mail address.
        guard let email = parameters["USERNAME"] ?? parameters["REFRESH_TOKEN"], let token = token(of: email),
            let body = try? JSONEncoder().encode(Answer(tokens: ["access": token, "id": token, "refresh": email]))
        else { return APIResponse(status: 400) }
        return APIResponse(
            status: 200, headers: ["content-type": "application/x-amz-json-1.1"], body: [UInt8](body))
    }

    private func token(of email: String) -> String? {
        guard let claims = try? JSONEncoder().encode(["sub": email, "email": email]) else { return nil }
        let payload = claims.base64EncodedString().filter { $0 != "=" }.map { character -> Character in
            switch character {
            case "+": "-"
            case "/": "_"
            default: character
            }
        }
        // {"alg":"none"}
        return "eyJhbGciOiJub25lIn0.\(String(payload)).none"
    }
}
