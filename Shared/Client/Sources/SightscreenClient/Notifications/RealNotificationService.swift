public import Observation
public import SightscreenModels

/// The permission comes from a port, and the tokens go with the one registration of the phone.
@MainActor
@Observable
public final class RealNotificationService: NotificationService {
    public private(set) var permission = NotificationPermission.notDetermined

    private let port: any NotificationPort
    private let phone: any LiveActivityService

    public init(port: any NotificationPort, phone: any LiveActivityService) {
        self.port = port
        self.phone = phone
    }

    public func start() async {
        permission = await port.permission()
        // A token needs no permission, because silent pushes show nothing.
        await port.registerForRemoteNotifications()
    }

    @discardableResult
    public func requestPermission() async -> NotificationPermission {
        let known = await port.permission()
        // The system gives provisional permission without asking the user.
        guard known == .notDetermined || known == .provisional else {
            permission = known
            return known
        }
        let answer = await port.requestPermission()
        permission = answer
        AppLogger.info(
            "The user was asked for notifications", category: .notifications, metadata: ["answer": answer.rawValue])
        return answer
    }

    public func registerDevice(token: DeviceToken) async { await phone.deviceTokenChanged(token) }

    public func unregisterDevice() async {
        await phone.unregisterPhone()
        // If the backend was not reached, APNs will answer its next push that the token is dead.
        await port.unregisterForRemoteNotifications()
    }
}
