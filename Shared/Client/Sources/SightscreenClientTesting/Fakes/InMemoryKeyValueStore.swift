public import SightscreenClient
import Synchronization

/// For previews, tests and simulated phones: lives as long as somebody holds it, so a phone's "disk" can outlive its app.
public final class InMemoryKeyValueStore: KeyValueStore {
    private let values = Mutex<[String: [String]]>([:])

    public init() {}

    public func strings(forKey key: String) -> [String]? { values.withLock { $0[key] } }

    public func set(_ value: [String]?, forKey key: String) { values.withLock { $0[key] = value } }

    /// The app is deleted.
    public func removeAll() { values.withLock { $0 = [:] } }
}
