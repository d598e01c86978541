import FoundationEssentials
import SightscreenModels

@testable import SightscreenClient

/// A Cognito in memory. It refuses the calls that the real one refuses, in its words, and can be made to fail.
actor ScriptedCognito: WebTransport {
    static let clientID = "client"
    static let endpoint = "https://cognito-idp.test/"
    /// The code that every message contains.
    static let code = "314159"

    struct Account: Sendable {
        var sub: String
        var password: String
        var isConfirmed = true
        var isEnabled = true
        var groups: [String] = []
        var challenge: String?
    }

    struct Call: Sendable {
        /// The action, such as "SignUp".
        var action: String
        var body: JSON
        var status: Int?
    }

    enum Trouble: Sendable {
        case refusal(String, String = "", status: Int = 400)
        case transport(TransportError)
        /// The call waits for `release`.
        case held
        /// The call takes effect, and its answer waits for `release`.
        case answerHeld
    }

    private(set) var accounts: [String: Account] = [:]
    private(set) var calls: [Call] = []
    private var codes: [String: String] = [:]
    private var refreshTokens: [String: String] = [:]
    private var troubles: [(action: String, trouble: Trouble)] = []
    private var held: [CheckedContinuation<Void, Never>] = []
    private var serial = 0
    private var isOffline = false
    /// The newest access token. `announce` reports a token before its owner gets it.
    private var issued: String?
    private var announce: @Sendable (String) async -> Void = { _ in }
    /// The lifetime of tokens, in seconds.
    private var lifetime = 3_600

    // MARK: - The script

    func add(_ email: String, _ account: Account) { accounts[email] = account }
    func setGroups(_ groups: [String], of email: String) { accounts[email]?.groups = groups }
    func setOffline(_ offline: Bool) { isOffline = offline }
    func setLifetime(_ seconds: Int) { lifetime = seconds }
    func tell(_ announce: @escaping @Sendable (String) async -> Void) { self.announce = announce }
    /// Ends all sessions, as an administrator can.
    func revokeAll() { refreshTokens = [:] }
    func trouble(_ action: String, _ next: Trouble...) { troubles += next.map { (action, $0) } }

    func release() {
        for continuation in held { continuation.resume() }
        held = []
    }

    var heldCount: Int { held.count }
    var sessionCount: Int { refreshTokens.count }
    func calls(_ action: String) -> [Call] { calls.filter { $0.action == action } }

    /// Returns the calls of `InitiateAuth` with one flow.
    func flows(_ flow: String) -> [Call] { calls("InitiateAuth").filter { $0.body["AuthFlow"]?.text == flow } }

    // MARK: - WebTransport

    func send(_ request: WebRequest) async throws(TransportError) -> APIResponse {
        let target = request.headers["x-amz-target"]?.split(separator: ".").map { String($0) } ?? []
        guard request.method == "POST", request.url == Self.endpoint, target.count == 2,
            target[0] == "AWSCognitoIdentityProviderService",
            request.headers["content-type"] == "application/x-amz-json-1.1",
            let body = request.body.flatMap({ JSON($0) })
        else { return refusal("UnknownOperationException", "", 400) }
        let (action, place) = (target[1], calls.count)
        calls.append(Call(action: action, body: body))
        if isOffline { throw .offline }
        var isAnswerHeld = false
        if let index = troubles.firstIndex(where: { $0.action == action }) {
            switch troubles.remove(at: index).trouble {
            case .refusal(let type, let message, let status): return noted(refusal(type, message, status), place)
            case .transport(let error): throw error
            case .held: await withCheckedContinuation { held.append($0) }
            case .answerHeld: isAnswerHeld = true
            }
        }
        let response = noted(answer(action, body), place)
        if let token = issued { await announce(token) }
        if isAnswerHeld { await withCheckedContinuation { held.append($0) } }
        return response
    }

    private func noted(_ response: APIResponse, _ place: Int) -> APIResponse {
        calls[place].status = response.status
        return response
    }

    // MARK: - Cognito

    private func answer(_ action: String, _ body: JSON) -> APIResponse {
        guard ["GlobalSignOut", "DeleteUser"].contains(action) || body["ClientId"]?.text == Self.clientID else {
            return refusal("ResourceNotFoundException", "User pool client does not exist.")
        }
        let email = body["Username"]?.text ?? ""
        switch action {
        case "SignUp": return signUp(email, body)
        case "ConfirmSignUp":
            guard let account = accounts[email] else { return refusal("UserNotFoundException") }
            if account.isConfirmed {
                return refusal(
                    "NotAuthorizedException", "User cannot be confirmed. Current status is CONFIRMED")
            }
            if let problem = problem(with: body, email) { return problem }
            accounts[email]?.isConfirmed = true
            return json([:])
        case "ResendConfirmationCode":
            guard let account = accounts[email] else { return refusal("UserNotFoundException") }
            if account.isConfirmed { return refusal("InvalidParameterException", "User is already confirmed.") }
            codes[email] = Self.code
            return json([:])
        case "InitiateAuth": return initiateAuth(body)
        case "ForgotPassword":
            guard accounts[email] != nil else { return refusal("UserNotFoundException") }
            codes[email] = Self.code
            return json([:])
        case "ConfirmForgotPassword":
            if let problem = problem(with: body, email) { return problem }
            guard let password = body["Password"]?.text, password.count >= 8 else {
                return refusal("InvalidPasswordException", "Password not long enough")
            }
            accounts[email]?.password = password
            return json([:])
        case "RevokeToken":
            refreshTokens[body["Token"]?.text ?? ""] = nil
            return APIResponse(status: 200)
        case "GlobalSignOut":
            refreshTokens = [:]
            return APIResponse(status: 200)
        case "DeleteUser":
            guard let sub = body["AccessToken"]?.text.flatMap({ TokenClaims(token: $0)?.sub.rawValue }) else {
                return refusal("NotAuthorizedException", "Invalid Access Token")
            }
            guard let email = accounts.first(where: { $0.value.sub == sub })?.key else {
                return refusal("UserNotFoundException", "User does not exist.")
            }
            accounts[email] = nil
            refreshTokens = refreshTokens.filter { $0.value != email }
            return APIResponse(status: 200)
        default: return refusal("UnknownOperationException")
        }
    }

    private func signUp(_ email: String, _ body: JSON) -> APIResponse {
        if accounts[email] != nil { return refusal("UsernameExistsException", "User already exists") }
        guard let password = body["Password"]?.text, password.count >= 8 else {
            return refusal(
                "InvalidPasswordException", "Password did not conform with policy: Password not long enough")
        }
        let attributes = body["UserAttributes"]?.elements ?? []
        guard attributes.contains(where: { $0["Name"]?.text == "email" && $0["Value"]?.text == email }) else {
            return refusal("InvalidParameterException", "Attributes did not conform to the schema")
        }
        accounts[email] = Account(sub: "sub-\(email)", password: password, isConfirmed: false)
        codes[email] = Self.code
        return json(["UserConfirmed": .bool(false), "UserSub": .string("sub-\(email)")])
    }

    private func problem(with body: JSON, _ email: String) -> APIResponse? {
        guard let code = codes[email] else {
            return refusal(
                "ExpiredCodeException", "Invalid code provided, please request a code again.")
        }
        guard body["ConfirmationCode"]?.text == code else {
            return refusal("CodeMismatchException", "Invalid verification code provided, please try again.")
        }
        codes[email] = nil
        return nil
    }

    private func initiateAuth(_ body: JSON) -> APIResponse {
        let parameters = body["AuthParameters"]
        switch body["AuthFlow"]?.text {
        case "USER_PASSWORD_AUTH":
            let email = parameters?["USERNAME"]?.text ?? ""
            guard let account = accounts[email], account.password == parameters?["PASSWORD"]?.text else {
                return refusal("NotAuthorizedException", "Incorrect username or password.")
            }
            guard account.isEnabled else { return refusal("NotAuthorizedException", "User is disabled.") }
            guard account.isConfirmed else {
                return refusal("UserNotConfirmedException", "User is not confirmed.")
            }
            if let challenge = account.challenge {
                return json(["ChallengeName": .string(challenge), "Session": .string("s")])
            }
            serial += 1
            let token = "refresh-\(serial)"
            refreshTokens[token] = email
            return tokens(email, account, refreshToken: token)
        case "REFRESH_TOKEN_AUTH":
            guard let email = refreshTokens[parameters?["REFRESH_TOKEN"]?.text ?? ""], let account = accounts[email]
            else { return refusal("NotAuthorizedException", "Refresh Token has been revoked") }
            return tokens(email, account, refreshToken: nil)
        default: return refusal("InvalidParameterException", "Unsupported flow")
        }
    }

    private func tokens(_ email: String, _ account: Account, refreshToken: String?) -> APIResponse {
        serial += 1
        var claims: [String: JSON] = ["sub": .string(account.sub), "jti": .number(Double(serial))]
        if !account.groups.isEmpty { claims["cognito:groups"] = .array(account.groups.map { .string($0) }) }
        let access = Self.token(claims)
        issued = access
        var result: [String: JSON] = [
            "AccessToken": .string(access),
            "IdToken": .string(Self.token(claims.merging(["email": .string(email)]) { $1 })),
            "ExpiresIn": .number(Double(lifetime)), "TokenType": .string("Bearer"),
        ]
        if let refreshToken { result["RefreshToken"] = .string(refreshToken) }
        return json(["AuthenticationResult": .object(result), "ChallengeParameters": .object([:])])
    }

    /// Returns an unsigned token.
    static func token(_ claims: [String: JSON]) -> String {
        "\(base64URL(#"{"alg":"RS256"}"#)).\(base64URL(JSON.object(claims).written)).c2lnbmF0dXJl"
    }

    private static func base64URL(_ text: String) -> String {
        String(
            Data(text.utf8).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }

    private func json(_ members: [String: JSON]) -> APIResponse {
        APIResponse(
            status: 200, headers: ["content-type": "application/x-amz-json-1.1"],
            body: Array(JSON.object(members).written.utf8))
    }

    private func refusal(_ type: String, _ message: String = "", _ status: Int = 400) -> APIResponse {
        let members: [String: JSON] = ["__type": .string(type), "message": .string(message)]
        return APIResponse(
            status: status, headers: ["x-amzn-errortype": "\(type):http://internal.amazon.com/"],
            body: Array(JSON.object(members).written.utf8))
    }
}

extension JSON {
    /// The value as text, with its members in order.
    var written: String {
        switch self {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .number(let number):
            return number == number.rounded() ? String(Int(number)) : String(number)
        case .string(let text):
            let quoted = text.map { character in
                switch character {
                case "\"": "\\\""
                case "\\": "\\\\"
                default: String(character)
                }
            }
            return "\"\(quoted.joined())\""
        case .array(let elements): return "[\(elements.map(\.written).joined(separator: ","))]"
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return "{\(sorted.map { "\(JSON.string($0.key).written):\($0.value.written)" }.joined(separator: ","))}"
        }
    }
}
