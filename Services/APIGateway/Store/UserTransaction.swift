import Postgres
import SightscreenModels

extension PostgresPool {
    /// Runs what one user asks for, one request of the user after the other: two taps in a row, or two phones at once,
    /// then never see each other half done. A lost race against another user's transaction is run again.
    ///
    /// - Parameters:
    ///   - token: a push token that may have to be taken from somebody else: those who fight for it queue up
    ///   too, so that they do not meet in each other's rows.
    ///   - isDeletion: it is the deletion of the account itself.
    /// - Throws: `AccountDeleted` shortly after the account was deleted: a request that was under way then, or came to a
    ///   gateway that had not heard of it, must not leave rows behind that nobody erases.
    func forUser<T: Sendable>(
        _ user: UserID, token: (any PushToken)? = nil, isDeletion: Bool = false,
        _ body: (PostgresTransaction) async throws -> T
    ) async throws -> T {
        var tries = 0
        while true {
            tries += 1
            do {
                return try await transaction { transaction in
                    // In this order everywhere, and before any row is touched.
                    _ = try await transaction.query(
                        "SELECT pg_advisory_xact_lock(\(AdvisoryLock.user("$1")))", [.text(user.rawValue)])
                    if let token {
                        _ = try await transaction.query(
                            "SELECT pg_advisory_xact_lock(\(AdvisoryLock.token("$1")))", [.text(token.rawValue)])
                    }
                    if !isDeletion, try await AccountStore.wasDeletedJustNow(transaction, user) {
                        throw AccountDeleted()
                    }
                    return try await body(transaction)
                }
            } catch let error as PostgresError where tries < 5 && error.isLostRace {
                try await Task.sleep(for: .milliseconds(Int.random(in: 1...20) * tries))
            }
        }
    }
}

/// The user's account was deleted a moment ago.
package struct AccountDeleted: Error, Hashable, Sendable {
    package init() {}
}

/// The keys of PostgreSQL's advisory locks, which exclude what one user, and those who fight for one token, ask for.
enum AdvisoryLock {
    static func user(_ text: String) -> String { "hashtextextended(\(text)::text, 7)" }
    static func token(_ text: String) -> String { "hashtextextended(\(text)::text, 8)" }
}

extension PostgresError {
    /// Rolled back because somebody else was first; it may succeed now.
    var isLostRace: Bool { code == .serialization || code == .constraint("23505") }
}
