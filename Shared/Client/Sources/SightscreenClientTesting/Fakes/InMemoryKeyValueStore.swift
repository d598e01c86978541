public import SightscreenClient
import Synchronization

/// A `KeyValueStore` in memory, for previews, tests and simulated phones. It can outlive the app of a simulated phone,
/// like its disk.
public final class InMemoryKeyValueStore: KeyValueStore {
    private let values = Mutex<[String: [String]]>([:])

    public init() {}

    public func strings(forKey key: String) -> [String]? { values.withLock { $0[key] } }

    public func set(_ value: [String]?, forKey key: String) { values.withLock { $0[key] = value } }

    /// Removes everything, as when the app is deleted.
    public func removeAll() { values.withLock { $0 = [:] } }
}
