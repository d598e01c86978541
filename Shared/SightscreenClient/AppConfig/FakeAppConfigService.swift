public import Messages
public import Observation

/// A backend that says what it is told to, for previews and tests.
@MainActor
@Observable
public final class FakeAppConfigService: AppConfigService {
    public private(set) var config: AppConfig?
    public private(set) var gate: AppGate
    /// How often it was asked.
    public private(set) var checks = 0
    @ObservationIgnored private var refusal: APIError?

    public init(_ gate: AppGate = .open, config: AppConfig? = nil) {
        self.gate = gate
        self.config = config
    }

    /// What the next checks find.
    public func set(_ gate: AppGate) { self.gate = gate }

    /// What `check` throws from now on.
    public func refuse(_ error: APIError?) { refusal = error }

    @discardableResult
    public func check() async throws(APIError) -> AppGate {
        checks += 1
        if let refusal { throw refusal }
        return gate
    }
}
