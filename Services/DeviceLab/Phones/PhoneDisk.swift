import SightscreenClient
import SightscreenClientTesting
import Synchronization

/// The preferences of one simulated iPhone, as one process of the app writes them while it lives.
final class PhoneDisk: KeyValueStore {
    private let store: InMemoryKeyValueStore
    private let isCut = Mutex(false)

    init(_ store: InMemoryKeyValueStore) { self.store = store }

    /// Ends the process's access: whatever of it still runs here writes nothing any more.
    func cut() { isCut.withLock { $0 = true } }

    func strings(forKey key: String) -> [String]? { store.strings(forKey: key) }

    func set(_ value: [String]?, forKey key: String) {
        isCut.withLock { isCut in
            if !isCut { store.set(value, forKey: key) }
        }
    }
}
