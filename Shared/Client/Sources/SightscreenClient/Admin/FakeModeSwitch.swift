import Synchronization

/// The switch between the gateway and the fake API. It is kept in UserDefaults, so that a launch begins in the mode in
/// which the last one ended. Debug builds only.
public final class FakeModeSwitch: Sendable {
    /// The address of the fake API.
    public static let address = "https://fake-api.sightscreen.app"
    static let key = "debug.fakeMode"

    private let store: any KeyValueStore
    private let current: Mutex<Bool>

    // The initialiser is not public, so that an app cannot make a switch in a release build.
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
        /// - Parameter store: the store of the app's services that use the gateway.
        public convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#else
    extension FakeModeSwitch {
        // The tests use this initialiser when they run in a release build.
        package convenience init(store: any KeyValueStore) { self.init(keptIn: store) }
    }
#endif
