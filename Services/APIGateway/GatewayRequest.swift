import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Sightscreen
import Tokens

/// A request as a handler sees it: routed, and with its user known where the route needs one.
struct GatewayRequest: Sendable {
    let request: Request
    let parameters: [String: String]
    let id: String
    let claims: BearerClaims?
    let logger: Logger

    /// The user of a route that needs one.
    var user: UserID {
        get throws {
            guard let claims else { throw Problem.unauthorized("there is no bearer token") }
            return UserID(claims.sub)
        }
    }

    /// `:id` of the path as a match.
    var matchID: MatchID {
        get throws {
            guard let text = parameters["id"], let match = MatchID(text) else { throw Problem(.unknownMatch) }
            return match
        }
    }

    /// A query parameter, percent-decoded; nil when it is left out or empty.
    func query(_ name: String) -> String? {
        guard let value = request.uri.queryParameters[Substring(name)], !value.isEmpty else { return nil }
        return String(value)
    }

    /// The whole body as an object, read strictly.
    /// - Parameter optional: no body at all counts as `{}`.
    func fields(optional: Bool = false) async throws -> FieldReader {
        let body = try await collectBody()
        if optional, body.isEmpty { return FieldReader([:]) }
        let type = request.headers[.contentType]?.split(separator: ";").first.map { $0.lowercased() }
        guard type == "application/json" else { throw Problem(.unsupportedMediaType) }
        return try FieldReader(body)
    }

    /// A slow sender is cut off: dropping its connection is the server's part, answering ours.
    private func collectBody() async throws -> [UInt8] {
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > GatewayLimits.bodyBytesMax {
            throw Problem(.bodyTooLarge, "at most \(GatewayLimits.bodyBytesMax) bytes are taken")
        }
        let body = request.body
        return try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                let buffer = try await body.collect(upTo: GatewayLimits.bodyBytesMax)
                return Array(buffer.readableBytesView)
            }
            group.addTask {
                try await Task.sleep(for: GatewayLimits.bodyDeadline)
                throw Problem(.requestTimeout)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}
