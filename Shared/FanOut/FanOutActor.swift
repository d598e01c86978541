import Reactor
import SightscreenModels

/// The way to a loop from other threads.
actor FanOutActor {
    nonisolated let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }

    init(reactor: Reactor) { self.reactor = reactor }

    func run<Result: Sendable>(_ body: @Sendable () -> Result) -> Result { body() }
}
