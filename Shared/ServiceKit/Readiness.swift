import NIOConcurrencyHelpers

/// The conditions under which this service can do its job. `/health/ready` answers 503 while one is missing, which is for
/// what another instance may have: it would be better if that one did the work. What no other instance could do better,
/// because something outside is away, makes the service degraded: it is ready, and says the cause.
public final class Readiness: Sendable {
    /// A condition that is not as it should be.
    public struct Missing: Sendable, Equatable, Codable {
        public var name: String
        public var reason: String?
    }

    private enum State {
        case ready
        case degraded(reason: String)
        case missing(reason: String?)
    }

    private let states = NIOLockedValueBox<[String: State]>([:])

    public init() {}

    /// Sets a condition that another instance may meet while this one does not.
    /// - Parameters:
    ///   - name: one of a fixed set: `clock`, `database`, `database-sessions`, `event-bus`, `keys`, `leases`,
    ///     `token-keys`.
    ///   - reason: why it is not ready, without secrets, because anyone who reaches the health port can read it.
    public func set(_ name: String, _ ready: Bool, reason: String? = nil) {
        states.withLockedValue { $0[name] = ready ? .ready : .missing(reason: reason) }
    }

    /// Sets a condition that no other instance could meet.
    /// - Parameters:
    ///   - name: one of a fixed set: `apns …`, `channels`, `keys`, `matches`, `provider…`.
    ///   - reason: what is wrong, without secrets as above; nil if nothing is.
    public func degrade(_ name: String, _ reason: String?) {
        states.withLockedValue { $0[name] = reason.map { .degraded(reason: $0) } ?? .ready }
    }

    /// Removes a condition that no longer matters.
    public func remove(_ name: String) { states.withLockedValue { $0[name] = nil } }

    public var isReady: Bool { missing.isEmpty }

    /// The conditions for which the service is not ready, sorted by name.
    public var missing: [Missing] {
        all { if case .missing(let reason) = $1 { Missing(name: $0, reason: reason) } else { nil } }
    }

    /// The conditions for which it is degraded, sorted by name.
    public var degraded: [Missing] {
        all { if case .degraded(let reason) = $1 { Missing(name: $0, reason: reason) } else { nil } }
    }

    private func all(_ pick: (String, State) -> Missing?) -> [Missing] {
        states.withLockedValue { $0.compactMap { pick($0.key, $0.value) }.sorted { $0.name < $1.name } }
    }
}
