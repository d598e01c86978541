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

    /// Hands over the reports of each loop until the task is cancelled: one after the other, but for requests. Of those there are at
    /// most a few for each match, and a statement that one waits for must not cost another match its alert.
    func forEach(_ body: @escaping @Sendable (FanOutReport) async -> Void) async {
        await withDiscardingTaskGroup { group in
            for reports in streams {
                group.addTask {
                    await withDiscardingTaskGroup { requests in
                        for await report in reports {
                            waiting.decrement(by: 1)
                            if report.isRequest { requests.addTask { await body(report) } } else { await body(report) }
                        }
                    }
                }
            }
        }
    }
}
