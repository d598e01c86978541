import Reactor

/// Beats for a `FreezeWatch`, on a thread of its own: in a fan-out thousands of tasks wait for those that all share, and
/// none of them has stopped the process.
package actor Heart {
    private static let reactor = Reactor(name: "heart")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { Self.reactor.asUnownedSerialExecutor() }

    private let watch: FreezeWatch
    private let onGap: @Sendable () -> Void
    private var timer: Reactor.TimerID?

    /// - Parameter onGap: something has to be read.
    package init(_ watch: FreezeWatch, onGap: @escaping @Sendable () -> Void) {
        self.watch = watch
        self.onGap = onGap
    }

    /// Until `stop`.
    package func start() {
        if watch.beat() { onGap() }
        timer = Self.reactor.schedule(after: FreezeWatch.interval) { [weak self] in
            self?.assumeIsolated { $0.start() }
        }
    }

    package func stop() {
        if let timer { Self.reactor.cancel(timer) }
        timer = nil
    }
}
