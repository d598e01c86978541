import Metrics
import NIOConcurrencyHelpers

struct PrometheusLabel: Hashable, Comparable, Sendable {
    var name: String
    var value: String

    static func < (a: Self, b: Self) -> Bool { (a.name, a.value) < (b.name, b.value) }
}

/// The numbers of one name and one set of labels; it is the handler for every kind of swift-metrics.
final class PrometheusSeries: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    struct Numbers: Sendable {
        /// The value of the counter or the gauge, or the histogram's sum.
        var value = 0.0
        /// The count within each bound, not cumulative; the last one is of values above all bounds.
        var buckets: [UInt64] = []
        var count: UInt64 { buckets.reduce(0, +) }
    }

    let name: String
    let labels: [PrometheusLabel]
    let kind: Kind
    /// The histogram's upper bounds, rising; empty for other kinds.
    let bounds: [Double]
    private let numbers: NIOLockedValueBox<Numbers>

    init(name: String, labels: [PrometheusLabel], kind: Kind, bounds: [Double]) {
        self.name = name
        self.labels = labels
        self.kind = kind
        self.bounds = bounds
        numbers = NIOLockedValueBox(
            Numbers(buckets: kind == .histogram ? Array(repeating: 0, count: bounds.count + 1) : []))
    }

    var current: Numbers { numbers.withLockedValue { $0 } }

    private func observe(_ value: Double) {
        guard !value.isNaN else { return }
        numbers.withLockedValue { numbers in
            guard kind == .histogram else {
                numbers.value = value
                return
            }
            numbers.buckets[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
            numbers.value += value
        }
    }
}

extension PrometheusSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    func increment(by amount: Int64) { increment(by: Double(amount)) }

    func increment(by amount: Double) {
        guard !amount.isNaN, kind != .counter || amount >= 0 else { return }
        numbers.withLockedValue { $0.value += amount }
    }

    func decrement(by amount: Double) { increment(by: -amount) }
    func reset() { numbers.withLockedValue { $0.value = 0 } }
    func set(_ value: Int64) { observe(Double(value)) }
    func set(_ value: Double) { observe(value) }
    func record(_ value: Int64) { observe(Double(value)) }
    func record(_ value: Double) { observe(value) }
    func recordNanoseconds(_ duration: Int64) { observe(Double(duration) / 1e9) }
}
