package import ServiceKit
package import ServiceLifecycle

extension Gateway {
    /// The API and `POST /noop`, which reads the body of an activity token as strictly as that call does and then does
    /// nothing: what the benchmark compares with. It is there for the benchmark's own executable; no service calls this.
    package static func servicesWithNoop(
        _ configuration: GatewayConfiguration, settings: Settings, context: ServiceContext
    ) throws -> [any Service] {
        let noop = Route(
            "POST", "/noop", .everybody,
            Operation(
                id: "doNothing", summary: "Do nothing.", tag: .app, body: ActivityRoutes.tokenBody,
                answer: .nothing("Nothing was done."), limit: .open)
        ) { _ in .noContent }
        return try services(configuration, settings: settings, context: context, more: [noop])
    }
}
