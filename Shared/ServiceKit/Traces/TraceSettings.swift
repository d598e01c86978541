import HTTPClient
import Logging

/// The settings for exporting spans.
struct TraceSettings: Sendable {
    /// The collector's address; nil exports nothing.
    var endpoint: ServiceURL?
    /// The `service.name` of spans.
    var service: String
    /// The part of traces that is exported; see `TraceSampling`.
    var ratio: Double

    /// Returns the exporter; nil if nothing is exported.
    func exporter(instance: String, logger: Logger) -> SpanExporter? {
        guard let endpoint else { return nil }
        let http = HTTPClient(configuration: .init(connectTimeout: .seconds(1), allowHTTP: endpoint.scheme == "http"))
        return SpanExporter(
            endpoint: endpoint, resource: .init(service: service, instance: instance), logger: logger
        ) { try await http.send($0) }
    }

    func tracer(_ exporter: SpanExporter?) -> Tracer {
        guard let exporter else { return .off }
        return Tracer(ratio: ratio) { exporter.take($0) }
    }

    /// The settings for traces, which every service has.
    static let settings = [
        Setting(
            "OTEL_EXPORTER_OTLP_ENDPOINT", default: "",
            help: "An OTLP collector, like http://localhost:4318; spans go to its /v1/traces as JSON. None: no spans."),
        Setting(
            "OTEL_SERVICE_NAME", default: "the executable's name", help: "The service.name of spans."),
        Setting(
            "TRACE_SAMPLE_RATIO", default: "1",
            help: "Of the traces, how many are exported: 0 to 1, the same for all processes."),
    ]
}

extension RawSettings {
    func traces() throws(ConfigurationError) -> TraceSettings {
        TraceSettings(endpoint: try collector(), service: try serviceName(), ratio: try ratio())
    }

    /// Reads the collector's address. Collectors run beside the service, on http and private hosts. Unlike other
    /// addresses this one may be private without stand-ins, because nothing secret is sent there and its answers are
    /// not used.
    private func collector() throws(ConfigurationError) -> ServiceURL? {
        let name = "OTEL_EXPORTER_OTLP_ENDPOINT"
        guard let text = try string(name) else { return nil }
        do { return try ServiceURL(text, standIns: true) } catch {
            throw ConfigurationError(setting: name, problem: error.text)
        }
    }

    private func serviceName() throws(ConfigurationError) -> String {
        let name = "OTEL_SERVICE_NAME"
        guard let text = try string(name) else { return service.name }
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConfigurationError(setting: name, problem: "\"\(text)\" is not 1 to 64 visible characters")
        }
        return text
    }

    private func ratio() throws(ConfigurationError) -> Double {
        let name = "TRACE_SAMPLE_RATIO"
        let text = try value(name)
        guard let ratio = Double(text), (0...1).contains(ratio) else {
            throw ConfigurationError(setting: name, problem: "\"\(text)\" is not a number from 0 to 1")
        }
        return ratio
    }
}
