// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(UIKit) && os(iOS)
    import UIKit

    /// The port's implementation with `UIApplication`'s background tasks.
    ///
    /// It is for apps only: an extension, such as the widget that also links this module, has no `UIApplication`.
    @available(iOSApplicationExtension, unavailable)
    public final class AppleBackgroundTime: BackgroundTimePort {
        /// The system's id of one task, which is known only after its expiration handler is made.
        @MainActor
        private final class Started {
            var id = UIBackgroundTaskIdentifier.invalid
        }

        @MainActor
        private var running: Set<BackgroundTaskID> = []

        public init() {}

        @MainActor
        public func begin(_ name: String, expired: @escaping @Sendable () -> Void) async -> BackgroundTaskID? {
            let started = Started()
            started.id = UIApplication.shared.beginBackgroundTask(withName: name) { [weak self] in
                expired()
                // The system ends an app that keeps a task beyond this.
                self?.finish(BackgroundTaskID(started.id.rawValue))
            }
            guard started.id != .invalid else { return nil }
            let task = BackgroundTaskID(started.id.rawValue)
            running.insert(task)
            return task
        }

        @MainActor
        public func end(_ task: BackgroundTaskID) async { finish(task) }

        @MainActor
        private func finish(_ task: BackgroundTaskID) {
            guard running.remove(task) != nil else { return }
            UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task.rawValue))
        }
    }
#endif
