// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(UserNotifications) && canImport(UIKit) && os(iOS)
    import UIKit
    import UserNotifications

    /// The port's implementation with `UNUserNotificationCenter` and `UIApplication`'s registration for remote
    /// notifications.
    ///
    /// It is for apps only: an extension, such as the widget that also links this module, has no `UIApplication`.
    @available(iOSApplicationExtension, unavailable)
    public struct AppleNotificationPort: NotificationPort {
        public init() {}

        public func permission() async -> NotificationPermission {
            let settings = await UNUserNotificationCenter.current().notificationSettings()
            return NotificationPermission(settings.authorizationStatus)
        }

        public func requestPermission() async -> NotificationPermission {
            // An error means a refusal, too, and the settings show it.
            _ = try? await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .badge, .sound])
            return await permission()
        }

        @MainActor
        public func registerForRemoteNotifications() async {
            UIApplication.shared.registerForRemoteNotifications()
        }

        @MainActor
        public func unregisterForRemoteNotifications() async {
            UIApplication.shared.unregisterForRemoteNotifications()
        }
    }

    extension NotificationPermission {
        fileprivate init(_ status: UNAuthorizationStatus) {
            switch status {
            case .notDetermined: self = .notDetermined
            case .denied: self = .denied
            case .authorized: self = .authorized
            case .provisional: self = .provisional
            case .ephemeral: self = .ephemeral
            @unknown default: self = .denied
            }
        }
    }
#endif
