import HTTPClient
import Logging
import Metrics
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Exports spans to an OTLP collector over HTTP, a batch each second. Services never wait for it: spans that a slow or
/// missing collector does not take are dropped and counted, and at shutdown the last export has less than a second.
final class SpanExporter: Service, CustomStringConvertible {
    typealias Send = @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

    struct Timing: Sendable {
        var interval = Duration.seconds(1)
        /// The longest time for the collector's answer to one batch.
        var answer = Duration.seconds(3)
        /// The time for the last export at shutdown.
        var end = Duration.milliseconds(700)
    }

    /// The most spans in a batch, some 300 KB; collectors take 4 MB and more.
    static let batchMax = 512

    private let url: String
    private let resource: OTLPTraces.Resource
    private let timing: Timing
    private let logger: Logger
    private let send: Send
    private let queue: NIOLockedValueBox<SpanQueue>
    private let problems = OncePer<String>()

    var description: String { "span exporter" }

    init(
        endpoint: ServiceURL, resource: OTLPTraces.Resource, logger: Logger, timing: Timing = Timing(),
        spansMax: Int = SpanQueue.spansMax, send: @escaping Send
    ) {
        url = endpoint.appending("/v1/traces")
        self.resource = resource
        self.timing = timing
        self.logger = logger
        self.send = send
        queue = NIOLockedValueBox(SpanQueue(spansMax: spansMax))
    }

    /// Queues a span; never waits.
    func take(_ span: Span) { queue.withLockedValue { $0.add(span) } }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: self.timing.interval)
                await self.exportAll()
            }
        }
        if !Task.isCancelled { await finish() }
        count(dropped: queue.withLockedValue { $0.take(.max).count }, "collector")
    }

    /// Exports the last spans, of services that have ended before.
    private func finish() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.exportAll() }
            group.addTask { [timing] in try? await Task.sleep(for: timing.end) }
            await group.next()
            group.cancelAll()
        }
    }

    private func exportAll() async {
        count(dropped: queue.withLockedValue { $0.takeDropped() }, "full")
        while !Task.isCancelled {
            let batch = queue.withLockedValue { $0.take(Self.batchMax) }
            guard !batch.isEmpty, await export(batch), batch.count == Self.batchMax else { return }
        }
    }

    /// Exports a batch.
    /// - Returns: whether the collector took it.
    private func export(_ batch: [Span]) async -> Bool {
        do {
            let answer = try await send(
                HTTPClientRequest(
                    method: "POST", url: url, headers: [("content-type", "application/json")],
                    body: try OTLPTraces.encode(batch, of: resource), timeout: timing.answer))
            guard answer.status == 200 else { throw Refused(status: answer.status) }
        } catch is CancellationError {
            // The batch is tried once more at shutdown.
            queue.withLockedValue { $0.putBack(batch) }
            return false
        } catch {
            count(dropped: batch.count, "collector")
            if problems.hasChanged("away", for: url) {
                logger.warning(
                    "The collector takes no spans: they are dropped until it does", metadata: ["reason": "\(error)"])
            }
            return false
        }
        Counter(label: "sightscreen_spans_exported_total").increment(by: Int64(batch.count))
        if problems.clear(url) { logger.notice("The collector takes spans again") }
        return true
    }

    private func count(dropped: Int, _ reason: String) {
        guard dropped > 0 else { return }
        Counter(label: "sightscreen_spans_dropped_total", dimensions: [("reason", reason)])
            .increment(by: Int64(dropped))
    }

    private struct Refused: Error, CustomStringConvertible {
        var status: Int
        var description: String { "it answered \(status)" }
    }
}
