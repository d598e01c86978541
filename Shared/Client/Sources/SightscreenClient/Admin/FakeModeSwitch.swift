import Synchronization

/// Which mode the app is in: kept in UserDefaults, so that a launch begins as the last one ended. Debug builds only.
public final class FakeModeSwitch: Sendable {
    static let key = "debug.fakeMode"

    private let store: any KeyValueStore
    private let current: Mutex<FakeMode>

    // In a release build an app cannot make one.
    package init(keptIn store: any KeyValueStore) {
        self.store = store
        current = Mutex(store.strings(forKey: Self.key)?.first.flatMap { FakeMode(rawValue: $0) } ?? .off)
    }

    public var mode: FakeMode { current.withLock { $0 } }

    public func set(_ mode: FakeMode) {
        current.withLock { $0 = mode }
        store.set(mode == .off ? nil : [mode.rawValue], forKey: Self.key)
    }
}

#if DEBUG
    extension FakeModeSwitch {
        /// - Parameter store: the app's own, not a `SwitchedStore`.
        public convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#else
    extension FakeModeSwitch {
        // For tests of a release build.
        package convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#endif
