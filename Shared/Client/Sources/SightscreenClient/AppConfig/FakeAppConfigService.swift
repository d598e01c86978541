public import Observation
public import SightscreenModels

/// A backend that says what it is told to, for previews and tests.
@MainActor
@Observable
public final class FakeAppConfigService: AppConfigService {
    public private(set) var config: AppConfig?
    public private(set) var gate = AppGate.open
    public private(set) var isFresh = false
    /// How often it was asked.
    public private(set) var checks = 0
    @ObservationIgnored private var next: AppGate
    @ObservationIgnored private var refusal: APIError?
    @ObservationIgnored private var isOffline = false

    /// - Parameters:
    ///   - gate: what the first check finds.
    ///   - config: what the backend said at last.
    public init(_ gate: AppGate = .open, config: AppConfig? = nil) {
        next = gate
        self.config = config
    }

    /// What the next checks find.
    public func set(_ gate: AppGate) { next = gate }

    /// The backend cannot be asked: what it said at last counts.
    public func setOffline(_ isOffline: Bool) { self.isOffline = isOffline }

    /// What `check` throws from now on.
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
