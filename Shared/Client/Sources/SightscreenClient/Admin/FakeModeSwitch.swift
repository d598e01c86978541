import Synchronization

/// Whether the app's calls go to the fake API: kept in UserDefaults, so that a launch begins as the last one ended. Debug builds
/// only.
public final class FakeModeSwitch: Sendable {
    /// What the product calls its fake API.
    public static let address = "https://fake-api.sightscreen.app"
    static let key = "debug.fakeMode"

    private let store: any KeyValueStore
    private let current: Mutex<Bool>

    // In a release build an app cannot make one.
    package init(keptIn store: any KeyValueStore) {
        self.store = store
        current = Mutex(store.strings(forKey: Self.key) == ["fakeAPI"])
    }

    public var isOn: Bool { current.withLock { $0 } }

    public func set(_ isOn: Bool) {
        current.withLock { $0 = isOn }
        store.set(isOn ? ["fakeAPI"] : nil, forKey: Self.key)
    }
}

#if DEBUG
    extension FakeModeSwitch {
        /// - Parameter store: that of the gateway's app.
        public convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#else
    extension FakeModeSwitch {
        // For tests of a release build.
        package convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#endif
