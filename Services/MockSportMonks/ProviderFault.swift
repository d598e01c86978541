import ControlHTTP
import HTTPTypes

/// Something that the provider does wrong for the next calls, or for calls to come.
struct ProviderFault: Codable, Sendable, Equatable {
    enum Kind: String, Codable, Sendable {
        /// 200 with a web page.
        case html
        /// 200 without a body.
        case empty
        /// 200 with JSON that has no `data`.
        case noData = "no-data"
        /// JSON that breaks off in the middle.
        case cut
        /// `Content-Length` promises more than is sent before the connection closes.
        case truncated
        /// Balls one ahead of all rows.
        case torn
        /// The right answer after `delayMs`.
        case slow
        /// No answer; the connection stays until the client closes it.
        case timeout
        /// 100 KB with `Content-Encoding: gzip` that inflate to 100 MiB.
        case gzipBomb = "gzip-bomb"
        case badRequest = "400"
        case unauthenticated = "401"
        case forbidden = "403"
        case notFound = "404"
        case tooMany = "429"
        case serverError = "500"
        case badGateway = "502"
        case unavailable = "503"

        var status: Int? { Int(rawValue) }
    }

    var kind: Kind
    /// For how many calls, from 1.
    var count: Int
    /// Only for calls of this endpoint; nil for all.
    var endpoint: ProviderEndpoint?
    /// With `slow`: 10 s unless given.
    var delayMs: Int?
    /// With 429 and 503: what the header `Retry-After` says; no header unless given.
    var retryAfter: Int?
    /// Not before so many milliseconds after it was given.
    var atMs: Int?
    /// Not before so many calls (of its endpoint) have gone well or had other faults.
    var afterCalls: Int?
}

extension ProviderFault {
    private enum CodingKeys: String, CodingKey { case kind, count, endpoint, delayMs, retryAfter, atMs, afterCalls }

    /// As the control port takes it: `count` is 1 unless given, a status may be written as a number.
    ///
    /// - Throws: `Problem` for what no fault has.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name: String
        if let status = try? container.decode(Int.self, forKey: .kind) {
            name = String(status)
        } else {
            name = try container.decode(String.self, forKey: .kind)
        }
        guard let kind = Kind(rawValue: name) else {
            throw Problem(.badRequest, "there is no fault of kind \"\(name.prefix(20))\"")
        }
        self.kind = kind
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 1
        endpoint = try container.decodeIfPresent(ProviderEndpoint.self, forKey: .endpoint)
        delayMs = try container.decodeIfPresent(Int.self, forKey: .delayMs)
        retryAfter = try container.decodeIfPresent(Int.self, forKey: .retryAfter)
        atMs = try container.decodeIfPresent(Int.self, forKey: .atMs)
        afterCalls = try container.decodeIfPresent(Int.self, forKey: .afterCalls)
        guard (1...1_000_000).contains(count), (0...600_000).contains(delayMs ?? 0) else {
            throw Problem(.badRequest, "count is 1 to 1000000 and delayMs 0 to 600000")
        }
        guard (0...604_800_000).contains(atMs ?? 0), (0...1_000_000).contains(afterCalls ?? 0) else {
            throw Problem(.badRequest, "atMs is 0 to 604800000 and afterCalls 0 to 1000000")
        }
    }
}

/// What the provider counts calls by.
enum ProviderEndpoint: String, Codable, Sendable {
    case livescores
    case fixtures
    case fixture
}
