import SightscreenModels

/// The facts that APNs knows about a token.
struct RegisteredToken: Codable, Hashable, Sendable {
    /// The token in lower-case hexadecimal digits.
    var token: String
    var kind: PushTokenKind
    var environment: APNsEnvironment
    /// When the token was deleted, in milliseconds since 1970; nil while it is valid.
    var deletedAtMs: Int64?
    /// The bundle id of the app that the token is of; nil: the simulator's own.
    var bundle: String?

    init(
        token: String, kind: PushTokenKind, environment: APNsEnvironment, deletedAtMs: Int64? = nil,
        bundle: String? = nil
    ) {
        self.token = token.lowercased()
        self.kind = kind
        self.environment = environment
        self.deletedAtMs = deletedAtMs
        self.bundle = bundle
    }
}

extension PushTokenKind {
    /// Whether the token's topic is that of the app's Live Activities, not the app's own.
    var isForLiveActivities: Bool { self != .device }
}
