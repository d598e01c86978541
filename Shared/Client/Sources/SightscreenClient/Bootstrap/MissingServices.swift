import Synchronization

/// Finds the services that an app did not put into SwiftUI's environment, where a fake takes their place. Each is an
/// error in the log, once.
final class MissingServices: Sendable {
    static let shared = MissingServices()
    /// The time that an app may take to set what it has read.
    static let patience = Duration.seconds(5)

    private let clock: any ClientClock
    private let set = Mutex<Set<String>>([])

    init(clock: any ClientClock = SystemClientClock()) { self.clock = clock }

    func isSet(_ name: String) { _ = set.withLock { $0.insert(name) } }

    /// Notes that a default was read. Writing a value reads the default first, so only a later look tells.
    func isRead(_ name: String) {
        Task {
            guard (try? await clock.sleep(for: Self.patience)) != nil, !set.withLock({ $0.contains(name) }) else {
                return
            }
            AppLogger.error(
                "A service is missing from the environment: views show a fake", category: .bootstrap,
                metadata: ["service": name])
        }
    }
}
