import Logging
import NIOConcurrencyHelpers
import Tokens

/// The issuer's keys: fetched, kept, and fetched again when they may have been rotated.
///
/// While the issuer cannot be reached the last good set goes on; a set that is broken never replaces a good one.
actor KeySource {
    /// A set older than this is fetched again.
    static let ageMax = Duration.seconds(3600)
    /// How long the last good set is trusted while the issuer is away.
    static let staleMax = Duration.seconds(86_400)
    /// The least time between two fetches, however many tokens name unknown keys.
    static let fetchInterval = Duration.seconds(10)

    /// Tokens that were checked with these keys.
    nonisolated let verified = VerifiedTokens()
    private let fetch: @Sendable () async throws -> [UInt8]
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    /// Behind a lock: every request looks here, and need not take turns with the others for it.
    private nonisolated let kept = NIOLockedValueBox<(set: JWKS, fetchedAt: ContinuousClock.Instant)?>(nil)
    private var lastFetch: ContinuousClock.Instant?
    private var fetching: Task<Void, Never>?
    private var lastTrouble: String?

    /// - Parameter fetch: the document as the issuer sends it.
    init(
        logger: Logger, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable () async throws -> [UInt8]
    ) {
        self.fetch = fetch
        self.clock = clock
        self.logger = logger
    }

    /// Nil when there has never been a good set, or the last one is too old to be trusted. With a set at hand nobody
    /// waits: one that has aged is fetched anew behind the answer's back.
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

    /// After a token named a key that `current` does not have: waits for a fetch that is under way or due.
    func afterUnknownKey() async -> JWKS? {
        await refresh()?.value
        return usable
    }

    /// For `/admin/cache/stats`.
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

    /// The one fetch that everybody shares, begun now if none is under way; nil when it is too soon for another.
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
            if lastTrouble != nil { logger.notice("The issuer's keys are reached again") }
            lastTrouble = nil
            logger.debug("Fetched the issuer's keys", metadata: ["keys": "\(set.keyIDs.count)"])
        } catch {
            let trouble = "\(error)"
            if trouble != lastTrouble {
                logger.warning(
                    "The issuer's keys cannot be fetched",
                    metadata: ["reason": "\(trouble)", "keys.cached": "\(keys != nil)"])
            }
            lastTrouble = trouble
        }
    }
}
