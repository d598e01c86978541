import HTTP2
import SightscreenModels

/// The port of one environment: asks the simulator, which lives on the same thread.
final class SimulatorGate: HTTP2Responder {
    let simulator: Simulator
    let environment: APNsEnvironment

    init(_ simulator: Simulator, _ environment: APNsEnvironment) {
        self.simulator = simulator
        self.environment = environment
    }

    func decide(on arrival: HTTP2Arrival) -> HTTP2Decision {
        simulator.assumeIsolated { $0.decide(on: arrival, environment) }
    }

    func connectionChanged(_ id: HTTP2ConnectionID, isOpen: Bool) {
        if !isOpen { simulator.assumeIsolated { $0.forget(id, environment) } }
    }
}
