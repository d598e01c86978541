import FoundationEssentials
import Glibc
import Logging
import Metrics
public import ServiceLifecycle
import UnixSignals

/// The `main` of every executable: settings, logs, metrics, health, signals and exit status in one place.
///
/// | exit status | when |
/// |---|---|
/// | 0 | after SIGTERM or SIGINT, within 5 s; `--help`, `--version` |
/// | 1 | a part failed or ended unasked (one line names it and its causes), the database went back, or the process could not end when asked |
/// | 78 | a setting is missing or malformed: one line names it |
public enum ServiceMain {
    /// The time after which a stopping service is cancelled; after `endingMax` in all, the process ends in any case.
    /// Both are below the 5 s after which a supervisor kills it.
    static let drainingMax = Duration.milliseconds(4000)
    static let endingMax = Duration.milliseconds(4700)

    /// Runs a service and never returns.
    /// - Parameter build: reads all settings and makes the service's parts, in the order in which they depend on each
    ///   other (they end in reverse). It should not wait for other systems: that belongs into a part's `run()`, where
    ///   readiness can report it. The health server is already running.
    public static func run(
        _ description: ServiceDescription,
        _ build: @escaping @Sendable (Settings, ServiceContext) async throws -> [any Service]
    ) async -> Never {
        signal(SIGPIPE, SIG_IGN)
        let settings = readSettings(description)
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        for (name, help) in MetricHelp.all { metrics.describe(name, help: help) }
        let dropped = Counter(label: "sightscreen_log_lines_dropped_total")
        let writer = LogWriter(descriptor: STDERR_FILENO) { dropped.increment(by: $0) }
        LoggingSystem.bootstrap(
            { label, provider in
                ServiceLogHandler(
                    label: label, level: settings.logLevel, format: settings.logFormat, metadataProvider: provider,
                    write: { writer.write($0) })
            }, metadataProvider: nil)
        let logger = Logger(label: description.name)
        let exporter = settings.traces.exporter(instance: settings.instance, logger: logger)
        var context = ServiceContext(
            logger: logger, readiness: Readiness(), metrics: metrics, tracer: settings.traces.tracer(exporter))
        context.exporter = exporter
        context.secrets = settings.secrets
        context.restart = { end(1, writer) }
        do {
            try await run(
                settings, context, signals: [.sigterm, .sigint],
                onLate: {
                    logger.critical("The service does not end; the process ends without waiting for it any longer")
                    end(1, writer)
                }, build)
            logger.info("Stopped")
            end(0, writer)
        } catch let error as ConfigurationError {
            refuse(description, error, writer)
        } catch {
            logger.critical("The service failed", metadata: ["error": "\(ErrorChain.describe(error))"])
            end(1, writer)
        }
    }

    /// Runs the service without ending the process; settings are read, logs and metrics are set up. It returns after a
    /// graceful stop.
    static func run(
        _ settings: Settings, _ context: ServiceContext, signals: [UnixSignal],
        onHealth: @escaping @Sendable (_ port: Int) -> Void = { _ in }, onLate: @escaping @Sendable () -> Void = {},
        _ build: @escaping @Sendable (Settings, ServiceContext) async throws -> [any Service]
    ) async throws {
        let name = settings.service.name
        let folder = try RunDirectory.prepare(settings.runDirectory, service: name)
        let lock = try InstanceLock.take(settings.instance, in: folder)
        defer { lock.remove() }
        context.readiness.set("start", false, reason: "starting")
        let started = StartNotice(settings, logger: context.logger)
        let health = HealthServer(
            host: settings.health.host, port: settings.health.port, names: Set(settings.health.names), service: name,
            readiness: context.readiness, metrics: context.metrics,
            addressFile: InstanceLock.healthFile(of: settings.instance, in: folder),
            logger: context.logger,
            onRunning: { port in
                started.healthAnswers(at: "\(settings.health.host):\(port)")
                onHealth(port)
            })
        // The group's own log lines would repeat ours.
        var quiet = context.logger
        quiet.logLevel = .critical
        let timer = ShutdownTimer(patience: endingMax, late: onLate)
        defer { timer.end() }
        // The exporter ends after the services, so that it can export their last spans.
        var supports = [NamedService(health)]
        if let exporter = context.exporter { supports.append(NamedService(exporter)) }
        var configuration = ServiceGroupConfiguration(
            services: supports.map { .init(service: $0, failureTerminationBehavior: .gracefullyShutdownGroup) } + [
                .init(
                    service: BuiltServices(
                        settings: settings, context: context, quiet: quiet, timer: timer, started: started,
                        build: build),
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup)
            ],
            gracefulShutdownSignals: signals, logger: quiet)
        configuration.maximumGracefulShutdownDuration = drainingMax
        try await ServiceGroup(configuration: configuration).run()
    }

    private static func readSettings(_ description: ServiceDescription) -> Settings {
        do {
            let flags = try CommandLineFlags(Array(CommandLine.arguments.dropFirst()), service: description)
            if flags.wantsHelp {
                print(description.help, terminator: "")
                exit(0)
            }
            if flags.wantsVersion {
                print("\(description.name) \(Suite.version)")
                exit(0)
            }
            if flags.wantsSettings {
                print(try description.settingsAsJSON())
                exit(0)
            }
            return try Settings(environment: ProcessInfo.processInfo.environment, flags: flags, service: description)
        } catch let error as ConfigurationError {
            refuse(description, error, nil)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    private static func refuse(_ description: ServiceDescription, _ error: ConfigurationError, _ writer: LogWriter?)
        -> Never
    {
        let writer = writer ?? LogWriter(descriptor: STDERR_FILENO)
        writer.write("\(description.name): \(error)")
        // This line is all that the operator gets; a busy machine may take a while to start the writer's thread.
        writer.flush(seconds: 2)
        exit(ConfigurationError.exitStatus)
    }

    private static func end(_ status: Int32, _ writer: LogWriter) -> Never {
        writer.flush(seconds: 0.2)
        exit(status)
    }
}
