// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    public import Foundation

    /// `UserDefaults`.
    ///
    /// Compiled against stubs only.
    public struct UserDefaultsStore: KeyValueStore {
        // UserDefaults may be used from any thread, says its documentation.
        private nonisolated(unsafe) let defaults: UserDefaults

        public init(_ defaults: UserDefaults = .standard) { self.defaults = defaults }

        public func strings(forKey key: String) -> [String]? { defaults.stringArray(forKey: key) }

        public func set(_ value: [String]?, forKey key: String) { defaults.set(value, forKey: key) }
    }
#endif
