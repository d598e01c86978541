import NIOConcurrencyHelpers

/// What has to work before this service can do its job. `/health/ready` answers 200 while everything in it is ready.
public final class Readiness: Sendable {
    /// Something that is not ready.
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

    /// - Parameters:
    ///   - name: from a fixed set: `database`, `event-bus`, `keys`, `leases`, `provider`.
    ///   - reason: why it is not ready, without secrets; anybody who reaches the health port reads it.
    public func set(_ name: String, _ ready: Bool, reason: String? = nil) {
        states.withLockedValue { $0[name] = State(isReady: ready, reason: ready ? nil : reason) }
    }

    /// It no longer matters.
    public func remove(_ name: String) { states.withLockedValue { $0[name] = nil } }

    public var isReady: Bool { missing.isEmpty }

    /// Sorted by name.
    public var missing: [Missing] {
        states.withLockedValue { states in
            states.filter { !$0.value.isReady }.sorted { $0.key < $1.key }.map {
                Missing(name: $0.key, reason: $0.value.reason)
            }
        }
    }
}
