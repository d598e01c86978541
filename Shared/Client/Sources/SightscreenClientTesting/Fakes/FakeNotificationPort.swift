public import SightscreenClient
/// A notification port with a fixed decision of the user, for previews, tests and simulated phones.
public actor FakeNotificationPort: NotificationPort {
    private var status: NotificationPermission
    private let answer: NotificationPermission
    /// The number of prompts so far.
    public private(set) var prompts = 0
    public private(set) var registrations = 0
    public private(set) var isRegistered = false

    /// - Parameters:
    ///   - status: the status before any prompt.
    ///   - answer: the user's answer to the prompt.
    public init(_ status: NotificationPermission = .notDetermined, answer: NotificationPermission = .authorized) {
        self.status = status
        self.answer = answer
    }

    /// Changes the permission, as the user does in the system's settings.
    public func set(_ status: NotificationPermission) { self.status = status }

    public func permission() -> NotificationPermission { status }

    public func requestPermission() -> NotificationPermission {
        if status == .notDetermined {
            prompts += 1
            status = answer
        }
        return status
    }

    public func registerForRemoteNotifications() {
        registrations += 1
        isRegistered = true
    }

    public func unregisterForRemoteNotifications() { isRegistered = false }
}
