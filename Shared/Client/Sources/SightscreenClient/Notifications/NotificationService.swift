public import Observation
public import SightscreenModels

/// The permission for notifications, and the two tokens with which the backend reaches this phone.
///
/// It registers nothing by itself. The backend gets one report about the phone, which `LiveActivityService` sends, and
/// which contains the device token as well as the phone's activities.
@MainActor
public protocol NotificationService: AnyObject, Observable, Sendable {
    /// The user's decision as far as it is known. It is read at `start` and after each prompt.
    var permission: NotificationPermission { get }

    /// Asks the system for the device token. Call it at each launch with a signed-in user, and after a sign-in.
    func start() async

    /// Prompts the user, if the user was never asked.
    @discardableResult
    func requestPermission() async -> NotificationPermission

    /// Sends the APNs device token to the backend. The app delegate calls it with each token that it receives; a token
    /// that the backend has is not sent again.
    func registerDevice(token: DeviceToken) async

    /// Tells the backend to stop sending pushes of any kind to this device: at a sign-out, before the session is
    /// closed. Nothing is registered again until the next `start` of both services.
    func unregisterDevice() async
}
