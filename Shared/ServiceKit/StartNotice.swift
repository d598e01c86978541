import Logging
import NIOConcurrencyHelpers

/// Logs that the service has started, with its instance and address. The line is written once the service is built and
/// its health server answers: the system may choose the port, and a service that refuses a setting logs nothing else.
final class StartNotice: Sendable {
    private struct State {
        var isBuilt = false
        var healthAddress: String?
    }

    private let settings: Settings
    private let logger: Logger
    private let state = NIOLockedValueBox(State())

    init(_ settings: Settings, logger: Logger) {
        self.settings = settings
        self.logger = logger
    }

    /// Notes that the service is built. It must be called once.
    func built() { note { $0.isBuilt = true } }

    /// Notes that the health server answers. It must be called once.
    func healthAnswers(at address: String) { note { $0.healthAddress = address } }

    private func note(_ change: (inout State) -> Void) {
        let address = state.withLockedValue { state -> String? in
            change(&state)
            return state.isBuilt ? state.healthAddress : nil
        }
        if let address { say(address) }
    }

    private func say(_ healthAddress: String) {
        logger.info(
            "Started",
            metadata: [
                "instance": "\(settings.instance)", "commit": "\(Suite.commit)",
                "run.directory": "\(settings.runDirectory)",
                "health.address": "\(healthAddress)",
            ])
        if (try? settings.standIns) == true {
            logger.warning("SIGHTSCREEN_STAND_INS=1: http, private hosts and an APNs that is not Apple's are allowed")
        }
    }
}
