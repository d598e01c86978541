public import Observation
public import SightscreenModels

/// A `NotificationService` without a system, for previews and tests.
@MainActor
@Observable
public final class FakeNotificationService: NotificationService {
    public private(set) var permission: NotificationPermission
    public private(set) var token: DeviceToken?
    public private(set) var starts = 0
    private let answer: NotificationPermission

    /// - Parameters:
    ///   - permission: the user's decision at first.
    ///   - answer: the user's answer to the prompt.
    public init(_ permission: NotificationPermission = .notDetermined, answer: NotificationPermission = .authorized) {
        self.permission = permission
        self.answer = answer
    }

    public func start() async { starts += 1 }

    @discardableResult
    public func requestPermission() async -> NotificationPermission {
        if permission == .notDetermined { permission = answer }
        return permission
    }

    public func registerDevice(token: DeviceToken) async { self.token = token }

    public func unregisterDevice() async { token = nil }
}
