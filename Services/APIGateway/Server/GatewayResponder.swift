import HTTPTypes
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceKit
import SightscreenModels
import Tokens

/// Answers every request: finds the route, identifies the caller, runs the handler, and turns every error into a
/// problem document.
struct GatewayResponder: HTTPResponder {
    typealias Context = GatewayContext

    let table: RouteTable
    let authenticator: Authenticator
    let deleted: DeletedAccounts
    let refusals: RefusalLog
    var proxies = TrustedProxies.none
    let forwarded = ForwardedForTracker()
    let gate: RateGate
    let security: SecurityLog
    let logger: Logger
    var tracer = Tracer.off

    func respond(to request: Request, context: Context) async throws -> Response {
        let begun = ContinuousClock.now
        let id = Self.requestID(request)
        var logger = self.logger
        logger[metadataKey: "request.id"] = "\(id)"
        // A call begins a trace of its own. A caller who named one could have any of its calls traced, since the trace's
        // id decides whether it is exported.
        let span = tracer.begin("request", .server, under: nil)
        let (reply, path) = await TraceContext.$current.withValue(span.context) {
            await answer(request, context, id, logger)
        }
        measure(request, path, reply, ContinuousClock.now - begun)
        end(span, request, path, reply)
        if let slot = reply.heldUntilWritten {
            // It fails when the connection is gone, and then nothing has to be held.
            try? await context.channel.triggerUserOutboundEvent(RequestDeadline.Hold(slot: slot)).get()
        }
        return response(reply, id, isHead: request.method == .head)
    }

    /// - Returns: the answer, and the route's pattern for the metrics.
    private func answer(
        _ request: Request, _ context: Context, _ id: String, _ logger: Logger
    ) async -> (Reply, String) {
        var path = "none"
        do {
            guard request.uri.string.utf8.count <= GatewayLimits.addressBytesMax else {
                throw Problem(.addressTooLong, "at most \(GatewayLimits.addressBytesMax) bytes are taken")
            }
            if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > GatewayLimits.bodyBytesMax {
                throw Problem.bodyTooLarge
            }
            let client = context.client(of: request, behind: proxies)
            switch table.find(request.method.rawValue, request.uri.path) {
            case .nothing:
                try gate.admitUnidentified(client)
                throw Problem(.notFound)
            case .otherMethods(let methods):
                try gate.admitUnidentified(client)
                throw Problem(.methodNotAllowed, headers: ["Allow": methods.joined(separator: ", ")])
            case .route(let route, let parameters):
                path = route.path
                if let peer = context.ignoredForwarder(of: request, behind: proxies) {
                    forwarded.ignored(from: peer, logger)
                }
                return (try await route.handle(try await read(request, route, parameters, client, id, logger)), path)
            }
        } catch {
            return (await refuse(error, id, logger), path)
        }
    }

    /// Identifies the caller and checks everything that the OpenAPI document says of the call, before its handler runs.
    private func read(
        _ request: Request, _ route: Route, _ parameters: [String: String], _ client: ClientAddress, _ id: String,
        _ logger: Logger
    ) async throws -> GatewayRequest {
        let caller = try await caller(request, route, client)
        let query = try QueryString.read(request.uri.query, route.operation.query)
        var fields = FieldReader.none
        if let body = route.operation.body {
            guard request.headers[.contentEncoding].map({ $0.lowercased() == "identity" }) ?? true else {
                throw Problem(.unsupportedMediaType, "a body is sent as it is, not compressed")
            }
            let bytes = try await GatewayRequest.body(of: request)
            guard bytes.isEmpty && body.isOptional || GatewayRequest.isJSON(request.headers[.contentType]) else {
                throw Problem(.unsupportedMediaType)
            }
            fields = try FieldReader(bytes, body)
        }
        if route.operation.limit == .registrations {
            try gate.admit(device: try fields.identifier("deviceId", as: DeviceID.self), of: caller)
        }
        return GatewayRequest(
            request: request, parameters: parameters, query: query, fields: fields, id: id, caller: caller,
            clientAddress: client, logger: logger)
    }

