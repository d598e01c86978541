import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import SightscreenModels
import Store

/// Refuses tokens that are older than the deletion of their account. A token is valid until it expires, whatever the
/// database says, so every gateway keeps the deletions of the last two days in memory, where each request looks.
///
/// A deletion made by another gateway is known here within about a second. While the database does not answer, the last
/// known deletions stay; no user's data can be written or read then.
final class DeletedAccounts: Service, CustomStringConvertible {
    /// Reads the deletions since a time (seconds since 1970): `AccountStore.deletions`.
    typealias Reader = @Sendable (_ since: Int) async throws -> [UserID: Int]

    static let interval = Duration.seconds(1)
    /// In seconds. A deletion's time is shortly before its commit, which may take as long as statements are allowed to,
    /// so each reading overlaps the one before.
    static let overlap = 120
    /// Every 300th reading reads all deletions again, in case the database's clock was set back.
    static let readingsPerFullOne = 300
    /// In seconds; as long as tombstones are kept.
    static let memorySeconds = 48 * 3_600
    /// The most accounts that are remembered, some 20 MB. Beyond that the oldest deletions are forgotten: the tokens of
    /// those accounts expire first, and until then they would be accepted again.
    static let accountsMax = AccountStore.deletionsMax

    private struct State {
        var deletedAt: [UserID: Int] = [:]
        /// The time of the newest deletion that was read. A deletion made here does not move it: others before it may
        /// not have been read.
        var readThrough = 0
        var readings = 0
        var hasRead = false
        var isFailing = false
    }

    private let read: Reader
    private let logger: Logger
    private let accountsMax: Int
    private let state = NIOLockedValueBox(State())

    init(logger: Logger, accountsMax: Int = DeletedAccounts.accountsMax, read: @escaping Reader) {
        self.logger = logger
        self.accountsMax = accountsMax
        self.read = read
    }

    var description: String { "deleted accounts" }

    /// Whether the deletions have been read once. Until then only those made here are known.
    var hasRead: Bool { state.withLockedValue { $0.hasRead } }

    var count: Int { state.withLockedValue { $0.deletedAt.count } }

    /// Whether the token's account was deleted after the token was issued.
    /// - Parameter issuedAt: the token's `iat`.
    func isDeleted(_ user: UserID, issuedAt: Int) -> Bool {
        guard let deletedAt = state.withLockedValue({ $0.deletedAt[user] }) else { return false }
        return AccountStore.isRefused(issuedAt: issuedAt, deletedAt: deletedAt)
    }

    /// Notes a deletion made by this gateway; it counts from the next request on.
    func note(_ user: UserID, at deletedAt: Int) {
        state.withLockedValue { merge([user: deletedAt], into: &$0) }
    }

    func run() async { await repeatUntilShutdown(pause: Self.interval, readOnce) }

    /// Reads new deletions once. After a failure they are read again at the next interval.
    func readOnce() async {
        let since = state.withLockedValue { state in
            state.readings += 1
            let isFull = state.readings % Self.readingsPerFullOne == 1 || !state.hasRead
            return isFull ? 0 : max(0, state.readThrough - Self.overlap)
        }
        do {
            let deletions = try await read(since)
            let hadFailed = state.withLockedValue { state in
                defer { state.isFailing = false }
                state.hasRead = true
                state.readThrough = deletions.values.reduce(state.readThrough, max)
                merge(deletions, into: &state)
                return state.isFailing
            }
            if hadFailed { logger.notice("Deleted accounts are read again") }
        } catch {
            let hadFailed = state.withLockedValue { state in
                defer { state.isFailing = true }
                return state.isFailing
            }
            if !hadFailed, !Task.isCancelled {
                logger.warning("Deleted accounts cannot be read", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func merge(_ deletions: [UserID: Int], into state: inout State) {
        for (user, deletedAt) in deletions { state.deletedAt[user] = max(deletedAt, state.deletedAt[user] ?? 0) }
        guard state.deletedAt.count > accountsMax, let newest = state.deletedAt.values.max() else { return }
        state.deletedAt = state.deletedAt.filter { $0.value >= newest - Self.memorySeconds }
        guard state.deletedAt.count > accountsMax else { return }
        // A tenth is forgotten at a time, so that the sorting is not repeated for every deletion.
        let kept = state.deletedAt.sorted { $0.value > $1.value }.prefix(accountsMax - accountsMax / 10)
        state.deletedAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
