import FanOut
import Metrics
/// The reports of the loops, buffered in each loop's order until they are handled.
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

    /// Adds a report; called on the loop's thread.
    func add(_ loop: Int, _ report: FanOutReport) {
        waiting.increment(by: 1)
        continuations[loop].yield(report)
    }

    /// Hands over the reports of each loop, one after the other, until the task is cancelled. Requests are handled
    /// beside each other: there are at most a few per match, and a statement that one waits for must not cost another
    /// match its alert.
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
