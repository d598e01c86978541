import HTTP2

/// One APNs port: asks the simulator, which lives on the same thread.
final class SimulatorGate: HTTP2Responder {
    let simulator: Simulator
    let port: APNsPort

    init(_ simulator: Simulator, _ port: APNsPort) {
        self.simulator = simulator
        self.port = port
    }

    func decide(on arrival: HTTP2Arrival) -> HTTP2Decision {
        simulator.assumeIsolated { simulator in
            switch port.purpose {
            case .pushes: simulator.decide(on: arrival, port.environment)
            case .management: simulator.decideOnManagement(arrival, port.environment)
            }
        }
    }

    func connectionChanged(_ id: HTTP2ConnectionID, isOpen: Bool) {
        if !isOpen { simulator.assumeIsolated { $0.forget(id, port) } }
    }
}
