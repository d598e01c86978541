public import SightscreenClient
import Synchronization

/// A `FileStore` in memory, for previews, tests and simulated phones.
public final class InMemoryFileStore: FileStore {
    private struct State {
        /// The names, beginning with the file that was used longest ago.
        var order: [String] = []
        var files: [String: [UInt8]] = [:]
        var isFull = false
    }

    private let state = Mutex(State())

    public init() {}

    public func read(_ name: String) -> [UInt8]? { state.withLock { $0.files[name] } }

    public func write(_ bytes: [UInt8], to name: String) throws(FileStoreError) {
        guard FileName.isGood(name) else { throw FileStoreError("\(name) is no name for a file") }
        let isWritten = state.withLock { state in
            guard !state.isFull else { return false }
            state.order.removeAll { $0 == name }
            state.order.append(name)
            state.files[name] = bytes
            return true
        }
        guard isWritten else { throw FileStoreError("the disk is full") }
    }

    public func touch(_ name: String) {
        state.withLock { state in
            guard state.files[name] != nil else { return }
            state.order.removeAll { $0 == name }
            state.order.append(name)
        }
    }

    public func remove(_ name: String) {
        state.withLock { state in
            state.order.removeAll { $0 == name }
            state.files[name] = nil
        }
    }

    public func list() -> [StoredFile] {
        state.withLock { state in
            state.order.map { StoredFile(name: $0, bytes: state.files[$0]?.count ?? 0) }
        }
    }

    /// Sets whether the disk is full, so that writes fail.
    public func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }
}
