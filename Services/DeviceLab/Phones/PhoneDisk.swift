import SightscreenClient
import SightscreenClientTesting
import Synchronization

/// The preferences of one simulated iPhone as one process of the app writes them: for as long as that lives.
final class PhoneDisk: KeyValueStore {
    private let store: InMemoryKeyValueStore
    private let isCut = Mutex(false)

    init(_ store: InMemoryKeyValueStore) { self.store = store }

    /// The app's process has ended: whatever of it still runs here, it writes nothing any more.
    func cut() { isCut.withLock { $0 = true } }

    func strings(forKey key: String) -> [String]? { store.strings(forKey: key) }

    func set(_ value: [String]?, forKey key: String) {
        isCut.withLock { isCut in
            if !isCut { store.set(value, forKey: key) }
        }
    }
}
