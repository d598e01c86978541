/// The system's functions for notifications: `UNUserNotificationCenter`, and the registration for remote notifications.
///
/// The app delegate receives the device token and passes it to `NotificationService.registerDevice`.
public protocol NotificationPort: Sendable {
    /// The user's decision so far. The user may change it in the system's settings at any time.
    func permission() async -> NotificationPermission

    /// Asks the user. The system prompts only once, and later answers by itself.
    func requestPermission() async -> NotificationPermission

    /// Asks APNs for this phone's token, which needs no permission. The token comes later, at each launch, and may be a
    /// new one.
    func registerForRemoteNotifications() async

    /// Invalidates the token. If the backend does not know it before, APNs answers its next push that the token is
    /// dead.
    func unregisterForRemoteNotifications() async
}

/// The values of `UNAuthorizationStatus`.
public enum NotificationPermission: String, Hashable, Sendable, CaseIterable {
    case notDetermined
    case denied
    case authorized
    /// Notifications are delivered quietly, and the user was not asked.
    case provisional
    /// An App Clip may notify for some hours.
    case ephemeral

    /// Whether notifications are visible.
    public var shows: Bool { self == .authorized || self == .provisional || self == .ephemeral }
}
