/// An APNs token in lower-case hex. It prints as its first six digits, which tell two apart and are of no use to a thief.
public protocol PushToken: StringIdentifier {}

extension PushToken {
    public var description: String { "\(rawValue.prefix(6))…" }
}

/// Updates or ends one activity.
public struct UpdateToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// Starts activities of one attributes type on one phone.
public struct PushToStartToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// Reaches the app itself with ordinary notifications.
public struct DeviceToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// What a push token is for.
public enum PushTokenKind: String, Codable, Sendable, CaseIterable {
    /// Starts activities.
    case start
    /// Updates and ends one activity.
    case update
    /// Reaches the app.
    case device
}
