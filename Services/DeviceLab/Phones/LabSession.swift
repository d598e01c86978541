import FoundationEssentials
import HTTPClient
import SightscreenClient
import SightscreenModels

/// The development issuer, which makes a token for any user name.
struct LabIssuer: Sendable {
    let base: String
    let http: HTTPClient

    /// The token of a user; nil when the issuer does not answer with one.
    @concurrent
    func token(of user: String) async -> String? {
        struct Question: Encodable { var user: String }
        struct Answer: Decodable { var accessToken: String }
        guard let body = try? JSONEncoder().encode(Question(user: user)),
            let answer = try? await http.send(
                HTTPClientRequest(
                    method: "POST", url: "\(base)/token", headers: [("content-type", "application/json")],
                    body: [UInt8](body), timeout: .seconds(10))),
            answer.status == 200
        else { return nil }
        return (try? JSONDecoder().decode(Answer.self, from: Data(answer.body)))?.accessToken
    }
}

/// The session of the lab itself.
actor LabSession: SessionPort {
    private static let user = "device-lab"
    private let issuer: LabIssuer
    private var token: String?

    init(issuer: LabIssuer) { self.issuer = issuer }

    func currentUserID() -> UserID? { UserID(Self.user) }

    func accessToken() async -> String? {
        if token == nil { token = await issuer.token(of: Self.user) }
        return token
    }

    func accessToken(insteadOf rejected: String) async -> String? {
        if token == rejected { token = nil }
        return await accessToken()
    }
}
