// Could not be compiled where the rest of this package was.
#if canImport(Darwin)
    public import Foundation

    /// `UserDefaults`.
    ///
    /// Not compiled here.
    public struct UserDefaultsStore: KeyValueStore {
        // UserDefaults may be used from any thread, says its documentation.
        private nonisolated(unsafe) let defaults: UserDefaults

        public init(_ defaults: UserDefaults = .standard) { self.defaults = defaults }

        public func strings(forKey key: String) -> [String]? { defaults.stringArray(forKey: key) }

        public func set(_ value: [String]?, forKey key: String) { defaults.set(value, forKey: key) }
    }
#endif
