package import ServiceKit
package import ServiceLifecycle

extension Gateway {
    /// The API and `POST /noop`, which reads a body as strictly as other calls do and then does nothing: what the benchmark
    /// compares with. It is there for the benchmark's own executable; no service calls this.
    package static func servicesWithNoop(
        _ configuration: GatewayConfiguration, settings: Settings, context: ServiceContext
    ) throws -> [any Service] {
        try services(configuration, settings: settings, context: context, more: [noop])
    }

    private static let noop = Route(
        "POST", "/noop", .everybody,
        Operation(
            id: "noop", summary: "Nothing.", tag: .health,
            body: .init(
                name: "Noop",
                fields: [
                    Schema.required("activityToken", .text(.pushToken)),
                    Schema.optional("deviceId", .text(.identifier)), Schema.optional("activityId", .text(.identifier)),
                ]), answer: .nothing("Nothing was done."), limit: .open)
    ) { _ in .noContent }
}
