import FanOut
import SightscreenModels
import Store
import Synchronization

/// Says when the tables are to be read, and what of them: twice a second all, and between that what a notification names.
final class Schedule: Sendable {
    /// What is to be read.
    struct Reading: Sendable {
        /// All that a pass does.
        var isFull = false
        /// Rows of `live_activities` changed: these, and the starts and ends that are due by them.
        var activities = false
        /// Matches with versions that are not known here.
        var matches: Set<MatchID> = []
    }

    /// When a match goes live, thousands a second say that activities changed: one reading is for all who said so meanwhile.
    private static let pause = Duration.milliseconds(20)

    private let interval: Duration
    private let asked = Mutex(Reading())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(interval: Duration) {
        self.interval = interval
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Everything is to be read.
    func readAll() { note { $0.isFull = true } }

    func readActivities() { note { $0.activities = true } }

    func read(_ match: MatchID) { note { $0.matches.insert(match) } }

    private func note(_ change: (inout Reading) -> Void) {
        asked.withLock { change(&$0) }
        signal.yield()
    }

    /// Calls `pass` whenever something is to be read, with all that was asked for since the last time, until the task is cancelled.
    func run(_ pass: (Reading) async -> Void) async {
        await withTaskCancellationHandler {
            for await _ in signals {
                if Task.isCancelled { break }
                await pass(
                    asked.withLock { asked in
                        defer { asked = Reading() }
                        return asked
                    })
                try? await Task.sleep(for: Self.pause)
            }
        } onCancel: {
            signal.finish()
        }
    }

    /// Asks for everything again and again, until the task is cancelled.
    func tick(_ before: () async -> Void) async {
        while !Task.isCancelled {
            readAll()
            await before()
            try? await Task.sleep(for: interval)
        }
    }
}
