// Compiled against stubs of Apple's frameworks only (deploy/apple-check).
#if canImport(Darwin)
    public import Foundation

    /// The port's implementation with `UserDefaults`.
    public struct UserDefaultsStore: KeyValueStore {
        // Apple's documentation says that `UserDefaults` is thread-safe.
        private nonisolated(unsafe) let defaults: UserDefaults

        public init(_ defaults: UserDefaults = .standard) { self.defaults = defaults }

        public func strings(forKey key: String) -> [String]? { defaults.stringArray(forKey: key) }

        public func set(_ value: [String]?, forKey key: String) { defaults.set(value, forKey: key) }
    }
#endif
