public import Observation
public import SightscreenModels

/// What the backend wants of the app as a whole: its least version, and whether there is maintenance.
@MainActor
public protocol AppConfigService: AnyObject, Observable, Sendable {
    /// What the backend said at last, in this launch or an earlier one; nil when it never did.
    var config: AppConfig? { get }

    /// What followed from the last check; `open` before it.
    var gate: AppGate { get }

    /// Whether the backend itself answered the last check; if not, the last known config counted.
    var isFresh: Bool { get }

    /// Asks the backend, once. If it cannot be asked, what it said at last counts, as `AppGate` says.
    ///
    /// - Throws: when it cannot be asked and has never been.
    @discardableResult
    func check() async throws(APIError) -> AppGate
}
