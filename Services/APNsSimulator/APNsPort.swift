import SightscreenModels

/// One of the four ports at which the simulator plays APNs.
struct APNsPort: Hashable, Sendable {
    enum Purpose: Sendable {
        /// Pushes to devices and publishes to channels.
        case pushes
        /// Making, reading and deleting channels.
        case management
    }

    var purpose: Purpose
    var environment: APNsEnvironment

    init(_ purpose: Purpose, _ environment: APNsEnvironment) {
        self.purpose = purpose
        self.environment = environment
    }
}
