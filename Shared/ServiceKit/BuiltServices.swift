import Logging
import ServiceLifecycle

/// Builds the service's parts and runs them. The health server is already up meanwhile, and a signal is obeyed.
struct BuiltServices: Service, CustomStringConvertible {
    let settings: Settings
    let context: ServiceContext
    /// For the group, whose own lines would repeat ours.
    let quiet: Logger
    let watch: EndWatch
    let started: StartNotice
    let build: @Sendable (Settings, ServiceContext) async throws -> [any Service]

    var description: String { "services" }

    func run() async throws {
        // Also when they have ended by themselves: what is left of the process is to end then.
        defer { watch.begin() }
        try await withGracefulShutdownHandler {
            try await work()
        } onGracefulShutdown: {
            watch.begin()
        }
    }

    private func work() async throws {
        let parts: [any Service]
        do {
            parts = try await cancelWhenGracefulShutdown { try await build(settings, context) }
        } catch let error as CancellationError {
            if Task.isCancelled || Task.isShuttingDownGracefully { return }
            throw error
        }
        started.built()
        context.readiness.remove("start")
        let stop = StopNotice { [watch] in
            // Also when one of the parts has failed, and the others end for that.
            watch.begin()
            context.readiness.set("stop", false, reason: "stopping")
        }
        let group = ServiceGroup(
            configuration: .init(
                services: (parts.map { NamedService($0) } + [NamedService(stop)]).map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .gracefullyShutdownGroup)
                }, logger: quiet))
        try await group.run()
    }

}

/// The first to hear that everything ends, being the last in the group.
private struct StopNotice: Service, CustomStringConvertible {
    let onStop: @Sendable () -> Void

    var description: String { "stop notice" }

    func run() async throws {
        try await gracefulShutdown()
        onStop()
    }
}
