import Logging
import NIOConcurrencyHelpers

/// Logs that a peer which is not a trusted proxy sends X-Forwarded-For. It may be a proxy missing in the settings,
/// behind which all clients look like one. It logs at most once a minute, because any client can send that header.
final class ForwardedForTracker: Sendable {
    static let interval = Duration.seconds(60)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let saidAt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// - Parameter peer: the sender. The header's value is not logged, because a client may write anything there.
    func ignored(from peer: IPAddress, _ logger: Logger) {
        let now = now()
        let isNew = saidAt.withLockedValue { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
        guard isNew else { return }
        logger.warning(
            "X-Forwarded-For is ignored: if this peer is your proxy, set TRUSTED_PROXIES, or all its clients share their limits",
            metadata: ["peer": "\(peer)"])
    }
}
