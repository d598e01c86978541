import NIOConcurrencyHelpers
/// Lets a log line through once for each state of a key.
///
/// ```swift
/// if trouble.hasChanged("\(error)", for: host) { logger.warning("…") }
/// ```
public final class OncePer<Key: Hashable & Sendable>: Sendable {
    /// The most keys that are remembered. Beyond it all are forgotten: a repeated line is better than unbounded memory.
    public static var keysMax: Int { 1024 }

    private let last = NIOLockedValueBox<[Key: String]>([:])

    public init() {}

    /// Returns whether `state` differs from the last one for `key`, and remembers it.
    public func hasChanged(_ state: String, for key: Key) -> Bool {
        last.withLockedValue { last in
            guard last[key] != state else { return false }
            if last.count >= Self.keysMax { last.removeAll() }
            last[key] = state
            return true
        }
    }

    /// Forgets a key, whose trouble is over.
    /// - Returns: whether a state was remembered.
    @discardableResult
    public func clear(_ key: Key) -> Bool { last.withLockedValue { $0.removeValue(forKey: key) != nil } }
}
