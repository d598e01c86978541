import Logging
import NIOConcurrencyHelpers

/// The line that says that a service has started, as whom and where. It is written when the service is built and its health
/// server answers, whichever comes last: the port may be of the system's choosing, and a service that refuses a setting
/// says nothing else.
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

    /// To be called once.
    func built() { note { $0.isBuilt = true } }

    /// To be called once.
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
                "instance": "\(settings.instance)", "run.directory": "\(settings.runDirectory)",
                "health.address": "\(healthAddress)",
            ])
        if (try? settings.standIns) == true {
            logger.warning("SIGHTSCREEN_STAND_INS=1: http, private hosts and an APNs that is not Apple's are allowed")
        }
    }
}
