import Logging
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

    private let fetch: @Sendable () async throws -> [UInt8]
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let logger: Logger
    private var keys: (set: JWKS, fetchedAt: ContinuousClock.Instant)?
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

    /// Nil when there has never been a good set, or the last one is too old to be trusted.
    func current() async -> JWKS? {
        if let keys, clock() - keys.fetchedAt < Self.ageMax { return keys.set }
        await refresh()
        return usable
    }

    /// After a token named a key that `current` does not have.
    func afterUnknownKey() async -> JWKS? {
        await refresh()
        return usable
    }

    /// For `/admin/cache/stats`.
    struct Count: Sendable, Hashable, Codable {
        var entries: Int
        var ageSeconds: Int?
    }

    var count: Count {
        Count(
            entries: keys?.set.keyIDs.count ?? 0,
            ageSeconds: keys.map { Int((clock() - $0.fetchedAt).components.seconds) })
    }

    private var usable: JWKS? {
        guard let keys, clock() - keys.fetchedAt < Self.staleMax else { return nil }
        return keys.set
    }

    /// Everybody who needs it waits for the same fetch.
    private func refresh() async {
        if let fetching { return await fetching.value }
        if let lastFetch, clock() - lastFetch < Self.fetchInterval { return }
        lastFetch = clock()
        let task = Task { await self.fetchOnce() }
        fetching = task
        await task.value
        fetching = nil
    }

    private func fetchOnce() async {
        do {
            let set = try JWKS(json: try await fetch())
            keys = (set, clock())
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
