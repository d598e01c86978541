import FoundationEssentials
import HTTPClient
import ServiceKit
import SportMonks

/// The part of the provider's API that polling needs. The token goes into the query and nowhere else.
struct ProviderClient: Sendable {
    enum Failure: Error, CustomStringConvertible {
        /// The status is 429.
        case overLimit(retryAfter: Duration?)
        case status(Int)
        case unusable(ProviderAnswerError)
        case noAnswer(HTTPClientError)

        var description: String {
            switch self {
            case .overLimit: "the provider's rate limit is reached (429)"
            case .status(let status): "the provider answered \(status)"
            case .unusable(let error): "\(error)"
            case .noAnswer(let error): "\(error)"
            }
        }
    }

    static let timeout = Duration.seconds(4)
    /// The largest answer after inflation. A Test's last frame is 4.5 MB as the provider sends it, and several matches
    /// share an answer.
    static let answerBytesMax = 64 << 20

    private let base: ServiceURL
    private let token: Secret
    private let http: HTTPClient
    private let recorder: AnswerRecorder?

    /// - Parameter recorder: receives every answer, whatever its status.
    init(base: ServiceURL, token: Secret, http: HTTPClient, recorder: AnswerRecorder? = nil) {
        self.recorder = recorder
        self.base = base
        self.token = token
        self.http = http
    }

    /// The body of an answer with all matches in play of the leagues (all leagues, when empty), each with every ball.
    func livescores(leagues: [Int64]) async throws -> [UInt8] {
        let filter = leagues.isEmpty ? "" : "&filter[league_id]=\(leagues.map(String.init).joined(separator: ","))"
        return try await get("/livescores", query: "include=\(LivescoresAnswer.include)\(filter)")
    }

    /// The body of an answer with one match, even when it has left the live list.
    func fixture(_ id: Int64) async throws -> [UInt8] {
        try await get("/fixtures/\(id)", query: "include=\(LivescoresAnswer.include)")
    }

    private func get(_ path: String, query: String) async throws -> [UInt8] {
        let answer: HTTPClientResponse
        do {
            // The brackets of filters are percent-encoded; commas and dots may stand in a query.
            let encoded = query.map { $0 == "[" ? "%5B" : $0 == "]" ? "%5D" : String($0) }.joined()
            answer = try await http.send(
                HTTPClientRequest(
                    url: base.appending(path) + "?" + encoded + "&api_token=" + token.reveal().percentEncoded,
                    headers: [("accept", "application/json")], timeout: Self.timeout,
                    bodyBytesMax: Self.answerBytesMax))
        } catch let error as HTTPClientError {
            throw Failure.noAnswer(error)
        }
        await recorder?.record(path: path, status: answer.status, body: answer.body)
        switch answer.status {
        case 200: return answer.body
        case 429:
            let seconds = answer.header("retry-after").flatMap { Int($0) }
            throw Failure.overLimit(retryAfter: seconds.flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil })
        default: throw Failure.status(answer.status)
        }
    }
}

extension String {
    /// The text as a value in a query: everything except unreserved characters (RFC 3986, section 2.3) is escaped.
    fileprivate var percentEncoded: String {
        utf8.map { byte in
            let isLetter = (0x61...0x7A).contains(byte | 0x20) && byte < 0x7B
            if isLetter || (0x30...0x39).contains(byte) || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte) {
                return String(UnicodeScalar(byte))
            }
            let hex = String(byte, radix: 16, uppercase: true)
            return "%" + (hex.count == 1 ? "0" : "") + hex
        }.joined()
    }
}
