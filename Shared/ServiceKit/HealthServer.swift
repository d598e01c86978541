import ControlHTTP
import FoundationEssentials
import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Serves `/health/live`, `/health/ready` and `/metrics` on an address of their own.
struct HealthServer: Service, CustomStringConvertible {
    let host: String
    /// The port to listen on; 0 for any free one.
    let port: Int
    /// Names under which it answers besides its address, `localhost`, the host's own name and names without a dot.
    let names: Set<String>
    let service: String
    let readiness: Readiness
    let metrics: PrometheusRegistry
    /// The file that the address is written to, for programs that look for it; nil writes none.
    let addressFile: String?
    let logger: Logger
    var bounds = HealthChannel.Bounds()
    /// The age of a copy that is still served as `/metrics`.
    var metricsAgeMax = Duration.seconds(1)
    var onRunning: @Sendable (_ port: Int) -> Void = { _ in }

    var description: String { "health server" }

    func run() async throws {
        // Hummingbird's own log lines would repeat ours.
        var quiet = logger
        quiet.logLevel = .critical
        let application = Application(
            responder: router().buildResponder(),
            server: HTTPServerBuilder { [bounds] respond in HealthChannel(responder: respond, bounds: bounds) },
            configuration: .init(address: .hostname(host, port: port)),
            onServerRunning: { channel in report(channel.localAddress?.port ?? port) }, logger: quiet)
        defer { if let addressFile { unlink(addressFile) } }
        do {
            try await application.run()
        } catch let error as any CustomStringConvertible & Error where !Task.isCancelled {
            throw ServingFailure(
                error, host: host, port: port, settings: .init(host: "HEALTH_HOST", port: "HEALTH_PORT"))
        }
    }

    private func report(_ port: Int) {
        if let addressFile {
            do {
                let new = "\(addressFile).new"
                try Data("\(host):\(port)\n".utf8).write(to: URL(filePath: new))
                guard rename(new, addressFile) == 0 else { throw POSIXErrno(code: errno) }
            } catch {
                logger.warning("The health server's address could not be written", metadata: ["error": "\(error)"])
            }
        }
        onRunning(port)
    }

    private func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.add(middleware: PageGuardMiddleware(PageGuard(besides: names, hint: "HEALTH_HOSTS lists further ones")))
        router.get("health/live") { _, _ in Self.json(.ok, Health(status: "live", service: service)) }
        let ready: @Sendable (Request, BasicRequestContext) async throws -> Response = { _, _ in
            let (missing, degraded) = (readiness.missing, readiness.degraded)
            var health = Health(status: degraded.isEmpty ? "ready" : "degraded", service: service)
            if !degraded.isEmpty { health.degraded = degraded }
            guard !missing.isEmpty else { return Self.json(.ok, health) }
            (health.status, health.missing) = ("not ready", missing)
            return Self.json(.serviceUnavailable, health)
        }
        router.get("health/ready", use: ready)
        router.get("health", use: ready)
        let copy = MetricsCopy(ageMax: metricsAgeMax)
        router.get("metrics") { _, _ in
            let text = copy.text { metrics.text() + ProcessMetrics.text(isReady: readiness.isReady) }
            return Response(
                status: .ok, headers: [.contentType: PrometheusText.contentType], body: .init(byteBuffer: text))
        }
        return router
    }

    private struct Health: Encodable {
        var status: String
        var service: String
        var missing: [Readiness.Missing]?
        var degraded: [Readiness.Missing]?
    }

    private static func json(_ status: HTTPResponse.Status, _ health: Health) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings and arrays of them can always be encoded.
        let body = (try? encoder.encode(health)) ?? Data("{}".utf8)
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}

/// An error number of the operating system.
struct POSIXErrno: Error, CustomStringConvertible {
    var code: Int32

    var description: String { String(cString: strerror(code)) }
}
