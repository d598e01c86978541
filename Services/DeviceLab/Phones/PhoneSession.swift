import FoundationEssentials
import HTTPClient
import SightscreenClient
import Sightscreen

/// Who is signed in on a simulated iPhone: any name, of which the development issuer makes a token.
actor PhoneSession: SessionPort {
    private(set) var user: String
    private let issuer: String
    private let http: HTTPClient
    private var token: String?
    private var refresh: Task<String?, Never>?

    init(user: String, issuer: String, http: HTTPClient) {
        self.user = user
        self.issuer = issuer
        self.http = http
    }

    func signIn(_ user: String) {
        self.user = user
        token = nil
        refresh = nil
    }

    func currentUser() -> UserID? { UserID(user) }

    func accessToken() async -> String? {
        if let token { return token }
        return await fresh()
    }

    func accessToken(insteadOf rejected: String) async -> String? {
        if let token, token != rejected { return token }
        token = nil
        return await fresh()
    }

    private func fresh() async -> String? {
        if let refresh { return await refresh.value }
        let user = user
        let call = Task { [issuer, http] in await Self.ask(issuer, user, http) }
        refresh = call
        let answer = await call.value
        guard refresh == call else { return nil }
        refresh = nil
        token = answer
        return answer
    }

    @concurrent
    private static func ask(_ issuer: String, _ user: String, _ http: HTTPClient) async -> String? {
        struct Question: Encodable { var user: String }
        struct Answer: Decodable { var accessToken: String }
        guard let body = try? JSONEncoder().encode(Question(user: user)),
            let answer = try? await http.send(
                HTTPClientRequest(
                    method: "POST", url: "\(issuer)/token", headers: [("content-type", "application/json")],
                    body: [UInt8](body), timeout: .seconds(10))),
            answer.status == 200
        else { return nil }
        return (try? JSONDecoder().decode(Answer.self, from: Data(answer.body)))?.accessToken
    }
}
