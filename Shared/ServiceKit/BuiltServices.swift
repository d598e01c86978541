import Logging
import ServiceLifecycle

/// Builds the service's parts and runs them. Meanwhile the health server runs already, and signals are obeyed.
struct BuiltServices: Service, CustomStringConvertible {
    let settings: Settings
    let context: ServiceContext
    /// The logger for the group of services, whose own lines would repeat ours.
    let quiet: Logger
    let timer: ShutdownTimer
    let started: StartNotice
    let build: @Sendable (Settings, ServiceContext) async throws -> [any Service]

    var description: String { "services" }

    func run() async throws {
        // The timer also begins when the parts have ended by themselves, because the rest of the process must end then.
        defer { timer.begin() }
        try await withGracefulShutdownHandler {
            try await work()
        } onGracefulShutdown: {
            timer.begin()
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
        let stop = StopNotice { [timer] in
            // The timer also begins when one part has failed and the others end because of it.
            timer.begin()
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

/// Calls `onStop` first when everything ends, because it is the last service in the group.
private struct StopNotice: Service, CustomStringConvertible {
    let onStop: @Sendable () -> Void

    var description: String { "stop notice" }

    func run() async throws {
        try await gracefulShutdown()
        onStop()
    }
}
