#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Cognito's calls as typed methods: JSON over POST, with the action in a header. Calls are not repeated, because the
/// user waits and can repeat them. Calls are not signed, because these need no AWS credentials.
struct CognitoAPI: Sendable {
    enum SignIn: Sendable {
        case tokens(CognitoTokens)
        /// Cognito requires a further step, given by its name.
        case challenge(String)
    }

    let settings: CognitoSettings
    let web: any WebTransport

    /// - Returns: whether the account can be used without a code.
    func signUp(email: String, password: String) async throws(AuthError) -> Bool {
        let answer = try await call(
            .signUp,
            [
                "ClientId": .text(settings.clientID), "Username": .text(email), "Password": .text(password),
                "UserAttributes": .list([["Name": "email", "Value": email]]),
            ])
        return answer.isConfirmed ?? false
    }

    func confirmSignUp(email: String, code: String) async throws(AuthError) {
        try await call(
            .confirmSignUp,
            ["ClientId": .text(settings.clientID), "Username": .text(email), "ConfirmationCode": .text(code)])
    }

    func resendCode(email: String) async throws(AuthError) {
        try await call(.resendCode, ["ClientId": .text(settings.clientID), "Username": .text(email)])
    }

    func signIn(email: String, password: String) async throws(AuthError) -> SignIn {
        let answer = try await initiate(.signIn, "USER_PASSWORD_AUTH", ["USERNAME": email, "PASSWORD": password])
        if let tokens = answer.tokens { return .tokens(tokens) }
        guard let challenge = answer.challenge else { throw .unreadable }
        return .challenge(challenge)
    }

    func refresh(_ refreshToken: String) async throws(AuthError) -> CognitoTokens {
        let answer = try await initiate(.refresh, "REFRESH_TOKEN_AUTH", ["REFRESH_TOKEN": refreshToken])
        guard let tokens = answer.tokens else { throw .unreadable }
        return tokens
    }

    func forgotPassword(email: String) async throws(AuthError) {
        try await call(.forgotPassword, ["ClientId": .text(settings.clientID), "Username": .text(email)])
    }

    func confirmForgotPassword(email: String, code: String, password: String) async throws(AuthError) {
        try await call(
            .confirmForgotPassword,
            [
                "ClientId": .text(settings.clientID), "Username": .text(email), "ConfirmationCode": .text(code),
                "Password": .text(password),
            ])
    }

    func revoke(_ refreshToken: String) async throws(AuthError) {
        try await call(
            .revoke, ["ClientId": .text(settings.clientID), "Token": .text(refreshToken)], timeout: Self.farewell)
    }

    func globalSignOut(_ accessToken: String) async throws(AuthError) {
        try await call(.globalSignOut, ["AccessToken": .text(accessToken)], timeout: Self.farewell)
    }

    /// Calls [DeleteUser](https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_DeleteUser.html).
    func deleteUser(_ accessToken: String) async throws(AuthError) {
        try await call(.deleteUser, ["AccessToken": .text(accessToken)])
    }

    // MARK: - Sending
    /// The timeout of the calls for a sign-out.
    private static let farewell = Duration.seconds(5)

    private enum Field: Encodable {
        case text(String)
        case map([String: String])
        case list([[String: String]])

        func encode(to encoder: any Encoder) throws {
            var value = encoder.singleValueContainer()
            switch self {
            case .text(let text): try value.encode(text)
            case .map(let members): try value.encode(members)
            case .list(let elements): try value.encode(elements)
            }
        }
    }
    /// The members that are read from the answers.
    private struct Answer: Decodable {
        var isConfirmed: Bool?
        var tokens: CognitoTokens?
        var challenge: String?

        private enum CodingKeys: String, CodingKey {
            case isConfirmed = "UserConfirmed"
            case tokens = "AuthenticationResult"
            case challenge = "ChallengeName"
        }
    }

    private func initiate(
        _ action: CognitoAction, _ flow: String, _ parameters: [String: String]
    ) async throws(AuthError) -> Answer {
        try await call(
            action,
            ["AuthFlow": .text(flow), "ClientId": .text(settings.clientID), "AuthParameters": .map(parameters)])
    }

    @discardableResult
    private func call(
        _ action: CognitoAction, _ body: [String: Field], timeout: Duration = .seconds(10)
    ) async throws(AuthError) -> Answer {
        guard let bytes = try? [UInt8](JSONEncoder().encode(body)) else { throw .unreadable }
        let response: APIResponse
        do {
            response = try await web.send(
                WebRequest(
                    method: "POST", url: settings.endpoint,
                    headers: ["content-type": "application/x-amz-json-1.1", "x-amz-target": action.target],
                    body: bytes, timeout: timeout, bodyBytesMax: 1 << 18))
        } catch { throw .transport(error) }
        guard response.status == 200 else {
            let refusal = try? JSONDecoder().decode(CognitoRefusal.self, from: Data(response.body))
            throw (refusal ?? CognitoRefusal(type: response.headers["x-amzn-errortype"]))
                .error(of: action, status: response.status)
        }
        // Some answers have no body at all.
        let answered = response.body.isEmpty ? Array("{}".utf8) : response.body
        do { return try JSONDecoder().decode(Answer.self, from: Data(answered)) } catch { throw .unreadable }
    }
}
