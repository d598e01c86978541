public import AppleFoundation

public enum SentryLevel: UInt { case none, debug, info, warning, error, fatal }
public final class Breadcrumb {
    public var message: String?
    public var timestamp: Date?
    public init(level: SentryLevel, category: String) {}
}
public final class SentryMessage { public init(formatted: String) {} }
public final class Event {
    public var message: SentryMessage?
    public var tags: [String: String]?
    public var fingerprint: [String]?
    public var timestamp: Date?
    public init(level: SentryLevel) {}
}
public enum SentrySDK {
    public static func addBreadcrumb(_ crumb: Breadcrumb) {}
    public static func capture(event: Event) {}
}
