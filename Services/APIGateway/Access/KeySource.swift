import Logging
import NIOConcurrencyHelpers
import Tokens

/// Keeps the issuer's keys, and fetches them again when they may have been rotated.
///
/// While the issuer cannot be reached, the last good set stays in use; a broken set never replaces a good one.
actor KeySource {
    /// A set older than this is fetched again.
    static let ageMax = Duration.seconds(3600)
    /// The longest time for which the last good set is trusted while the issuer cannot be reached.
    static let staleMax = Duration.seconds(86_400)
    /// The least time between two fetches, however many tokens name unknown keys: a client that invents key ids cannot
    /// make the gateway flood the issuer.
    static let fetchInterval = Duration.seconds(10)

    /// The tokens whose signature was verified with these keys.
    nonisolated let verified = VerifiedTokens()
    private let fetch: @Sendable () async throws -> [UInt8]
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    /// The set is behind a lock rather than in the actor, so that requests, which all read it, need not wait for each
    /// other.
    private nonisolated let kept = NIOLockedValueBox<(set: JWKS, fetchedAt: ContinuousClock.Instant)?>(nil)
    private var lastFetch: ContinuousClock.Instant?
    private var fetching: Task<Void, Never>?
    /// Why the last fetch failed; nil when it did not.
    private(set) var trouble: String?

    /// - Parameter fetch: returns the document as the issuer sends it.
    init(
        logger: Logger, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable () async throws -> [UInt8]
    ) {
        self.fetch = fetch
        self.clock = clock
        self.logger = logger
    }

    /// Returns the keys; nil if there has never been a good set, or if the last one is too old to be trusted. A caller
    /// waits for a fetch only when there is no usable set; an aged set is returned at once and fetched anew meanwhile.
    nonisolated func current() async -> JWKS? {
        guard let keys, clock() - keys.fetchedAt < Self.ageMax else { return await currentOrNewer() }
        return keys.set
    }

    private func currentOrNewer() async -> JWKS? {
        guard let set = usable else {
            await refresh()?.value
            return usable
        }
        if let keys, clock() - keys.fetchedAt >= Self.ageMax { _ = refresh() }
        return set
    }

    /// Returns the keys after a token named a key that `current` does not have; waits for a fetch that is in flight or
    /// due.
    func afterUnknownKey() async -> JWKS? {
        await refresh()?.value
        return usable
    }

    /// The numbers in `/admin/cache/stats`.
    struct Count: Sendable, Hashable, Codable {
        var entries: Int
        var ageSeconds: Int?
        var verifiedTokens: Int
    }

    var count: Count {
        Count(
            entries: keys?.set.keyIDs.count ?? 0,
            ageSeconds: keys.map { Int((clock() - $0.fetchedAt).components.seconds) },
            verifiedTokens: verified.count)
    }

    private nonisolated var keys: (set: JWKS, fetchedAt: ContinuousClock.Instant)? { kept.withLockedValue { $0 } }

    private var usable: JWKS? {
        guard let keys, clock() - keys.fetchedAt < Self.staleMax else { return nil }
        return keys.set
    }
    /// Returns the fetch in flight, which all callers share, or starts one; nil if the last one was too recent.
    private func refresh() -> Task<Void, Never>? {
        if let fetching { return fetching }
        if let lastFetch, clock() - lastFetch < Self.fetchInterval { return nil }
        lastFetch = clock()
        let task = Task { await self.fetchOnce() }
        fetching = task
        return task
    }

    private func fetchOnce() async {
        defer { fetching = nil }
        do {
            let set = try JWKS(json: try await fetch())
            let fetchedAt = clock()
            kept.withLockedValue { $0 = (set, fetchedAt) }
            if trouble != nil { logger.notice("The issuer's keys are reached again") }
            trouble = nil
            logger.debug("Fetched the issuer's keys", metadata: ["keys": "\(set.keyIDs.count)"])
        } catch {
            let reason = "\(error)"
            if reason != trouble {
                logger.warning(
                    "The issuer's keys cannot be fetched",
                    metadata: ["reason": "\(reason)", "keys.cached": "\(keys != nil)"])
            }
            trouble = reason
        }
    }
}
