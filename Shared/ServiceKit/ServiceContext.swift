public import Logging

/// The parts that `ServiceMain` gives a service to build itself with.
public struct ServiceContext: Sendable {
    public let logger: Logger
    public let readiness: Readiness
    /// The registry behind `/metrics`; swift-metrics already reports to it.
    public let metrics: PrometheusRegistry
    public let tracer: Tracer
    /// PostgreSQL's time, which `Presence` reads.
    public let clock: ProcessClock
    /// The process's last calls to the systems outside, for its row in `processes`.
    public let calls = LastCalls()
    /// Ends the process at once, as if it were killed, to be started again.
    var restart: @Sendable () -> Void = {}
    /// The secrets among the settings, for the same row.
    var secrets = SecretsRead()
    /// The exporter of the tracer's spans; nil if nothing is exported.
    var exporter: SpanExporter?

    package init(
        logger: Logger, readiness: Readiness, metrics: PrometheusRegistry = PrometheusRegistry(), tracer: Tracer = .off,
        clock: ProcessClock = ProcessClock()
    ) {
        self.logger = logger
        self.readiness = readiness
        self.metrics = metrics
        self.tracer = tracer
        self.clock = clock
    }
}
