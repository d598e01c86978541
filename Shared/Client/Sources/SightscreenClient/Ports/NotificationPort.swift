/// What the system lets an app do about notifications: `UNUserNotificationCenter`, and the registration for remote ones.
///
/// A device token comes to the app delegate, which hands it to `NotificationService.registerDevice`.
public protocol NotificationPort: Sendable {
    /// What the user has decided so far. He may change it in the system's settings at any time.
    func permission() async -> NotificationPermission

    /// Asks him; the system asks only once, and answers by itself from then on.
    func requestPermission() async -> NotificationPermission

    /// Asks APNs for this phone's token, which needs no permission; it comes later, at each launch, and may be a new one.
    func registerForRemoteNotifications() async

    /// The token is good no more: APNs tells the backend so at its next push, if the backend has not heard before.
    func unregisterForRemoteNotifications() async
}

/// `UNAuthorizationStatus`.
public enum NotificationPermission: String, Hashable, Sendable, CaseIterable {
    case notDetermined
    case denied
    case authorized
    /// Delivered quietly, without having been asked for.
    case provisional
    /// An App Clip's, for some hours.
    case ephemeral

    /// Whether notifications can be seen.
    public var shows: Bool { self == .authorized || self == .provisional || self == .ephemeral }
}
