import Logging
import Messages
import Postgres
public import ServiceKit
public import ServiceLifecycle
import Store
import Wire

/// The service `event-bus`: a socket that accepts frames, and the versions that come of them.
public struct MatchEventBusService: Service {
    private let configuration: MatchEventBusConfiguration
    private let readiness: Readiness
    private let logger: Logger
    private let tracer: Tracer
    private let context: ServiceContext

    public init(_ configuration: MatchEventBusConfiguration, _ context: ServiceContext) {
        self.configuration = configuration
        self.context = context
        readiness = context.readiness
        logger = context.logger
        tracer = context.tracer
        readiness.set("database", false, reason: "not reached yet")
    }

    public func run() async throws {
        let pool = try configuration.database.pool(applicationName: "event-bus/\(configuration.instance)")
        try await withLastResort({ await pool.close() }) {
            try await cancelWhenGracefulShutdown { try await serve(pool) }
        }
        await pool.close()
    }

    private func serve(_ pool: PostgresPool) async throws {
        do { try await DatabaseStart.wait(for: pool, logger: logger) } catch is CancellationError { return }
        let presence = Presence(
            pool: pool, service: "event-bus", instance: configuration.instance, context: context)
        try await presence.begin()
        readiness.set("database", true, reason: nil)

        let leases = LeaseKeeper(
            store: LeaseStore(pool: pool), instance: configuration.instance, duration: configuration.leaseDuration,
            logger: logger)
        let coordinators = WireDirectory(
            runDirectory: configuration.runDirectory, service: "la-coordinator", logger: logger)
        let bus = MatchEventBus(
            store: MatchStore(pool: pool), leases: leases, timing: configuration.timing,
            leaseDuration: configuration.leaseDuration, logger: logger, tracer: tracer
        ) { update in
            await coordinators.broadcast(MatchUpdated(update: update), traceparent: update.traceparent)
        }
        let server = WireServer(
            path: "\(configuration.runDirectory)/event-bus/\(configuration.instance).sock", logger: logger)
        server.answer(ScoreFrame.self) { frame, context in
            await bus.evaluate(frame, under: context.traceparent.flatMap { TraceContext(traceparent: $0) })
        }
        server.answer(HandOverMatch.self) { request, _ in
            await bus.handOver(request.matchID)
            return MatchHandedOver(matchID: request.matchID)
        }
        server.answer(LivenessCheck.self) { _, _ in Alive() }

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await presence.run() }
            group.addTask { await leases.run() }
            group.addTask { try await coordinators.run() }
            group.addTask { await bus.run() }
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            // No task ends by itself, so the first one to end ends the service.
            try await group.next()
        }
    }
}
