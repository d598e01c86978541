public import AppleFoundation

public enum UIUserInterfaceIdiom: Sendable { case phone, pad }
@MainActor public class UIResponder: NSObject {}
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
    public func unregisterForRemoteNotifications() {}
}
public enum UIBackgroundFetchResult: Sendable { case newData, noData, failed }
@MainActor public protocol UIApplicationDelegate: AnyObject {}
public final class UIImage: @unchecked Sendable { public init?(data: Data) {} }
