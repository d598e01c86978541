package import Postgres
import Metrics
import Synchronization
package import Tokens

/// Reads and writes push tokens as they are stored: in clear, or encrypted by `TOKEN_KEY_FILE` (`TokenCipher`).
///
/// With a key file both forms are read and found, and `token_encryption` says which is written. So a version that knows
/// keys can run beside one that does not, until `sightscreen secrets encrypt` begins the encryption.
package final class TokenVault: Sendable {
    /// The vault without a key file.
    package static let inClear = TokenVault()

    /// The tables need a key, or a lookup key, that is missing.
    package struct KeyMissing: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Known {
        var cipher: TokenCipher?
        /// The sample that was last found to be made with this file's keys.
        var sample: String?
        /// Whether no stored token is in clear, and none will be again.
        var isComplete = false
    }

    private let file: TokenKeyFile?
    private let known: Mutex<Known>

    /// - Parameter file: the key file; nil if there is none.
    package init(_ file: TokenKeyFile? = nil) {
        self.file = file
        known = Mutex(Known(cipher: file?.cipher))
    }

    private var cipher: TokenCipher? { known.withLock { $0.cipher } }

    // MARK: - Finding

    /// The values that `token_key` of a column can have where a token is stored.
    package struct Keys: Sendable {
        package let inClear: String
        /// By what the encrypted token is found; without a key file the same as `inClear`.
        package let lookup: String
        /// The keys by which a stored token can be found now.
        package let all: [String]
    }

    package func keys(of token: String) throws -> Keys {
        let (cipher, isComplete) = known.withLock { ($0.cipher, $0.isComplete) }
        guard let cipher else { return Keys(inClear: token, lookup: token, all: [token]) }
        let lookup = try cipher.lookup(token)
        return Keys(inClear: token, lookup: lookup, all: isComplete ? [lookup] : [token, lookup])
    }

    /// The keys of a token, as a parameter for `TokenSQL.has`.
    package func parameter(_ token: String) throws -> PostgresValue { .textArray(try keys(of: token).all) }

    // MARK: - Reading

    /// Returns a stored token in clear.
    /// - Throws: `TokenCipher.Failure`, `KeyMissing`.
    package func decrypt(_ stored: String) throws -> String {
        guard TokenCipher.isEncrypted(stored) else { return stored }
        guard let key = TokenCipher.key(of: stored) else { throw TokenCipher.Failure.damaged }
        return try cipher(with: key).decrypt(stored)
    }

    /// Decrypts the token of one row among many. A damaged token gives nil and is counted, so that it does not keep the
    /// other rows from being read.
    /// - Throws: `TokenCipher.Failure.unknownKey` or `KeyMissing` if the file does not belong to these tables.
    package func read(_ stored: String) throws -> String? {
        do { return try decrypt(stored) } catch TokenCipher.Failure.damaged {
            Counter(label: "sightscreen_tokens_damaged_total").increment()
            return nil
        }
    }

    // MARK: - Writing

    /// Writes tokens with one key, or in clear.
    package struct Writer: Sendable {
        fileprivate let cipher: TokenCipher?
        fileprivate let key: String?

        package func callAsFunction(_ token: String) throws -> String {
            guard let cipher, let key else { return token }
            return try cipher.encrypt(token, by: key)
        }

        /// Returns the token of these keys in its stored form.
        package func callAsFunction(_ keys: Keys) throws -> String {
            guard let cipher, let key else { return keys.inClear }
            return try cipher.encrypt(keys.inClear, lookup: keys.lookup, by: key)
        }
    }

    /// Selects the key for writing. It must be read after the locks on the written rows are acquired.
    package static let state = "SELECT e.sample, e.is_complete FROM token_encryption e"

    /// Makes a writer.
    /// - Parameter state: the row that `state` selects.
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
    /// Makes the writer for a transaction.
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

    /// Checks that the key file belongs to these tables.
    /// - Throws: `KeyMissing`, `TokenCipher.Failure`, `PostgresError`.
    package func check(_ pool: PostgresPool) async throws {
        _ = try writer(try await pool.query(Self.state).first)
    }
}

extension TokenCipher {
    /// Any text that is no token.
    private static let sampled = "sightscreen"

    /// Makes the sample that shows which keys encrypt.
    func sample() throws -> String { try encrypt(Self.sampled, by: newestKey) }

    /// Whether a sample was made with this file's lookup key and its key of that id.
    func made(_ sample: String) -> Bool {
        (try? lookup(Self.sampled)).map { sample.hasPrefix("\($0)$") } ?? false
            && (try? decrypt(sample)) == Self.sampled
    }
}

/// SQL for columns that hold tokens.
package enum TokenSQL {
    /// A condition: a column holds the token of a parameter (`TokenVault.parameter`).
    package static func has(_ column: String, _ parameter: String) -> String {
        "token_key(\(column)) = ANY (\(parameter)::text[])"
    }
}
