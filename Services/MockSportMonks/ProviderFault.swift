import ControlHTTP
import HTTPTypes

/// A fault of the provider for the next calls, or for later ones.
struct ProviderFault: Codable, Sendable, Equatable {
    enum Kind: String, Codable, Sendable {
        /// Status 200 with a web page.
        case html
        /// Status 200 without a body.
        case empty
        /// Status 200 with JSON that has no `data`.
        case noData = "no-data"
        /// JSON that breaks off in the middle.
        case cut
        /// `Content-Length` promises more than is sent before the connection closes.
        case truncated
        /// The balls are one ahead of all rows.
        case torn
        /// The right answer comes after `delayMs`.
        case slow
        /// Status 200 with an empty list, and 404 for a single fixture: the provider has no match.
        case forgotten
        /// No answer; the connection stays until the client closes it.
        case timeout
        /// 100 KB with `Content-Encoding: gzip` inflate to 100 MiB.
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
    /// The number of calls that get the fault, at least 1.
    var count: Int
    /// The endpoint whose calls get it; nil for all.
    var endpoint: ProviderEndpoint?
    /// The delay of `slow`; 10 s by default.
    var delayMs: Int?
    /// The header `Retry-After` of 429 and 503; without it there is no header.
    var retryAfter: Int?
    /// The least time in milliseconds between adding the fault and its first call.
    var atMs: Int?
    /// The calls (of its endpoint) that must pass first, whether they went well or had other faults.
    var afterCalls: Int?
}

extension ProviderFault {
    private enum CodingKeys: String, CodingKey { case kind, count, endpoint, delayMs, retryAfter, atMs, afterCalls }

    /// Decodes a fault of the control port: `count` is 1 by default, and a status may be written as a number.
    ///
    /// - Throws: `Problem` for a field or value that no fault has.
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
/// The endpoints by which the provider counts calls.
enum ProviderEndpoint: String, Codable, Sendable {
    case livescores
    case fixtures
    case fixture
}
