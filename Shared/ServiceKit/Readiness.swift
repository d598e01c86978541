import NIOConcurrencyHelpers

/// The conditions under which this service can do its job. `/health/ready` answers 200 while all of them are ready.
public final class Readiness: Sendable {
    /// A condition that is not ready.
    public struct Missing: Sendable, Equatable, Codable {
        public var name: String
        public var reason: String?
    }

    private struct State {
        var isReady: Bool
        var reason: String?
    }

    private let states = NIOLockedValueBox<[String: State]>([:])

    public init() {}

    /// Sets a condition.
    /// - Parameters:
    ///   - name: one of a fixed set: `clock`, `database`, `database-sessions`, `event-bus`, `keys`, `leases`, `provider`,
    ///     `token-keys`.
    ///   - reason: why it is not ready, without secrets, because anyone who reaches the health port can read it.
    public func set(_ name: String, _ ready: Bool, reason: String? = nil) {
        states.withLockedValue { $0[name] = State(isReady: ready, reason: ready ? nil : reason) }
    }

    /// Removes a condition that no longer matters.
    public func remove(_ name: String) { states.withLockedValue { $0[name] = nil } }

    public var isReady: Bool { missing.isEmpty }

    /// The conditions that are not ready, sorted by name.
    public var missing: [Missing] {
        states.withLockedValue { states in
            states.filter { !$0.value.isReady }.sorted { $0.key < $1.key }.map {
                Missing(name: $0.key, reason: $0.value.reason)
            }
        }
    }
}
