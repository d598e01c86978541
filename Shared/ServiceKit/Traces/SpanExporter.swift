import HTTPClient
import Logging
import Metrics
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Brings spans to an OTLP collector over HTTP, a batch each second. Nobody waits for it: what a collector that is slow or
/// away does not take is dropped and counted, and at the end it has less than a second.
final class SpanExporter: Service, CustomStringConvertible {
    typealias Send = @Sendable (HTTPClientRequest) async throws -> HTTPClientResponse

    struct Timing: Sendable {
        var interval = Duration.seconds(1)
        /// For one batch.
        var answer = Duration.seconds(3)
        /// For all that is left at the end.
        var end = Duration.milliseconds(700)
    }

    /// Some 300 KB: collectors take 4 MB and more.
    static let batchMax = 512

    private let url: String
    private let resource: OTLPTraces.Resource
    private let timing: Timing
    private let logger: Logger
    private let send: Send
    private let queue: NIOLockedValueBox<SpanQueue>
    private let troubles = OncePer<String>()

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

    /// Never waits.
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

    /// What was done last, by services that have ended before.
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

    /// - Returns: whether the collector took it.
    private func export(_ batch: [Span]) async -> Bool {
        do {
            let answer = try await send(
                HTTPClientRequest(
                    method: "POST", url: url, headers: [("content-type", "application/json")],
                    body: try OTLPTraces.encode(batch, of: resource), timeout: timing.answer))
            guard answer.status == 200 else { throw Refused(status: answer.status) }
        } catch is CancellationError {
            // There is one more try, at the end.
            queue.withLockedValue { $0.putBack(batch) }
            return false
        } catch {
            count(dropped: batch.count, "collector")
            if troubles.isNews("away", for: url) {
                logger.warning(
                    "The collector takes no spans: they are dropped until it does", metadata: ["reason": "\(error)"])
            }
            return false
        }
        Counter(label: "sightscreen_spans_exported_total").increment(by: Int64(batch.count))
        if troubles.clear(url) { logger.notice("The collector takes spans again") }
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
