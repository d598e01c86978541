import Synchronization

/// Ends a process that was asked to end and does not.
///
/// Only time counts in which the process runs: one that stood still meanwhile would else be ended as soon as it goes on, in the
/// middle of what it still has to hand over.
final class EndWatch: Sendable {
    static let step = Duration.milliseconds(100)

    private let patience: Duration
    private let late: @Sendable () -> Void
    private let waiting = Mutex<Task<Void, Never>?>(nil)

    /// - Parameters:
    ///   - patience: from `begin` on.
    ///   - late: called when `end` was not called until then.
    init(patience: Duration, late: @escaping @Sendable () -> Void) {
        self.patience = patience
        self.late = late
    }

    /// It was asked to end, or nothing but its end is left. Only the first call counts.
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

    /// It has ended.
    func end() { waiting.withLock { $0?.cancel() } }
}
