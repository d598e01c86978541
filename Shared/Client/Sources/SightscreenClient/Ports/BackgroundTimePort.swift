/// The time in which the app goes on after it has left the foreground, or was woken by a push. The system suspends an
/// app that has none: no code runs, and connections break.
///
/// See Apple's page on `UIApplication.beginBackgroundTask(withName:expirationHandler:)`.
public protocol BackgroundTimePort: Sendable {
    /// Begins a background task, which keeps the app from being suspended until its end or expiration. In the
    /// foreground it costs nothing.
    ///
    /// - Parameters:
    ///   - name: the task's name in Xcode's debugger.
    ///   - expired: called once if the system's time (about 30 s) is over before the task's end. The task has ended
    ///     then.
    /// - Returns: the task; nil when the system gives no time.
    func begin(_ name: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTaskID?

    /// Ends a background task. One that has ended is ignored.
    func end(_ task: BackgroundTaskID) async
}

/// One background task of a port.
public struct BackgroundTaskID: Hashable, Sendable {
    public var rawValue: Int

    public init(_ rawValue: Int) { self.rawValue = rawValue }
}
