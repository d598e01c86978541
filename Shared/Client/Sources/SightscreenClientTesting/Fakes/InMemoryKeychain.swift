public import SightscreenClient
import Synchronization

/// A `KeychainPort` in memory, for previews, tests and simulated phones. It can be locked.
public final class InMemoryKeychain: KeychainPort {
    private struct State {
        var items: [String: [UInt8]] = [:]
        var trouble: KeychainError?
    }

    private let state = Mutex(State())

    public init() {}

    /// Sets the error that every call throws from now on; nil for none.
    public func trouble(_ error: KeychainError?) { state.withLock { $0.trouble = error } }

    public var names: [String] { state.withLock { $0.items.keys.sorted() } }

    public func read(_ name: String) throws(KeychainError) -> [UInt8]? { try use { $0[name] } }

    public func write(_ value: [UInt8], as name: String) throws(KeychainError) { try use { $0[name] = value } }

    public func remove(_ name: String) throws(KeychainError) { try use { $0[name] = nil } }

    private func use<Value: Sendable>(_ body: (inout [String: [UInt8]]) -> Value) throws(KeychainError) -> Value {
        try state.withLock { state -> Result<Value, KeychainError> in
            if let trouble = state.trouble { return .failure(trouble) }
            return .success(body(&state.items))
        }.get()
    }
}