    private static let apiKeyHeader = HTTPField.Name("X-API-Key")
    private static let requestIDHeader = HTTPField.Name("X-Request-ID")
    private static let contentTypeOptions = HTTPField.Name("X-Content-Type-Options")
    private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    private func caller(_ request: Request, _ route: Route, _ client: ClientAddress) async throws -> Caller? {
        guard route.access != .everybody else {
            try gate.admit(client)
            return nil
        }
        let key = Self.apiKeyHeader.flatMap { request.headers[$0] }
        if key != nil { try gate.admitGuess(client) }
        let caller: Caller
        do {
            caller = try await authenticator.caller(authorization: request.headers[.authorization], apiKey: key)
        } catch let refused as Authenticator.Refused {
            if key != nil {
                gate.noteWrongKey(client)
                security.note(.wrongAdminKey)
            } else if refused.isExpired {
                try gate.admitUnidentified(client)
            } else {
                try gate.admitBadToken(client)
            }
            throw refused
        } catch let problem as Problem where problem.kind == .unauthorized {
            try gate.admitUnidentified(client)
            throw problem
        }
        // The call is counted before anything that costs more, whatever its outcome.
        try gate.admit(route.operation.limit, caller)
        if route.access == .users { _ = try caller.claims }
        guard deleted.hasRead else { throw Problem.unavailable("deleted accounts are not known yet") }
        if !route.operation.isOpenToTheDeleted, case .user(let claims) = caller,
            deleted.isDeleted(UserID(claims.sub), issuedAt: claims.issuedAt)
        {
            throw Problem.unauthorized("the account was deleted")
        }
        if route.access == .admins, !caller.isAdmin { throw Problem(.forbidden) }
        return caller
    }

    private func refuse(_ error: any Error, _ id: String, _ logger: Logger) async -> Reply {
        if let refused = error as? Authenticator.Refused {
            await refusals.note(refused.kind, refused.reason, logger)
            return reply(Problem.unauthorized(refused.reason, isToken: refused.isToken), id)
        }
        guard let problem = Problem(error) else {
            logger.error("A request failed", metadata: ["error": "\(error)", "error.type": "\(type(of: error))"])
            return reply(Problem(.internalError), id)
        }
        switch problem.kind {
        case .unavailable: await refusals.note("unavailable", "\(error)", logger, level: .warning)
        case .invalidJSON, .bodyTooLarge, .addressTooLong, .unsupportedMediaType, .forbidden,
            .rateLimited:
            await refusals.note(problem.kind.rawValue, problem.detail ?? problem.kind.title, logger)
        default: logger.debug("Request refused", metadata: ["refusal.kind": "\(problem.kind.rawValue)"])
        }
        return reply(problem, id)
    }

    private func reply(_ problem: Problem, _ id: String) -> Reply {
        var headers = problem.headers
        headers["Content-Type"] = "application/problem+json"
        headers["Cache-Control"] = "no-store"
        // The document holds only strings and a number, so its encoding cannot fail.
        let body = (try? Reply.json(problem.document(requestID: id)))?.body ?? []
        return Reply(status: problem.kind.status, body: body, headers: headers)
    }

    private func response(_ reply: Reply, _ id: String, isHead: Bool) -> Response {
        var fields = HTTPFields()
        for (name, value) in reply.headers {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        if let name = Self.requestIDHeader { fields[name] = id }
        if let name = Self.contentTypeOptions { fields[name] = "nosniff" }
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-store" }
        if isHead { fields[.contentLength] = String(reply.body.count) }
        let hasBody = !isHead && reply.status != 204 && reply.status != 304
        return Response(
            status: .init(code: reply.status), headers: fields,
            body: hasBody ? .init(byteBuffer: ByteBuffer(bytes: reply.body)) : .init())
    }

    /// Returns the client's own id if it has a valid one; otherwise a new one.
    private static func requestID(_ request: Request) -> String {
        if let id = requestIDHeader.flatMap({ request.headers[$0] }), Identifier.isValid(id) { return id }
        return RequestID.random()
    }

    /// The span names the route's pattern and never the path, because a path contains ids.
    private func end(_ span: Span, _ request: Request, _ path: String, _ reply: Reply) {
        var span = span
        span["http.request.method"] = .string(Self.method(of: request))
        span["http.route"] = .string(path)
        span["http.response.status_code"] = .int(reply.status)
        if reply.status >= 500 { span.error = "\(reply.status)" }
        tracer.end(span)
    }

    private static func method(of request: Request) -> String {
        let method = request.method.rawValue
        return methods.contains(method) ? method : "other"
    }

    /// Counters of what alerts ask for start at 0, so that they see the first ones, too.
    static func beginCounters(of table: RouteTable) {
        for route in table.routes {
            for status in [401, 500, 503] { count(route.method, route.path, status, by: 0) }
        }
    }

    private static func count(_ method: String, _ path: String, _ status: Int, by count: Int64) {
        Counter(
            label: "sightscreen_http_requests_total",
            dimensions: [("method", method), ("route", path), ("status", String(status))]
        ).increment(by: count)
    }

    private func measure(_ request: Request, _ path: String, _ reply: Reply, _ duration: Duration) {
        Self.count(Self.method(of: request), path, reply.status, by: 1)
        Timer(label: "sightscreen_http_request_seconds", dimensions: [("route", path)]).record(duration: duration)
    }
}
