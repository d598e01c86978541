import HTTPClient
import Hummingbird
import Logging
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Tokens
import Wire

/// The HTTP API: puts the parts together.
public enum Gateway {
    /// The parts in the order in which they depend on each other.
    public static func services(
        _ configuration: GatewayConfiguration, settings: Settings, context: ServiceContext
    ) throws -> [any Service] {
        try services(configuration, settings: settings, context: context, more: [])
    }

    /// - Parameter more: calls beside those of the API, for measurements.
    static func services(
        _ configuration: GatewayConfiguration, settings: Settings, context: ServiceContext, more: [Route]
    ) throws -> [any Service] {
        let pool = try configuration.database.pool(size: 8, applicationName: "api-gateway/\(settings.instance)")
        let coordinators = WireDirectory(
            runDirectory: settings.runDirectory, service: "la-coordinator", logger: context.logger)
        let http = HTTPClient(configuration: .init(allowHTTP: configuration.allowsHTTP))
        let keys = KeySource(url: configuration.jwksURL, http: http, logger: context.logger)
        let readiness = context.readiness
        let accounts = AccountStore(pool: pool)
        let deleted = DeletedAccounts(logger: context.logger) { try await accounts.deletions(since: $0) }
        let blocked = BlockedAccounts(logger: context.logger) { try await accounts.blockedForBadTokens() }
        let cache = ReplyCache()
        let control = ControlSource(settings: configuration.appConfig, cache: cache)
        return [
            coordinators,
            DatabaseWatch(pool: pool, readiness: readiness, logger: context.logger),
            KeyWatch(keys: keys, readiness: readiness),
            deleted,
            blocked,
            ControlWatch(source: control, store: AdminStore(pool: pool), logger: context.logger),
            GatewayServer(
                host: configuration.host, port: configuration.port,
                responder: responder(
                    configuration, pool: pool, keys: keys,
                    bell: GatheredBell(WireCoordinatorBell(coordinators: coordinators)), deleted: deleted,
                    blocked: blocked, control: control, cache: cache, instance: settings.instance,
                    missing: { readiness.missing.map(\.name) + (deleted.hasRead ? [] : ["deleted accounts"]) },
                    logger: context.logger, tracer: context.tracer, more: more),
                addressFile: "\(settings.runDirectory)/api-gateway/\(settings.instance).http", logger: context.logger,
                proxies: configuration.trustedProxies),
            DatabaseLastResort(pool: pool),
        ]
    }

    static func responder(
        _ configuration: GatewayConfiguration, pool: PostgresPool, keys: KeySource, bell: any CoordinatorBell,
        deleted: DeletedAccounts, blocked: BlockedAccounts, control: ControlSource, cache: ReplyCache, instance: String,
        missing: @escaping @Sendable () -> [String], logger: Logger, tracer: Tracer = .off, more: [Route] = []
    ) -> GatewayResponder {
        let schedule = ScheduleStore(pool: pool)
        let admin = AdminRoutes(
            store: AdminStore(pool: pool), control: control, cache: cache, keys: keys, instance: instance)
        let follows = FollowRoutes(
            follows: FollowStore(
                pool: pool, retention: configuration.followRetention, startLease: configuration.startLease), bell: bell)
        let gate = RateGate(limiter: RateLimiter(), factor: configuration.rateLimitFactor, blocked: blocked)
        let devices = DeviceRoutes(
            devices: DeviceStore(
                pool: pool, startLease: configuration.startLease, dismissAfter: configuration.dismissAfter), gate: gate,
            bell: bell)
        let activities = ActivityRoutes(
            activities: ActivityTokenStore(pool: pool, dismissAfter: configuration.dismissAfter), gate: gate,
            bell: bell)
        let open = PublicRoutes(control: control, schedule: schedule, missing: missing)
        let users = UserRoutes(accounts: AccountStore(pool: pool), deleted: deleted, bell: bell)
        var routes = open.routes + MatchRoutes(schedule: schedule, cache: cache).routes + follows.routes
        let holds = HoldRoutes(
            holds: HoldStore(pool: pool), schedule: schedule, audit: AdminStore(pool: pool), bell: bell)
        routes += devices.routes + activities.routes + users.routes + admin.routes + holds.routes
        if let replay = configuration.replayURL {
            let stand = ReplayStand(url: replay, http: HTTPClient(configuration: .init(allowHTTP: true)))
            routes += ReplayRoutes(store: AdminStore(pool: pool), stand: stand).routes
        }
        let verifier = BearerTokenVerifier(issuer: configuration.issuer, clientIDs: configuration.clientIDs)
        return GatewayResponder(
            table: RouteTable(routes + PublicRoutes.describing(routes) + more),
            authenticator: Authenticator(verifier: verifier, keys: keys, apiKey: configuration.apiKey),
            deleted: deleted, refusals: RefusalLog(), proxies: configuration.trustedProxies,
            gate: gate, logger: logger, tracer: tracer)
    }
}
