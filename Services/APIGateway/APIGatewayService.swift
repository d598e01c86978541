import HTTPClient
import Hummingbird
import Logging
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Tokens
import Wire

/// `api-gateway`: builds the parts of the HTTP API and connects them.
public struct APIGatewayService {
    /// The services in the order in which they depend on each other.
    public let parts: [any Service]

    public init(_ configuration: APIGatewayConfiguration, _ context: ServiceContext) throws {
        try self.init(configuration, context, more: [])
    }

    /// - Parameter more: calls beside those of the API, for measurements.
    init(_ configuration: APIGatewayConfiguration, _ context: ServiceContext, more: [Route]) throws {
        let pool = try configuration.database.pool(size: 8, applicationName: "api-gateway/\(configuration.instance)")
        let coordinators = WireDirectory(
            runDirectory: configuration.runDirectory, service: "la-coordinator", logger: context.logger)
        let http = HTTPClient(
            configuration: .init(
                allowHTTP: configuration.allowsHTTP,
                onAnswer: { [calls = context.calls] in calls.record(.keys, status: $0) }))
        let keys = KeySource(url: configuration.jwksURL, http: http, logger: context.logger)
        let readiness = context.readiness
        let presence = Presence(
            pool: pool, service: "api-gateway", instance: configuration.instance, context: context,
            keys: .init(
                fingerprints: configuration.vault.fingerprints,
                trouble: { [vault = configuration.vault] in try await vault.trouble(pool) }))
        let accounts = AccountStore(pool: pool)
        let deleted = DeletedAccounts(logger: context.logger) { try await accounts.deletions(since: $0) }
        let security = SecurityLog(vault: configuration.vault, logger: context.logger)
        let blocked = BlockedAccounts(security: security) { try await accounts.blockedForBadTokens() }
        let cache = ReplyCache()
        let control = ControlSource(settings: configuration.appConfig, cache: cache)
        parts = [
            coordinators,
            DatabaseMonitor(
                pool: pool, vault: configuration.vault, presence: presence, readiness: readiness, logger: context.logger
            ),
            KeyMonitor(keys: keys, readiness: readiness),
            deleted,
            blocked,
            ControlMonitor(source: control, store: AdminStore(pool: pool), logger: context.logger),
            GatewayServer(
                host: configuration.host, port: configuration.port,
                responder: Self.responder(
                    configuration, pool: pool, keys: keys,
                    notifier: WireCoordinatorNotifier(coordinators: coordinators), deleted: deleted,
                    blocked: blocked, control: control, cache: cache,
                    now: { [clock = context.clock] in clock.seconds },
                    missing: { readiness.missing.map(\.name) + (deleted.hasRead ? [] : ["deleted accounts"]) },
                    logger: context.logger, tracer: context.tracer, more: more),
                addressFile: "\(configuration.runDirectory)/api-gateway/\(configuration.instance).http",
                logger: context.logger, proxies: configuration.trustedProxies),
            DatabaseLastResort(pool: pool),
        ]
    }

    static func responder(
        _ configuration: APIGatewayConfiguration, pool: PostgresPool, keys: KeySource,
        notifier: any CoordinatorNotifier,
        deleted: DeletedAccounts, blocked: BlockedAccounts, control: ControlSource, cache: ReplyCache,
        now: @escaping @Sendable () -> Int, missing: @escaping @Sendable () -> [String], logger: Logger,
        tracer: Tracer = .off, more: [Route] = []
    ) -> GatewayResponder {
        let schedule = ScheduleStore(pool: pool)
        let admin = AdminRoutes(
            store: AdminStore(pool: pool), control: control, cache: cache, keys: keys, instance: configuration.instance)
        let follows = FollowRoutes(
            follows: FollowStore(
                pool: pool, retention: configuration.followRetention, startLease: configuration.startLease),
            notifier: notifier)
        let security = SecurityLog(vault: configuration.vault, logger: logger)
        let gate = RateGate(limiter: RateLimiter(), factor: configuration.rateLimitFactor, blocked: blocked)
        let devices = DeviceRoutes(
            devices: DeviceStore(
                pool: pool, vault: configuration.vault, startLease: configuration.startLease,
                dismissAfter: configuration.dismissAfter, security: security), gate: gate, notifier: notifier)
        let activities = ActivityRoutes(
            activities: ActivityTokenStore(
                pool: pool, vault: configuration.vault, dismissAfter: configuration.dismissAfter, security: security,
                onChange: { await notifier.notify(of: $0) }),
            reports: ActivityReportStore(pool: pool), gate: gate, notifier: notifier)
        let open = PublicRoutes(control: control, schedule: schedule, missing: missing)
        let users = UserRoutes(
            accounts: AccountStore(pool: pool, vault: configuration.vault), deleted: deleted, notifier: notifier,
            security: security)
        var routes = open.routes + MatchRoutes(schedule: schedule, cache: cache).routes + follows.routes
        let holds = HoldRoutes(
            holds: HoldStore(pool: pool), schedule: schedule, audit: AdminStore(pool: pool), notifier: notifier)
        routes += devices.routes + activities.routes + users.routes + admin.routes + holds.routes
        if let replay = configuration.replayURL {
            let client = ReplayClient(url: replay, http: HTTPClient(configuration: .init(allowHTTP: true)))
            routes += ReplayRoutes(store: AdminStore(pool: pool), client: client).routes
        }
        let verifier = BearerTokenVerifier(issuer: configuration.issuer, clientIDs: configuration.clientIDs)
        let table = RouteTable(routes + PublicRoutes.describing(routes) + more)
        GatewayResponder.beginCounters(of: table)
        return GatewayResponder(
            table: table,
            authenticator: Authenticator(verifier: verifier, keys: keys, apiKey: configuration.apiKey, now: now),
            deleted: deleted, refusals: RefusalLog(), proxies: configuration.trustedProxies,
            gate: gate, security: security, logger: logger, tracer: tracer)
    }
}
