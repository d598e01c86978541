package import Postgres
import Metrics
import Synchronization
package import Tokens

/// Reads and writes push tokens as the tables have them: in clear, or encrypted by `TOKEN_KEY_FILE` (`TokenCipher`).
///
/// With a key file, both kinds are read and found; `token_encryption` says which of them is written. So a release that knows of
/// keys runs beside one that does not, until `sightscreen secrets encrypt` says that it may begin.
package final class TokenVault: Sendable {
    /// Without a key file.
    package static let inClear = TokenVault()

    /// The tables ask for a key, or for a lookup key, that is not there.
    package struct KeyMissing: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Known {
        var cipher: TokenCipher?
        /// The sample that was last found to be of this file's keys.
        var sample: String?
        /// No stored token is in clear, and none will be again.
        var isComplete = false
    }

    private let file: TokenKeyFile?
    private let known: Mutex<Known>

    /// - Parameter file: nil: there is none.
    package init(_ file: TokenKeyFile? = nil) {
        self.file = file
        known = Mutex(Known(cipher: file?.cipher))
    }

    private var cipher: TokenCipher? { known.withLock { $0.cipher } }

    // MARK: - Finding

    /// What `token_key` of a column may be where a token is stored.
    package struct Keys: Sendable {
        package let inClear: String
        /// Without a key file the same.
        package let encrypted: String
        /// Those by which a stored token may be found now.
        package let all: [String]
    }

    package func keys(of token: String) throws -> Keys {
        let (cipher, isComplete) = known.withLock { ($0.cipher, $0.isComplete) }
        guard let cipher else { return Keys(inClear: token, encrypted: token, all: [token]) }
        let encrypted = try cipher.lookup(token)
        return Keys(inClear: token, encrypted: encrypted, all: isComplete ? [encrypted] : [token, encrypted])
    }

    /// The keys of a token, for `TokenSQL.has`.
    package func parameter(_ token: String) throws -> PostgresValue { .textArray(try keys(of: token).all) }

    // MARK: - Reading

    /// - Throws: `TokenCipher.Failure`, `KeyMissing`.
    package func decrypt(_ stored: String) throws -> String {
        guard TokenCipher.isEncrypted(stored) else { return stored }
        guard let key = TokenCipher.key(of: stored) else { throw TokenCipher.Failure.damaged }
        return try cipher(with: key).decrypt(stored)
    }

    /// The same for one row of many: nil where it is damaged, which is counted, and must not keep the others from their turn.
    /// - Throws: `TokenCipher.Failure.unknownKey`, `KeyMissing`: the file is not the one of these tables.
    package func read(_ stored: String) throws -> String? {
        do { return try decrypt(stored) } catch TokenCipher.Failure.damaged {
            Counter(label: "sightscreen_tokens_damaged_total").increment()
            return nil
        }
    }

    // MARK: - Writing

    /// Writes tokens by one key, or in clear.
    package struct Writer: Sendable {
        fileprivate let cipher: TokenCipher?
        fileprivate let key: String?

        package func callAsFunction(_ token: String) throws -> String {
            guard let cipher, let key else { return token }
            return try cipher.encrypt(token, by: key)
        }

        /// The token of these keys.
        package func callAsFunction(_ keys: Keys) throws -> String {
            guard let cipher, let key else { return keys.inClear }
            return try cipher.encrypt(keys.inClear, lookup: keys.encrypted, by: key)
        }
    }

    /// By which key to write: to be asked for after the locks of what is written are taken.
    package static let state = "SELECT e.sample, e.is_complete FROM token_encryption e"

    /// - Parameter state: what that says.
    /// - Throws: `KeyMissing`, `TokenCipher.Failure`.
    package func writer(_ state: PostgresRow?) throws -> Writer {
        guard let state, let sample = try state.optionalString("sample") else { return Writer(cipher: nil, key: nil) }
        guard let key = TokenCipher.key(of: sample) else { throw TokenCipher.Failure.damaged }
        let cipher = try cipher(with: key)
        if known.withLock({ $0.sample }) != sample {
            guard cipher.made(sample) else {
                throw KeyMissing(description: "TOKEN_KEY_FILE is not the one of the tokens in the database")
            }
            known.withLock { $0.sample = sample }
        }
        if try state.bool("is_complete") { known.withLock { $0.isComplete = true } }
        return Writer(cipher: cipher, key: key)
    }

    /// For what a transaction writes.
    package func writer(in transaction: PostgresTransaction) async throws -> Writer {
        try writer(try await transaction.query(Self.state).first)
    }

    private func cipher(with key: String) throws -> TokenCipher {
        guard let file else {
            throw KeyMissing(description: "the push tokens in the database are encrypted: TOKEN_KEY_FILE is required")
        }
        if let cipher, cipher.has(key) { return cipher }
        let cipher = try file.reread()
        guard cipher.has(key) else { throw TokenCipher.Failure.unknownKey(key) }
        known.withLock { $0.cipher = cipher }
        return cipher
    }

    // MARK: - At the start

    /// Whether the key file is the one of these tables.
    /// - Throws: `KeyMissing`, `PostgresError`.
    package func check(_ pool: PostgresPool) async throws {
        _ = try writer(try await pool.query(Self.state).first)
    }
}

extension TokenCipher {
    /// Any text that is no token.
    private static let sampled = "sightscreen"

    /// What shows which keys encrypt.
    func sample() throws -> String { try encrypt(Self.sampled, by: newestKey) }

    /// Whether a sample is of the lookup key of this file, and of its key of that name.
    func made(_ sample: String) -> Bool {
        (try? lookup(Self.sampled)).map { sample.hasPrefix("\($0)$") } ?? false
            && (try? decrypt(sample)) == Self.sampled
    }
}

/// SQL of columns with tokens.
package enum TokenSQL {
    /// Whether a column has the token of a parameter (`TokenVault.parameter`).
    package static func has(_ column: String, _ parameter: String) -> String {
        "token_key(\(column)) = ANY (\(parameter)::text[])"
    }
}
