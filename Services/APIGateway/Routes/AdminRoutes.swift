import SightscreenModels
import Store

/// The administrators' calls: the app's config, caches, the provider's fixtures, and the audit of all of it.
struct AdminRoutes: Sendable {
    let store: AdminStore
    let control: ControlSource
    let cache: ReplyCache
    let keys: KeySource
    /// The name of this replica.
    let instance: String

    private static let before = Operation.Parameter(
        name: "before", schema: .text(.number), about: "The nextCursor of the page before.")

    var routes: [Route] {
        [
            Route(
                "GET", "/admin/config", .admins,
                Operation(
                    id: "getAdminConfig", summary: "The app's config, and what of it was changed here.", tag: .admin,
                    answer: .ok("AdminConfig", "As it is."), isTagged: true, limit: .admin),
                answering: { request in
                    try await store.audit(request.call, "config-read")
                    return answer()
                }),
            Route(
                "PATCH", "/admin/config", .admins,
                Operation(
                    id: "changeAdminConfig",
                    summary: "Change the app's config; every replica tells it within a second.", tag: .admin,
                    answer: .ok("AdminConfig", "As it is now."), limit: .admin), taking: change),
            Route(
                "GET", "/admin/sportmonks/fixtures", .admins,
                Operation(
                    id: "listSyncedFixtures", summary: "The provider's fixtures as last synced, by start.",
                    tag: .admin, query: [MatchQuery.limit, MatchQuery.cursor],
                    answer: .ok("SyncedFixtures", "One page."), isTagged: true, limit: .admin), answering: fixtures),
            Route(
                "GET", "/admin/cache/stats", .admins,
                Operation(
                    id: "getCacheStats", summary: "The caches of the replica that answers.", tag: .admin,
                    answer: .ok("CacheStats", "As they are."), limit: .admin),
                answering: { request in
                    try await store.audit(request.call, "cache-stats")
                    return await stats()
                }),
            Route(
                "POST", "/admin/cache/clear", .admins,
                Operation(
                    id: "clearCaches", summary: "Clear the caches of every replica, within a second.", tag: .admin,
                    answer: .nothing("The order is given."), limit: .admin)
            ) { request in
                try await store.clearCaches(request.call)
                control.learn(try await store.control())
                return .noContent
            },
            Route(
                "GET", "/admin/audit", .admins,
                Operation(
                    id: "listAudit", summary: "What administrators did, newest first.", tag: .admin,
                    query: [MatchQuery.limit, Self.before], answer: .ok("Audit", "One page."), limit: .admin),
                answering: audit),
        ]
    }

    private func answer() -> AdminConfigResponse {
        AdminConfigResponse(
            effective: control.config, overridden: control.overrides.names, changedAt: control.changedAt)
    }

    @Sendable private func change(
        _ request: GatewayRequest, _ change: AdminConfigChange
    ) async throws -> AdminConfigResponse {
        control.learn(try await store.changeConfig(request.call, change.apply))
        return answer()
    }

    @Sendable private func fixtures(_ request: GatewayRequest) async throws -> SyncedFixturesResponse {
        let limit = request.limit
        try await store.audit(request.call, "fixtures-read")
        var fixtures = try await store.fixtures(
            after: request.query["cursor"].flatMap(MatchQuery.position), limit: limit)
        var cursor: String?
        if fixtures.count > limit {
            fixtures.removeLast(fixtures.count - limit)
            cursor = fixtures.last.map { last in
                MatchQuery.cursor(
                    .init(startsAt: last.startsAt ?? ScheduleStore.Position.withoutStart, match: last.matchId))
            }
        }
        return SyncedFixturesResponse(fixtures: fixtures, nextCursor: cursor)
    }

    @Sendable private func audit(_ request: GatewayRequest) async throws -> AuditResponse {
        let limit = request.limit
        try await store.audit(request.call, "audit-read")
        var entries = try await store.auditEntries(
            before: request.query["before"].flatMap { Int64($0) }, limit: limit)
        var cursor: String?
        if entries.count > limit {
            entries.removeLast(entries.count - limit)
            cursor = entries.last?.id
        }
        return AuditResponse(entries: entries, nextCursor: cursor)
    }

    private struct Stats: Encodable {
        var instance: String
        var replies: ReplyCache.Count
        var keys: KeySource.Count
        var clearedAt: Int?
    }

    private func stats() async -> Stats {
        Stats(instance: instance, replies: cache.count, keys: await keys.count, clearedAt: control.cachesClearedAt)
    }
}

/// A change of the app's config. A null member goes back to the gateway's setting.
private struct AdminConfigChange: RequestBody {
    static let body = Operation.Body(
        name: "AdminConfigChange",
        fields: [
            Schema.optional("minAppVersion", .text(.version), "Null: as the gateway's setting says. So with each."),
            Schema.optional("storeUrl", .text(.webAddress)), Schema.optional("maintenanceMode", .flag),
            Schema.optional("maintenanceMessage", .text(.sentence)),
        ])

    let apply: @Sendable (inout AppConfigOverrides) -> Void

    init(_ fields: FieldReader) throws {
        let minimum = try fields.text("minAppVersion")
        let storeURL = try fields.text("storeUrl")
        let mode = try fields.flag("maintenanceMode")
        let message = try fields.text("maintenanceMessage")
        apply = { overrides in
            if minimum != nil || fields.isNull("minAppVersion") { overrides.minAppVersion = minimum }
            if storeURL != nil || fields.isNull("storeUrl") { overrides.storeUrl = storeURL }
            if mode != nil || fields.isNull("maintenanceMode") { overrides.maintenanceMode = mode }
            if message != nil || fields.isNull("maintenanceMessage") { overrides.maintenanceMessage = message }
        }
    }
}

extension GatewayRequest {
    /// The call as the audit records it.
    var call: AdminStore.Call { AdminStore.Call(actor: actor, requestID: id) }

    /// The number of items on a page.
    var limit: Int { query["limit"].flatMap { Int($0) } ?? GatewayLimits.pageDefault }
}
