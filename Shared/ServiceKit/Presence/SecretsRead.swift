import NIOConcurrencyHelpers
import Tokens

/// The secrets that a process has read from its settings, for showing which processes have the same. The database's URL
/// is not among them: each service may have a role of its own, and a password may be weak.
public final class SecretsRead: Sendable {
    private let secrets = NIOLockedValueBox<[String: Secret]>([:])

    package init() {}

    func note(_ secret: Secret, of setting: String) { secrets.withLockedValue { $0[setting] = secret } }

    /// Returns a short hash of each secret, by the setting's name.
    /// - Parameter key: the key of the hashes, the same for all processes of a database.
    package func hashes(key: String) throws -> [String: String] {
        let hash = try KeyedHash(Array(key.utf8))
        return try secrets.withLockedValue { $0 }.mapValues { try hash.short(Array($0.reveal().utf8)) }
    }
}
