/// What APNs knows about a token.
public struct RegisteredToken: Codable, Hashable, Sendable {
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// Starts activities.
        case start
        /// Updates and ends one activity.
        case update
        /// Reaches the app.
        case device

        /// Whether its topic is the app's own or the one of its Live Activities.
        var isForLiveActivities: Bool { self != .device }
    }

    /// Lower-case hex.
    public var token: String
    public var kind: Kind
    public var environment: APNsEnvironment
    /// Milliseconds since 1970; nil while it lives.
    public var deletedAtMs: Int64?

    public init(token: String, kind: Kind, environment: APNsEnvironment, deletedAtMs: Int64? = nil) {
        self.token = token.lowercased()
        self.kind = kind
        self.environment = environment
        self.deletedAtMs = deletedAtMs
    }
}
