import NIOConcurrencyHelpers
import ServiceLifecycle
import SightscreenModels

/// Blocks accounts that registered too many tokens which APNs calls bad, for the rest of an hour. Every gateway keeps
/// the list in memory, where each registration looks, so an account is blocked a few seconds after it was found.
///
/// While the database does not answer, the last list stays; no tokens can be registered then.
final class BlockedAccounts: Service, CustomStringConvertible {
    /// Reads how many seconds each blocked account has to wait: `AccountStore.blockedForBadTokens`.
    typealias Reader = @Sendable () async throws -> [UserID: Int]

    static let interval = Duration.seconds(2)

    private let read: Reader
    private let security: SecurityLog
    private let freeAt = NIOLockedValueBox<[UserID: ContinuousClock.Instant]>([:])

    init(security: SecurityLog, read: @escaping Reader) {
        self.security = security
        self.read = read
    }

    var description: String { "blocked accounts" }

    /// Returns how many seconds a user has to wait; nil if the user is not blocked.
    func wait(_ user: UserID) -> Int? {
        let now = ContinuousClock.now
        guard let freeAt = freeAt.withLockedValue({ $0[user] }), freeAt > now else { return nil }
        return Int((freeAt - now).components.seconds) + 1
    }

    func run() async { await repeatUntilShutdown(pause: Self.interval, readOnce) }

    /// Reads the list once. After a failure it is read again at the next interval; `DeletedAccounts` logs that the
    /// database does not answer.
    func readOnce() async {
        guard let blocked = try? await read() else { return }
        let now = ContinuousClock.now
        let fresh = freeAt.withLockedValue { freeAt in
            let before = freeAt
            freeAt = blocked.mapValues { now + .seconds($0) }
            return freeAt.keys.filter { before[$0] == nil }
        }
        for account in fresh { security.note(.accountBlocked, account: account) }
    }
}
