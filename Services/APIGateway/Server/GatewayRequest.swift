import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SightscreenModels
import Tokens

/// A request as a handler gets it: routed, its caller known where the route needs one, query and body checked.
struct GatewayRequest: Sendable {
    let request: Request
    let parameters: [String: String]
    /// The parameters by name; each value has its parameter's form.
    let query: [String: String]
    let fields: FieldReader
    let id: String
    let caller: Caller?
    /// The client's address: the peer's, or the one that a trusted proxy forwards.
    let clientAddress: ClientAddress
    let logger: Logger

    /// The user who calls.
    /// - Throws: `Problem` if the caller is not a user.
    var user: UserID {
        get throws {
            guard case .user(let claims)? = caller else { throw Problem.unauthorized("there is no bearer token") }
            return UserID(claims.sub)
        }
    }
    /// The name that the audit records for the caller.
    var actor: String {
        switch caller {
        case .user(let claims): "user:\(claims.sub)"
        case .server(let name): "api-key:\(name)"
        case nil: "nobody"
        }
    }

    /// The match that `:id` in the path names.
    /// - Throws: `Problem`, unknown match, if the text cannot be a match's id.
    var matchID: MatchID {
        get throws {
            guard let text = parameters["id"], TextForm.number.accepts(text), let match = MatchID(text) else {
                throw Problem(.unknownMatch)
            }
            return match
        }
    }

    /// Reads the whole body.
    /// - Throws: `Problem` if the body is too large or cannot be read to its end.
    static func body(of request: Request) async throws -> [UInt8] {
        do {
            return Array(try await request.body.collect(upTo: GatewayLimits.bodyBytesMax).readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge
        } catch {
            // The decoder found the body malformed, or the client closed the connection.
            throw Problem(.malformedHTTP, "the body is malformed, or ends too soon")
        }
    }

    /// Returns whether the header says that the body is JSON in UTF-8.
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
