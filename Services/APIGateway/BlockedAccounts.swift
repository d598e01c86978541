import Logging
import NIOConcurrencyHelpers
import ServiceLifecycle
import SightscreenModels

/// Accounts that registered too many tokens which APNs calls bad: they register no more for the rest of an hour. Every
/// gateway has them in memory, where each registration looks, so that one is blocked a few seconds after it was found.
///
/// While the database is away what is known stays; nothing can be registered then.
final class BlockedAccounts: Service, CustomStringConvertible {
    /// How long each has to wait, in seconds: `AccountStore.blockedForBadTokens`.
    typealias Reader = @Sendable () async throws -> [UserID: Int]

    static let interval = Duration.seconds(2)

    private let read: Reader
    private let logger: Logger
    private let freeAt = NIOLockedValueBox<[UserID: ContinuousClock.Instant]>([:])

    init(logger: Logger, read: @escaping Reader) {
        self.logger = logger
        self.read = read
    }

    var description: String { "blocked accounts" }

    /// How many seconds a user has to wait; nil: none.
    func wait(_ user: UserID) -> Int? {
        let now = ContinuousClock.now
        guard let freeAt = freeAt.withLockedValue({ $0[user] }), freeAt > now else { return nil }
        return Int((freeAt - now).components.seconds) + 1
    }

    func run() async { await repeatUntilShutdown(pause: Self.interval, readOnce) }

    /// A database that does not answer is asked again at the next turn; `DeletedAccounts` says that it does not.
    func readOnce() async {
        guard let blocked = try? await read() else { return }
        let now = ContinuousClock.now
        let fresh = freeAt.withLockedValue { freeAt in
            let before = freeAt
            freeAt = blocked.mapValues { now + .seconds($0) }
            return freeAt.keys.count { before[$0] == nil }
        }
        if fresh > 0 {
            logger.warning("Accounts register too many bad tokens", metadata: ["accounts": "\(fresh)"])
        }
    }
}
