public import Observation
public import SightscreenModels

/// The backend's requirements for the app as a whole: the lowest version, and maintenance.
@MainActor
public protocol AppConfigService: AnyObject, Observable, Sendable {
    /// The configuration that the backend last returned, in this launch or an earlier one; nil when it never did.
    var config: AppConfig? { get }

    /// The result of the last check; `open` before the first.
    var gate: AppGate { get }

    /// Whether the backend itself answered the last check. If not, the last known configuration was used.
    var isFresh: Bool { get }

    /// Asks the backend once. If it does not answer, the last known configuration is used, as `AppGate` says.
    ///
    /// - Throws: an error when the backend does not answer and no configuration is known.
    @discardableResult
    func check() async throws(APIError) -> AppGate
}
