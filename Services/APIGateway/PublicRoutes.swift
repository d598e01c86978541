import Messages
import Store

/// What needs no token.
struct PublicRoutes: Sendable {
    let config: AppConfig
    let schedule: ScheduleStore
    /// What the gateway waits for at its start, if it does.
    let missing: @Sendable () -> [String]

    var routes: [Route] {
        [
            Route("GET", "/", .everybody) { _ in try Reply.json(Self.index) },
            Route("GET", "/health", .everybody) { _ in try Reply.json(["status": "ok"]) },
            Route("GET", "/health/live", .everybody) { _ in try Reply.json(["status": "ok"]) },
            Route("GET", "/health/ready", .everybody) { _ in
                let missing = missing()
                guard missing.isEmpty else {
                    throw Problem(
                        .notReady, "waiting for \(missing.joined(separator: ", "))", headers: ["Retry-After": "2"])
                }
                do { try await schedule.check() } catch {
                    throw Problem(.notReady, "the database cannot answer", headers: ["Retry-After": "2"])
                }
                return try Reply.json(["status": "ready"])
            },
            Route("GET", "/app/config", .everybody) { request in
                var reply = try Reply.json(config).tagged(for: request)
                reply.headers["Cache-Control"] = "public, max-age=60"
                return reply
            },
        ]
    }

    private struct Index: Encodable {
        var name = "Sightscreen API"
        var authentication = "Authorization: Bearer (a token of the app's Cognito user pool)"
        var calls = [
            "GET /app/config", "GET /health", "GET /health/live", "GET /health/ready", "GET /matches",
            "GET /matches/live",
            "GET /matches/:id", "POST /matches/:id/follow", "POST /matches/:id/unfollow",
            "POST /matches/:id/activity-token", "POST /matches/:id/activity-dismissed", "GET /user/follows",
            "POST /user/follow/match", "DELETE /user/follow/match", "PATCH /user/follow/match/:id",
            "PATCH /user/follow/match/:id/team", "DELETE /user/follow/match/:id", "POST /devices",
            "POST /devices/push-to-start-token", "DELETE /devices/:deviceToken",
        ]
    }

    private static let index = Index()
}
