import SightscreenModels
import Store
/// The calls that need no token.
struct PublicRoutes: Sendable {
    let control: ControlSource
    let schedule: ScheduleStore
    /// The names of what the gateway still waits for at its start.
    let missing: @Sendable () -> [String]

    private static let version = Operation.Parameter(
        name: "version", schema: .text(.version),
        about: "The app's version: the answer says whether it must be updated.")
    private static let platform = Operation.Parameter(
        name: "platform", schema: .choice(of: Platform.self), about: "The app's platform.")

    var routes: [Route] {
        [
            Route(
                "GET", "/health", .everybody, Self.health("getHealth", "Whether the gateway runs."),
                answering: { _ in ["status": "ok"] }),
            Route(
                "GET", "/health/live", .everybody, Self.health("getLiveness", "Whether the gateway runs."),
                answering: { _ in ["status": "ok"] }),
            Route(
                "GET", "/health/ready", .everybody,
                Self.health("getReadiness", "Whether the gateway can work.", [.notReady]),
                answering: { _ in
                    try await ready()
                    return ["status": "ready"]
                }),
            Route(
                "GET", "/app/config", .everybody,
                Operation(
                    id: "getAppConfig", summary: "What the app asks at its launch.", tag: .app,
                    query: [Self.platform, Self.version], answer: .ok("AppConfig", "Public."), isTagged: true,
                    limit: .open)
            ) { request in
                var config = control.config
                if let version = request.query["version"] {
                    config.updateRequired = AppVersion(version) < AppVersion(config.minAppVersion)
                }
                var reply = try Reply.json(config).tagged(for: request)
                // The answer may be cached only briefly, because a forced update or maintenance takes effect now.
                reply.headers["Cache-Control"] = "public, max-age=10"
                return reply
            },
        ]
    }

    /// Returns the calls for the index and the OpenAPI document, which describe the given routes and themselves.
    static func describing(_ routes: [Route]) -> [Route] {
        let index = Operation(
            id: "getIndex", summary: "What there is.", tag: .app, answer: .ok("Index", "All calls."), isTagged: true,
            limit: .open)
        let document = Operation(
            id: "getOpenAPI", summary: "This document.", tag: .app, answer: .ok("OpenAPI", "OpenAPI 3.1."),
            isTagged: true, limit: .open)
        let described =
            routes + [
                Route("GET", "/", .everybody, index) { _ in .noContent },
                Route("GET", "/openapi.json", .everybody, document) { _ in .noContent },
            ]
        // Both answers are encoded once: they are public, and encoding a hundred kilobytes for each request would help
        // an attacker.
        let calls = described.map { "\($0.method) \($0.path)" }.sorted()
        let indexReply = Result { try Reply.json(Index(calls: calls)).knowingItsTag() }
        let documentReply = Result { try Reply.json(OpenAPIDocument.make(described)).knowingItsTag() }
        return [
            Route("GET", "/", .everybody, index) { try indexReply.get().tagged(for: $0) },
            Route("GET", "/openapi.json", .everybody, document) { try documentReply.get().tagged(for: $0) },
        ]
    }

    private static func health(
        _ id: String, _ summary: String, _ refusals: [Problem.Kind] = []
    ) -> Operation {
        Operation(
            id: id, summary: summary, tag: .health, answer: .ok("Status", "It does."), refusals: refusals, limit: .open)
    }

    private func ready() async throws {
        let missing = missing()
        guard missing.isEmpty else {
            throw Problem(.notReady, "waiting for \(missing.joined(separator: ", "))", headers: ["Retry-After": "2"])
        }
        do { try await schedule.check() } catch {
            throw Problem(.notReady, "the database cannot answer", headers: ["Retry-After": "2"])
        }
    }

    private struct Index: Encodable {
        var name = "Sightscreen API"
        var documentation = "/openapi.json"
        var authentication = "Authorization: Bearer (a token of the app's Cognito user pool)"
        var calls: [String]
    }
}
