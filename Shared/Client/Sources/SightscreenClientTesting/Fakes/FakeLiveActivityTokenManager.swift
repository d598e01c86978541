public import SightscreenClient
public import SightscreenModels

/// A `LiveActivityTokenManager` that records its calls and sends nothing, for tests of code that uses one.
public actor FakeLiveActivityTokenManager: LiveActivityTokenManager {
    public private(set) var observed: [ActivityID] = []
    public private(set) var reports: [DeviceRegistration] = []
    public private(set) var confirmed: [String] = []
    public private(set) var isStarted = false
    private var tokens: [MatchID: UpdateToken] = [:]
    private var handler: @Sendable (TokenEvent) async -> Void = { _ in }

    public init() {}

    /// Sends an event to the handler, as an answer of the backend.
    public func tell(_ event: TokenEvent) async { await handler(event) }

    public func set(_ token: UpdateToken?, for match: MatchID) { tokens[match] = token }

    public func start(_ handler: @escaping @Sendable (TokenEvent) async -> Void) {
        isStarted = true
        self.handler = handler
    }

    public func register(_ report: DeviceRegistration) { if reports.last != report { reports.append(report) } }

    public func registerAgain(_ report: DeviceRegistration) { reports.append(report) }

    public func confirm(_ nonce: String) { confirmed.append(nonce) }

    public func observe(_ activity: PhoneActivity) { observed.append(activity.id) }

    public func forget(_ activity: ActivityID) { observed.removeAll { $0 == activity } }

    public func lastSentToken(for match: MatchID) -> UpdateToken? { tokens[match] }

    public func isReported(_ activity: ActivityID) -> Bool { observed.contains(activity) }

    public func retryNow() {}

    public func allSent() {}

    public func stop() {
        isStarted = false
        observed = []
    }
}
