public import Observation
public import SightscreenModels

/// An `AppConfigService` with results set by its owner, for previews and tests.
@MainActor
@Observable
public final class FakeAppConfigService: AppConfigService {
    public private(set) var config: AppConfig?
    public private(set) var gate = AppGate.open
    public private(set) var isFresh = false
    /// The number of checks so far.
    public private(set) var checks = 0
    @ObservationIgnored private var next: AppGate
    @ObservationIgnored private var refusal: APIError?
    @ObservationIgnored private var isOffline = false

    /// - Parameters:
    ///   - gate: the result of the first check.
    ///   - config: the configuration that the backend last returned.
    public init(_ gate: AppGate = .open, config: AppConfig? = nil) {
        next = gate
        self.config = config
    }

    /// Sets the result of the next checks.
    public func set(_ gate: AppGate) { next = gate }

    /// Sets whether the backend is unreachable. While it is, a check keeps the last result.
    public func setOffline(_ isOffline: Bool) { self.isOffline = isOffline }

    /// Sets the error that `check` throws from now on; nil for none.
    public func refuse(_ error: APIError?) { refusal = error }

    @discardableResult
    public func check() async throws(APIError) -> AppGate {
        checks += 1
        isFresh = refusal == nil && !isOffline
        if let refusal { throw refusal }
        if !isOffline { gate = next }
        return gate
    }
}
