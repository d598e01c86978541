import FanOut
import Metrics

/// What the loops report, until it is taken up: in the order in which each of them said it.
struct FanOutReports: Sendable {
    private let streams: [AsyncStream<FanOutReport>]
    private let continuations: [AsyncStream<FanOutReport>.Continuation]
    private let waiting = Meter(label: "sightscreen_fanout_reports_waiting")

    init(loops: Int) {
        let pairs = (0..<loops).map { _ in AsyncStream<FanOutReport>.makeStream() }
        streams = pairs.map(\.stream)
        continuations = pairs.map(\.continuation)
        waiting.increment(by: 0)
    }

    /// Called on the thread of the loop.
    func add(_ loop: Int, _ report: FanOutReport) {
        waiting.increment(by: 1)
        continuations[loop].yield(report)
    }

    /// Hands over each report when the one before it of its loop is done with, until the task is cancelled.
    func forEach(_ body: @escaping @Sendable (FanOutReport) async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for reports in streams {
                group.addTask {
                    for await report in reports {
                        waiting.decrement(by: 1)
                        await body(report)
                    }
                }
            }
        }
    }
}
