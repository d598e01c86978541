import FanOut
import SightscreenModels
import Store
import Synchronization

/// Decides when the tables are read, and what of them: everything twice a second, and in between what notifications
/// name.
final class Schedule: Sendable {
    /// The parts of the tables that are to be read.
    struct Reading: Sendable {
        /// A full pass.
        var isFull = false
        /// Rows of `live_activities` changed: these are read, and the starts and ends that became due are sent.
        var activities = false
        /// Matches that have versions not known here.
        var matches: Set<MatchID> = []
    }

    /// The pause between two readings. When a match goes live, thousands of notifications a second say that activities
    /// changed; one reading serves all that came meanwhile.
    private static let pause = Duration.milliseconds(20)

    private let interval: Duration
    private let asked = Mutex(Reading())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(interval: Duration) {
        self.interval = interval
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Asks for a full reading.
    func readAll() { note { $0.isFull = true } }

    func readActivities() { note { $0.activities = true } }

    func read(_ match: MatchID) { note { $0.matches.insert(match) } }

    private func note(_ change: (inout Reading) -> Void) {
        asked.withLock { change(&$0) }
        signal.yield()
    }

    /// Calls `pass` whenever something is to be read, with everything that was asked for since the last call, until the
    /// task is cancelled.
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

    /// Asks for a full reading at each interval, until the task is cancelled.
    func tick(_ before: () async -> Void) async {
        while !Task.isCancelled {
            readAll()
            await before()
            try? await Task.sleep(for: interval)
        }
    }
}
