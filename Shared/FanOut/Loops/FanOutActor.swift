import Reactor
import SightscreenModels

/// Runs closures on a loop's thread, for callers on other threads.
actor FanOutActor {
    nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    init(reactor: Reactor) { self.reactor = reactor }

    func run<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
