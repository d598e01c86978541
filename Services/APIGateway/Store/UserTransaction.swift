import Postgres
import SightscreenModels

extension PostgresPool {
    /// Runs a request of one user in a transaction, one request of the user after the other: two taps in a row, or two
    /// phones at once, never see each other's unfinished work. A race lost against another user's transaction is
    /// retried.
    ///
    /// - Parameters:
    ///   - token: the lookup of a push token that may have to be taken from another user; requests for the same token
    ///     also run one after the other, so that they do not meet in each other's rows.
    ///   - isDeletion: whether the request deletes the account itself.
    /// - Throws: `Turns.Refusal` if too many requests of the user, or for the token, are under way;
    ///   `AccountDeleted` shortly after the account was deleted: a request that was in flight then, or came to
    ///   a gateway that did not know of it yet, must not leave rows behind that are never erased.
    func forUser<T: Sendable>(
        _ user: UserID, token: String? = nil, isDeletion: Bool = false,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws -> T {
        // Within this gateway they wait without a connection, which the requests of others need.
        let turns = ["user \(user.rawValue)"] + (token.map { ["token \($0)"] } ?? [])
        return try await inTurn(of: turns) {
            var tries = 0
            while true {
                tries += 1
                do {
                    return try await locked(user, token, isDeletion: isDeletion, body)
                } catch let error as PostgresError where tries < 5 && error.isLostRace {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 1...20) * tries))
                }
            }
        }
    }

    private func locked<T: Sendable>(
        _ user: UserID, _ token: String?, isDeletion: Bool, _ body: (PostgresTransaction) async throws -> T
    ) async throws -> T {
        try await transaction { transaction in
            // Locks are taken in this order everywhere, and before any row is touched. They hold among all gateways.
            _ = try await transaction.query(
                "SELECT pg_advisory_xact_lock(\(AdvisoryLock.user("$1")))", [.text(user.rawValue)])
            if let token {
                _ = try await transaction.query(
                    "SELECT pg_advisory_xact_lock(\(AdvisoryLock.token("$1")))", [.text(token)])
            }
            if !isDeletion, try await AccountStore.wasDeletedJustNow(transaction, user) {
                throw AccountDeleted()
            }
            return try await body(transaction)
        }
    }
}

/// The user's account was deleted a moment ago.
package struct AccountDeleted: Error, Hashable, Sendable {
    package init() {}
}

/// The keys of PostgreSQL's advisory locks, under which requests of one user, and requests for one token, exclude each
/// other.
enum AdvisoryLock {
    static func user(_ text: String) -> String { "hashtextextended(\(text)::text, 7)" }
    static func token(_ text: String) -> String { "hashtextextended(\(text)::text, 8)" }
}

extension PostgresError {
    /// Whether another transaction won the race; a retry may succeed.
    var isLostRace: Bool { rule?.statement == .lostRace }
}
