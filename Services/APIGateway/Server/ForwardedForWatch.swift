import Logging
import NIOConcurrencyHelpers

/// Says in the log that a peer who is no proxy of ours sends X-Forwarded-For: a proxy that was forgotten, behind which all
/// clients look like one. At most once a minute, as anybody can send that header.
final class ForwardedForWatch: Sendable {
    static let interval = Duration.seconds(60)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let saidAt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// - Parameter peer: who sent it. What the header says is not written: a client may write anything there.
    func ignored(from peer: IPAddress, _ logger: Logger) {
        let now = now()
        let isNews = saidAt.withLockedValue { last in
            if let last, now - last < Self.interval { return false }
            last = now
            return true
        }
        guard isNews else { return }
        logger.warning(
            "X-Forwarded-For is ignored: if this peer is your proxy, set TRUSTED_PROXIES, or all its clients share their limits",
            metadata: ["peer": "\(peer)"])
    }
}
