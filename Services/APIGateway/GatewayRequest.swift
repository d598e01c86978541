import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SightscreenModels
import Tokens

/// A request as a handler sees it: routed, its caller known where the route needs one, query and body checked.
struct GatewayRequest: Sendable {
    let request: Request
    let parameters: [String: String]
    /// By name, each of its form.
    let query: [String: String]
    let fields: FieldReader
    let id: String
    let caller: Caller?
    /// Where it comes from: the peer, or whom trusted proxies name.
    let clientAddress: ClientAddress
    let logger: Logger

    /// The user of a route that needs one.
    var user: UserID {
        get throws {
            guard case .user(let claims)? = caller else { throw Problem.unauthorized("there is no bearer token") }
            return UserID(claims.sub)
        }
    }

    /// Who is written into the audit.
    var actor: String {
        switch caller {
        case .user(let claims): "user:\(claims.sub)"
        case .server(let name): "api-key:\(name)"
        case nil: "nobody"
        }
    }

    /// `:id` of the path as a match.
    var matchID: MatchID {
        get throws {
            guard let text = parameters["id"], TextForm.number.accepts(text), let match = MatchID(text) else {
                throw Problem(.unknownMatch)
            }
            return match
        }
    }

    /// The whole body.
    /// - Throws: `Problem`.
    static func body(of request: Request) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: GatewayLimits.bodyBytesMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge
        } catch {
            // The decoder found a fault in it, or the client is gone.
            throw Problem(.malformedHTTP, "the body is malformed, or ends too soon")
        }
    }

    /// Whether a body is JSON in UTF-8, as its header says.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        if contentType == "application/json" { return true }
        let parts = contentType.lowercased().split(separator: ";").map { part in
            part.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
        }.map { String($0) }
        return parts.first == "application/json"
            && parts.dropFirst().allSatisfy {
                !$0.hasPrefix("charset=") || $0 == "charset=utf-8" || $0 == "charset=\"utf-8\""
            }
    }
}
