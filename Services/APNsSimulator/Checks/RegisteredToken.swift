import SightscreenModels

/// The facts that APNs knows about a token.
struct RegisteredToken: Codable, Hashable, Sendable {
    /// The token in lower-case hexadecimal digits.
    var token: String
    var kind: PushTokenKind
    var environment: APNsEnvironment
    /// When the token was deleted, in milliseconds since 1970; nil while it is valid.
    var deletedAtMs: Int64?

    init(token: String, kind: PushTokenKind, environment: APNsEnvironment, deletedAtMs: Int64? = nil) {
        self.token = token.lowercased()
        self.kind = kind
        self.environment = environment
        self.deletedAtMs = deletedAtMs
    }
}

extension PushTokenKind {
    /// Whether the token's topic is that of the app's Live Activities, not the app's own.
    var isForLiveActivities: Bool { self != .device }
}
