/// An APNs token in lower-case hex. Its description is the first six digits, which tell two tokens apart and are
/// useless to a thief.
public protocol PushToken: StringIdentifier {}

extension PushToken {
    public var description: String { "\(rawValue.prefix(6))…" }
}

/// A token to update or end one activity.
public struct UpdateToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// A token to start activities of one attributes type on one phone.
public struct PushToStartToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// A token to send ordinary notifications to the app.
public struct DeviceToken: PushToken {
    public let rawValue: String
    public init(_ rawValue: String) { self.rawValue = rawValue.lowercased() }
}

/// The purpose of a push token.
public enum PushTokenKind: String, Codable, Sendable, CaseIterable {
    /// The token starts activities.
    case start
    /// The token updates and ends one activity.
    case update
    /// The token delivers notifications to the app.
    case device
}
