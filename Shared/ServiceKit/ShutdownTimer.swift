import Synchronization
/// Ends the process if its services take too long to stop.
///
/// Only time in which the process runs counts: a process that stalled would otherwise be ended as soon as it runs
/// again, in the middle of what it still has to finish.
final class ShutdownTimer: Sendable {
    static let step = Duration.milliseconds(100)

    private let patience: Duration
    private let late: @Sendable () -> Void
    private let waiting = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - patience: the time from `begin`.
    ///   - late: called if `end` was not called within that time.
    init(patience: Duration, late: @escaping @Sendable () -> Void) {
        self.patience = patience
        self.late = late
    }

    /// Starts the timer, when the process was asked to end or only has to end. Only the first call counts.
    func begin() {
        waiting.withLock { task in
            guard task == nil else { return }
            task = Task.detached { [patience, late] in
                for _ in 0..<Int(patience / Self.step) {
                    do { try await Task.sleep(for: Self.step) } catch { return }
                }
                late()
            }
        }
    }

    /// Stops the timer, because the services have ended.
    func end() { waiting.withLock { $0?.cancel() } }
}
