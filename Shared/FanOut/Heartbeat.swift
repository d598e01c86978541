import Reactor

/// Beats for a `StallDetector` on a thread of its own. During a fan-out thousands of tasks wait for the threads that
/// all tasks share, which is no stall of the process.
package actor Heartbeat {
    private static let reactor = Reactor(name: "heartbeat")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.reactor.asUnownedSerialExecutor() }

    private let detector: StallDetector
    private let onGap: @Sendable () -> Void
    private var timer: Reactor.TimerID?

    /// - Parameter onGap: called after a stall, when everything has to be read anew.
    package init(_ detector: StallDetector, onGap: @escaping @Sendable () -> Void) {
        self.detector = detector
        self.onGap = onGap
    }

    /// Beats every `StallDetector.interval` until `stop`.
    package func start() {
        if detector.beat() { onGap() }
        timer = Self.reactor.schedule(after: StallDetector.interval) { [weak self] in
            self?.assumeIsolated { $0.start() }
        }
    }

    package func stop() {
        if let timer { Self.reactor.cancel(timer) }
        timer = nil
    }
}
