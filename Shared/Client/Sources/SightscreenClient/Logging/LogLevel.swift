/// The severity of a log event.
public enum LogLevel: Int, Comparable, Hashable, Sendable, CaseIterable {
    /// Details for debugging.
    case debug
    /// A step in the app's life cycle.
    case info
    /// The app recovered, but not for free.
    case warning
    /// A failure that needs attention.
    case error

    public var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The part of the app that logs. An app adds its own with `LogCategory("…")`.
public struct LogCategory: Hashable, Sendable {
    public let name: String

    public init(_ name: StaticString) { self.name = "\(name)" }

    public static let admin = Self("admin")
    public static let auth = Self("auth")
    public static let bootstrap = Self("bootstrap")
    public static let cache = Self("cache")
    public static let config = Self("config")
    public static let images = Self("images")
    public static let liveActivity = Self("liveActivity")
    public static let network = Self("network")
    public static let notifications = Self("notifications")
    public static let schedule = Self("schedule")
}
