public import AppleFoundation

public enum UNAuthorizationStatus: Sendable { case notDetermined, denied, authorized, provisional, ephemeral }
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let alert = Self(rawValue: 1), badge = Self(rawValue: 2), sound = Self(rawValue: 4)
}
public final class UNNotificationSettings { public var authorizationStatus: UNAuthorizationStatus { .denied } }
public final class UNNotificationContent { public var userInfo: [AnyHashable: Any] { [:] } }
public final class UNNotificationRequest { public var content: UNNotificationContent { fatalError() } }
public final class UNNotification { public var request: UNNotificationRequest { fatalError() } }
public final class UNNotificationResponse { public var notification: UNNotification { fatalError() } }
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let banner = Self(rawValue: 1), list = Self(rawValue: 2), sound = Self(rawValue: 4)
}
public protocol UNUserNotificationCenterDelegate: AnyObject {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler done: @escaping (UNNotificationPresentationOptions) -> Void)
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler done: @escaping () -> Void)
}
public final class UNUserNotificationCenter: @unchecked Sendable {
    public class func current() -> UNUserNotificationCenter { fatalError() }
    public weak var delegate: (any UNUserNotificationCenterDelegate)?
    public func notificationSettings() async -> UNNotificationSettings { fatalError() }
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }
}
