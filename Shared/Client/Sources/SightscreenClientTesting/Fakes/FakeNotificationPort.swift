public import SightscreenClient

/// A user who has made up his mind, for previews, tests and simulated phones.
public actor FakeNotificationPort: NotificationPort {
    private var status: NotificationPermission
    private let answer: NotificationPermission
    /// How often the user was asked.
    public private(set) var prompts = 0
    public private(set) var registrations = 0
    public private(set) var isRegistered = false

    /// - Parameters:
    ///   - status: before anybody asks.
    ///   - answer: what the user will say.
    public init(_ status: NotificationPermission = .notDetermined, answer: NotificationPermission = .authorized) {
        self.status = status
        self.answer = answer
    }

    /// The user changes it in the system's settings.
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
