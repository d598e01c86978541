public import Metrics
import NIOConcurrencyHelpers

/// Collects what services report through swift-metrics and writes it as Prometheus text.
///
/// A name has one type, and label values come from fixed sets. Both are checked: a series of a second type under a
/// name, or beyond `seriesMax` under one name, is not shown, and `sightscreen_metric_series_refused_total` counts it.
public final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The most series under one name. Label values come from fixed sets, so more are a mistake.
    public static let seriesMax = 1000

    /// Histogram bounds for timers, and for names that end in `_seconds`.
    public static let secondsBuckets = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]
    /// Histogram bounds for bytes, rows and other counts.
    public static let countBuckets: [Double] = [
        1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000,
    ]

    struct Family {
        var kind: PrometheusSeries.Kind
        var series: [[PrometheusLabel]: PrometheusSeries] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var help: [String: String] = [:]
        var buckets: [String: [Double]] = [:]
        var refused = 0
    }

    private let state = NIOLockedValueBox(State())

    public init() {}

    /// Describes a metric.
    /// - Parameter help: a sentence about what the metric counts; Prometheus shows it.
    public func describe(_ name: String, help: String) {
        state.withLockedValue { $0.help[PrometheusText.name(name)] = help }
    }

    /// Sets the upper bounds of a histogram. It must be called before the histogram is first used.
    public func setBuckets(_ bounds: [Double], for name: String) {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "buckets rise")
        state.withLockedValue { $0.buckets[PrometheusText.name(name)] = bounds }
    }

    /// Returns the text of `/metrics`: what was refused, then all series by name and labels.
    public func text() -> String {
        let snapshot = state.withLockedValue { $0 }
        var text = """
            # HELP sightscreen_metric_series_refused_total Series that are not shown: too many of a name, or of a second type.
            # TYPE sightscreen_metric_series_refused_total counter
            sightscreen_metric_series_refused_total \(snapshot.refused)

            """
        for (name, family) in snapshot.families.sorted(by: { $0.key < $1.key }) where !family.series.isEmpty {
            PrometheusText.append(name, family, help: snapshot.help[name], to: &text)
        }
        return text
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    public func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        series(label, dimensions, .counter)
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .histogram : .gauge)
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, isTimer: true)
    }

    public func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    public func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    public func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    public func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func series(
        _ label: String, _ dimensions: [(String, String)], _ kind: PrometheusSeries.Kind, isTimer: Bool = false
    ) -> PrometheusSeries {
        let name = PrometheusText.name(label)
        let labels = dimensions.map { PrometheusLabel(name: PrometheusText.name($0.0), value: $0.1) }.sorted()
        return state.withLockedValue { state in
            if let family = state.families[name], family.kind == kind, let known = family.series[labels] {
                return known
            }
            let inSeconds = isTimer || name.hasSuffix("_seconds")
            let bounds = state.buckets[name] ?? (inSeconds ? Self.secondsBuckets : Self.countBuckets)
            let new = PrometheusSeries(name: name, labels: labels, kind: kind, bounds: kind == .histogram ? bounds : [])
            var family = state.families[name] ?? Family(kind: kind)
            guard family.kind == kind, family.series.count < Self.seriesMax else {
                state.refused += 1
                return new
            }
            family.series[labels] = new
            state.families[name] = family
            return new
        }
    }

    private func remove(_ handler: any AnyObject) {
        guard let series = handler as? PrometheusSeries else { return }
        state.withLockedValue { state in
            if state.families[series.name]?.series[series.labels] === series {
                state.families[series.name]?.series[series.labels] = nil
            }
        }
    }
}
