import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import SightscreenModels
import Store

/// Accounts whose older tokens are refused. A token is valid until it expires whatever the database says, so every
/// gateway keeps the deletions of the last two days in memory, where each request looks.
///
/// A deletion made by another gateway is known here within about a second. While the database is away what is known
/// stays; nothing can be written then, and nothing of a user be read.
final class DeletedAccounts: Service, CustomStringConvertible {
    /// Reads deletions from a time on (seconds since 1970): `AccountStore.deletions`.
    typealias Reader = @Sendable (_ since: Int) async throws -> [UserID: Int]

    static let interval = Duration.seconds(1)
    /// A deletion bears the time shortly before its commit, which may take as long as statements are allowed to.
    static let overlap = 120
    /// Every so many readings all of it is read again, should the database's clock have gone back.
    static let readingsPerFullOne = 300
    /// As long as tombstones are kept.
    static let memorySeconds = 48 * 3_600
    /// Accounts that are remembered, some 20 MB. Beyond that the deletions furthest back are forgotten: their tokens are
    /// the first to expire, and until then they would be taken again.
    static let accountsMax = AccountStore.deletionsMax

    private struct State {
        var deletedAt: [UserID: Int] = [:]
        /// The newest deletion that was read. One made here does not count: others before it may not have been read.
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

    /// Whether the deletions have been read once. Before that, only those made here are known.
    var hasRead: Bool { state.withLockedValue { $0.hasRead } }

    var count: Int { state.withLockedValue { $0.deletedAt.count } }

    /// Whether the account for which a token was made is gone.
    /// - Parameter issuedAt: the token's `iat`.
    func isDeleted(_ user: UserID, issuedAt: Int) -> Bool {
        guard let deletedAt = state.withLockedValue({ $0.deletedAt[user] }) else { return false }
        return AccountStore.isRefused(issuedAt: issuedAt, deletedAt: deletedAt)
    }

    /// A deletion made here holds from the next request on.
    func note(_ user: UserID, at deletedAt: Int) {
        state.withLockedValue { merge([user: deletedAt], into: &$0) }
    }

    func run() async { await repeatUntilShutdown(pause: Self.interval, readOnce) }

    /// Takes in what is new. A database that does not answer is asked again at the next turn.
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
        // A tenth at a time, so that this is not done for every deletion.
        let kept = state.deletedAt.sorted { $0.value > $1.value }.prefix(accountsMax - accountsMax / 10)
        state.deletedAt = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
