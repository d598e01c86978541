public import AppleFoundation

public enum UIUserInterfaceIdiom: Sendable { case phone, pad }
@MainActor open class UIResponder: NSObject {}
@MainActor public final class UIDevice {
    public static let current = UIDevice()
    public var identifierForVendor: UUID?
    public var systemVersion = ""
    public var userInterfaceIdiom = UIUserInterfaceIdiom.phone
}
@MainActor public final class UIApplication: UIResponder {
    public struct LaunchOptionsKey: Hashable, Sendable {}
    public static let shared = UIApplication()
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name("")
    public func registerForRemoteNotifications() {}
    public func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)?
    ) -> UIBackgroundTaskIdentifier { .invalid }
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    public func unregisterForRemoteNotifications() {}
}
public struct UIBackgroundTaskIdentifier: Hashable, Sendable, RawRepresentable {
    public static let invalid = Self(rawValue: 0)
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
}
public enum UIBackgroundFetchResult: Sendable { case newData, noData, failed }
@MainActor public protocol UIApplicationDelegate: AnyObject {
    func application(
        _ application: UIApplication, didFinishLaunchingWithOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(_ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken: Data)
    func application(
        _ application: UIApplication, didReceiveRemoteNotification: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult
}
public final class UIImage: @unchecked Sendable {
    public init?(data: Data) {}
    public var size: CGSize { CGSize(width: 0, height: 0) }
    public func preparingThumbnail(of size: CGSize) -> UIImage? { nil }
    public func pngData() -> Data? { nil }
}
public struct UITextContentType: Sendable {
    public static let username = UITextContentType(), password = UITextContentType()
}
