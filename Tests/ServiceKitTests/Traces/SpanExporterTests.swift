import HTTPClient
import Logging
import Metrics
import ServiceLifecycle
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

@Suite struct SpanExporterTests {
    private struct Away: Error {}

    /// A collector that does as it is told.
    private final class Collector: Sendable {
        enum Behaviour { case takes, refuses, hangs }

        let behaviour = Mutex(Behaviour.takes)
        let requests = Mutex<[HTTPClientRequest]>([])

        func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
            requests.withLock { $0.append(request) }
            switch behaviour.withLock({ $0 }) {
            case .takes: return HTTPClientResponse(status: 200, headers: [], body: Array("{}".utf8))
            case .refuses: throw Away()
            case .hangs:
                try await Task.sleep(for: .seconds(600))
                throw Away()
            }
        }

        var bodies: [String] { requests.withLock { $0.map { String(decoding: $0.body ?? [], as: UTF8.self) } } }
        func has(_ span: String) -> Bool { bodies.contains { $0.contains("\"name\":\"\(span)\"") } }
    }

    /// Runs an exporter as a service does, ends it gracefully, and gives what `/metrics` shows.
    /// - Parameter end: longer than a busy machine keeps a collector waiting that answers.
    private func run(
        _ collector: Collector, spansMax: Int = 100, end: Duration = .seconds(30), log: LogLines = LogLines(),
        _ body: @escaping @Sendable (SpanExporter) async throws -> Void
    ) async throws -> String {
        let registry = PrometheusRegistry()
        try await withMetricsFactory(registry) {
            let exporter = SpanExporter(
                endpoint: try ServiceURL("http://127.0.0.1:4318/", standIns: true),
                resource: .init(service: "bus", instance: "a"), logger: log.logger,
                timing: .init(interval: .milliseconds(10), answer: .seconds(60), end: end),
                spansMax: spansMax
            ) { try await collector.send($0) }
            let group = ServiceGroup(
                configuration: .init(services: [.init(service: exporter)], logger: LogLines().logger))
            let running = Task { try await group.run() }
            try await body(exporter)
            await group.triggerGracefulShutdown()
            try await running.value
        }
        return registry.text()
    }

    private func span(_ name: String) -> Span {
        Span(name: name, kind: .internal, context: TraceContext(), parentID: nil, begunAt: Span.now)
    }

    @Test func postsBatchesToTheTracesPath() async throws {
        let collector = Collector()
        let metrics = try await run(collector) { exporter in
            exporter.take(span("one"))
            exporter.take(span("two"))
            try await eventually("both are there") { collector.has("one") && collector.has("two") }
        }
        let request = try #require(collector.requests.withLock { $0.first })
        #expect(request.url == "http://127.0.0.1:4318/v1/traces")
        #expect(request.method == "POST")
        #expect(request.headers.map(\.0) == ["content-type"] && request.headers[0].1 == "application/json")
        #expect(metrics.contains("sightscreen_spans_exported_total 2"), "\(metrics)")
        #expect(!metrics.contains("sightscreen_spans_dropped_total"))
    }

    @Test func aCollectorThatIsAwayCostsTheSpansAndOneLine() async throws {
        let collector = Collector()
        let log = LogLines()
        collector.behaviour.withLock { $0 = .refuses }
        let metrics = try await run(collector, log: log) { exporter in
            exporter.take(span("lost"))
            try await eventually("it was tried") { collector.has("lost") }
            exporter.take(span("lost too"))
            try await eventually("that, too") { collector.has("lost too") }
            collector.behaviour.withLock { $0 = .takes }
            exporter.take(span("taken"))
            try await eventually("it goes on") { collector.has("taken") }
        }
        #expect(metrics.contains(#"sightscreen_spans_dropped_total{reason="collector"} 2"#), "\(metrics)")
        #expect(metrics.contains("sightscreen_spans_exported_total 1"), "\(metrics)")
        #expect(log.count("takes no spans") == 1)
        #expect(log.count("takes spans again") == 1)
    }

    @Test func whoTakesASpanNeverWaitsForACollectorThatHangs() async throws {
        let collector = Collector()
        collector.behaviour.withLock { $0 = .hangs }
        let metrics = try await run(collector, spansMax: 3, end: .milliseconds(50)) { exporter in
            exporter.take(span("hangs"))
            try await eventually("it is on its way") { collector.has("hangs") }
            for number in 0..<5 { exporter.take(span("\(number)")) }
        }
        // The first comes back when the exporter is asked to stop and takes the place of another; the end waits for
        // none.
        #expect(metrics.contains(#"sightscreen_spans_dropped_total{reason="full"} 3"#), "\(metrics)")
        #expect(metrics.contains(#"sightscreen_spans_dropped_total{reason="collector"} 3"#), "\(metrics)")
        #expect(!metrics.contains("sightscreen_spans_exported_total"))
    }

    @Test func exportsAtTheEndWhatWasDoneLast() async throws {
        let collector = Collector()
        let metrics = try await run(collector) { exporter in
            for number in 0..<3 { exporter.take(span("\(number)")) }
        }
        #expect((0..<3).allSatisfy { collector.has("\($0)") })
        #expect(metrics.contains("sightscreen_spans_exported_total 3"), "\(metrics)")
    }
}
