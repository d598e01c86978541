public import Observation
public import SightscreenModels

/// Permission for notifications, and the two tokens that the backend reaches this phone with.
///
/// It registers nothing by itself: what the backend knows of the phone is one report, which `LiveActivityService` sends,
/// and to which the device token belongs as much as what runs on the phone.
@MainActor
public protocol NotificationService: AnyObject, Observable, Sendable {
    /// What the user has decided, as far as it is known; it is read at `start` and after each question.
    var permission: NotificationPermission { get }

    /// To be called at each launch with somebody signed in, and after a sign-in: asks the system for the device token.
    func start() async

    /// Prompts the user, if he was never asked.
    @discardableResult
    func requestPermission() async -> NotificationPermission

    /// Sends the APNs device token to the backend; the app delegate calls it with each token that it gets. One that the
    /// backend has is not sent again.
    func registerDevice(token: DeviceToken) async

    /// Tells the backend to stop sending pushes to this device, of any kind: at a sign-out, before the session is closed.
    /// Until the next `start` of both services nothing is registered again.
    func unregisterDevice() async
}
