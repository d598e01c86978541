public import SightscreenModels

/// What APNs knows about a token.
public struct RegisteredToken: Codable, Hashable, Sendable {
    /// Lower-case hex.
    public var token: String
    public var kind: PushTokenKind
    public var environment: APNsEnvironment
    /// Milliseconds since 1970; nil while it lives.
    public var deletedAtMs: Int64?

    public init(token: String, kind: PushTokenKind, environment: APNsEnvironment, deletedAtMs: Int64? = nil) {
        self.token = token.lowercased()
        self.kind = kind
        self.environment = environment
        self.deletedAtMs = deletedAtMs
    }
}

extension PushTokenKind {
    /// Whether its topic is the app's own or the one of its Live Activities.
    var isForLiveActivities: Bool { self != .device }
}
