public import Logging

/// What a service gets from `ServiceMain` to build itself with.
public struct ServiceContext: Sendable {
    public let logger: Logger
    public let readiness: Readiness
    /// What `/metrics` shows; `Metrics` is already set up with it.
    public let metrics: PrometheusRegistry
    public let tracer: Tracer
    /// Of the tracer's spans; nil: nothing is exported.
    var exporter: SpanExporter?

    public init(
        logger: Logger, readiness: Readiness, metrics: PrometheusRegistry = PrometheusRegistry(), tracer: Tracer = .off
    ) {
        self.logger = logger
        self.readiness = readiness
        self.metrics = metrics
        self.tracer = tracer
    }
}
