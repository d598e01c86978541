import Logging
import ServiceKit

/// Logs once that a step fails and once that it works again, and at debug level for every failure in between.
struct FailureLog: Sendable {
    private var failing: Set<String> = []

    init() {}

    mutating func failed(_ step: String, _ error: any Error, _ logger: Logger) {
        let level: Logger.Level = failing.insert(step).inserted ? .warning : .debug
        logger.log(
            level: level, "A step of the pass failed; it is tried again at the next",
            metadata: ["step": "\(step)", "error": "\(ErrorChain.describe(error))"])
    }

    mutating func succeeded(_ step: String, _ logger: Logger) {
        if failing.remove(step) != nil { logger.notice("The step works again", metadata: ["step": "\(step)"]) }
    }
}
