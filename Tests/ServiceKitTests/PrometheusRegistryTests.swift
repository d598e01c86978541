import Metrics
import ServiceKit
import Testing

@Suite struct PrometheusRegistryTests {
    @Test func writesThePrometheusTextFormat() {
        let registry = PrometheusRegistry()
        registry.describe("sightscreen_pushes_total", help: "Pushes by what became\nof them.")
        registry.setBuckets([0.1, 1], for: "sightscreen_ball_to_push_seconds")
        Counter(label: "sightscreen_pushes_total", dimensions: [("outcome", "sent")], factory: registry).increment(
            by: 3)
        Counter(label: "sightscreen_pushes_total", dimensions: [("outcome", "a\"b\\c\nd")], factory: registry)
            .increment()
        Counter(label: "sightscreen_pushes_total", dimensions: [("outcome", "sent")], factory: registry).increment()
        Gauge(label: "sightscreen.matches", factory: registry).record(2.5)
        let meter = Meter(label: "sightscreen_leases", factory: registry)
        meter.set(4)
        meter.decrement(by: 1)
        let timer = Timer(label: "sightscreen_ball_to_push_seconds", factory: registry)
        timer.recordMilliseconds(50)
        timer.recordMilliseconds(100)
        timer.recordSeconds(0.5)
        timer.recordSeconds(20)
        #expect(
            Self.series(of: registry) == #"""
                # TYPE sightscreen_ball_to_push_seconds histogram
                sightscreen_ball_to_push_seconds_bucket{le="0.1"} 2
                sightscreen_ball_to_push_seconds_bucket{le="1"} 3
                sightscreen_ball_to_push_seconds_bucket{le="+Inf"} 4
                sightscreen_ball_to_push_seconds_sum 20.65
                sightscreen_ball_to_push_seconds_count 4
                # TYPE sightscreen_leases gauge
                sightscreen_leases 3
                # TYPE sightscreen_matches gauge
                sightscreen_matches 2.5
                # HELP sightscreen_pushes_total Pushes by what became\nof them.
                # TYPE sightscreen_pushes_total counter
                sightscreen_pushes_total{outcome="a\"b\\c\nd"} 1
                sightscreen_pushes_total{outcome="sent"} 4

                """#)
    }

    /// Without the first three lines, which are always there.
    private static func series(of registry: PrometheusRegistry) -> String {
        registry.text().split(separator: "\n", omittingEmptySubsequences: false).dropFirst(3).joined(separator: "\n")
    }

    @Test func refusesMoreSeriesThanAFixedSetOfLabelsHas() {
        let registry = PrometheusRegistry()
        for number in 0..<(PrometheusRegistry.seriesMax + 5) {
            Counter(label: "x_total", dimensions: [("id", "\(number)")], factory: registry).increment()
        }
        let lines = registry.text().split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("x_total{") } == PrometheusRegistry.seriesMax)
        #expect(lines.contains("sightscreen_metric_series_refused_total 5"))
    }

    @Test func forgetsWhatIsDestroyed() {
        let registry = PrometheusRegistry()
        let counter = Counter(label: "x_total", factory: registry)
        counter.increment()
        counter.destroy()
        #expect(Self.series(of: registry) == "")
    }

    @Test func countsFromManyTasks() async {
        let registry = PrometheusRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = Counter(label: "x_total", factory: registry)
                    for _ in 0..<1000 { counter.increment() }
                }
            }
        }
        #expect(registry.text().hasSuffix("x_total 8000\n"))
    }
}
