import NIOConcurrencyHelpers

/// Says whether something is news: for a log line that is written once until it changes.
///
/// ```swift
/// if trouble.isNews("\(error)", for: host) { logger.warning("…") }
/// ```
public final class OncePer<Key: Hashable & Sendable>: Sendable {
    /// Beyond that many keys everything is forgotten: a line too many is better than memory without bound.
    public static var keysMax: Int { 1024 }

    private let last = NIOLockedValueBox<[Key: String]>([:])

    public init() {}

    /// True when `state` differs from what was last said for `key`.
    public func isNews(_ state: String, for key: Key) -> Bool {
        last.withLockedValue { last in
            guard last[key] != state else { return false }
            if last.count >= Self.keysMax { last.removeAll() }
            last[key] = state
            return true
        }
    }

    /// It is over.
    /// - Returns: true when there was something to be over.
    @discardableResult
    public func clear(_ key: Key) -> Bool { last.withLockedValue { $0.removeValue(forKey: key) != nil } }
}
