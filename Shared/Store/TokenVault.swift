import Metrics
package import Postgres
import Synchronization
package import Tokens

/// Reads and writes push tokens as they are stored: encrypted by `TOKEN_KEY_FILE` (`TokenCipher`), or in clear in a
/// development database that was begun without a key file. A statement gets the lookup of a token or its ciphertext,
/// never the token: PostgreSQL writes the parameters of slow and of failing statements to its log.
package final class TokenVault: Sendable {
    /// The vault without a key file, for stand-ins and tests.
    package static let inClear = TokenVault()

    private struct Known {
        var cipher: TokenCipher?
        /// The sample that was last found to be made with this file's keys.
        var sample: String?
        /// When the file was last read for a key that it did not have.
        var readAt: ContinuousClock.Instant?
    }

    /// A table full of tokens under one missing key has the file read no more often than this.
    private static let rereadInterval = Duration.seconds(1)

    private let file: TokenKeyFile?
    private let known: Mutex<Known>

    /// - Parameter file: the key file; nil if there is none.
    package init(_ file: TokenKeyFile? = nil) {
        self.file = file
        known = Mutex(Known(cipher: file?.cipher))
    }

    private var cipher: TokenCipher? { known.withLock { $0.cipher } }

    // MARK: - Finding

    /// A token, and what it is found by.
    package struct Keys: Sendable {
        fileprivate let token: String
        /// The value that `token_key` of a column has where the token is stored.
        package let lookup: String
    }

    package func keys(of token: String) throws -> Keys {
        Keys(token: token, lookup: try cipher?.lookup(token) ?? token)
    }

    /// The lookup of a token, as a parameter for `TokenSQL.has`.
    package func parameter(_ token: String) throws -> PostgresValue { .textArray([try keys(of: token).lookup]) }

    /// Returns the nonce of a claim to a phone (`PhoneClaimSQL`): a keyed hash of the stored challenge. It is made anew
    /// where it is sent and where it is checked, and is kept nowhere. No token begins with the word before the
    /// challenge, so that no lookup of a token is a nonce. Without a key file it is the challenge itself.
    package func nonce(of challenge: String) throws -> String {
        guard let cipher else { return challenge }
        return String(try cipher.lookup("nonce \(challenge)").dropFirst())
    }

    // MARK: - Reading

    /// Returns a stored token in clear; nil if it is damaged, which is counted and is as if there were no token.
    /// - Throws: `TokenCipher.Failure.unknownKey`, which says nothing about the token; `TokenKeyFile.Mismatch`.
    package func decrypt(_ stored: String, as kind: TokenCipher.Kind) throws -> String? {
        guard TokenCipher.isEncrypted(stored) else { return stored }
        guard let key = TokenCipher.key(of: stored) else { return leftOut() }
        do { return try cipher(with: key).decrypt(stored, as: kind) } catch TokenCipher.Failure.damaged {
            return leftOut()
        }
    }

    /// Decrypts the token of one row among many. One whose key is missing gives nil and is counted, too, so that it does
    /// not keep the other rows from being read. While a key that is in use is missing the process is not ready
    /// (`trouble`).
    /// - Throws: `TokenKeyFile.Mismatch` without a key file.
    package func read(_ stored: String, as kind: TokenCipher.Kind) throws -> String? {
        do { return try decrypt(stored, as: kind) } catch is TokenCipher.Failure { return leftOut() }
    }

    private func leftOut() -> String? {
        Self.countDamaged(1)
        return nil
    }

    private static func countDamaged(_ count: Int64) {
        Counter(label: "sightscreen_tokens_damaged_total").increment(by: count)
    }

    // MARK: - Writing

    /// Writes tokens with one key, or in clear.
    package struct Writer: Sendable {
        fileprivate let cipher: TokenCipher?
        fileprivate let key: String?

        package func callAsFunction(_ token: String, as kind: TokenCipher.Kind) throws -> String {
            guard let cipher, let key else { return token }
            return try cipher.encrypt(token, as: kind, by: key)
        }

        /// Returns the token of these keys in its stored form.
        package func callAsFunction(_ keys: Keys, as kind: TokenCipher.Kind) throws -> String {
            guard let cipher, let key else { return keys.token }
            return try cipher.encrypt(keys.token, lookup: keys.lookup, as: kind, by: key)
        }
    }

    /// Selects the key for writing. It must be read after the locks on the written rows are acquired.
    package static let state =
        "SELECT e.sample, array_to_string(e.former_keys, ',') AS former_keys FROM token_encryption e"

    /// Makes a writer.
    /// - Parameter state: the row that `state` selects.
    /// - Throws: `TokenKeyFile.Mismatch`, `TokenCipher.Failure`.
    package func writer(_ state: PostgresRow?) throws -> Writer {
        guard let sample = try state?.optionalString("sample") else {
            guard file == nil else {
                throw TokenKeyFile.Mismatch(
                    "the push tokens in the database are in clear; sightscreen secrets rotate encrypts them")
            }
            return Writer(cipher: nil, key: nil)
        }
        guard let key = TokenCipher.key(of: sample) else { throw TokenCipher.Failure.damaged }
        let cipher = try cipher(with: key)
        if known.withLock({ $0.sample }) != sample {
            guard cipher.made(sample) else {
                throw TokenKeyFile.Mismatch("is not the file of the push tokens in the database: its keys are others")
            }
            known.withLock { $0.sample = sample }
        }
        return Writer(cipher: cipher, key: key)
    }

    /// Makes the writer for a transaction.
    package func writer(in transaction: PostgresTransaction) async throws -> Writer {
        try writer(try await transaction.query(Self.state).first)
    }

    // MARK: - Keys

    private func cipher(with key: String) throws -> TokenCipher {
        guard file != nil else {
            throw TokenKeyFile.Mismatch("is required: the push tokens in the database are encrypted")
        }
        if let cipher, cipher.has(key) { return cipher }
        if isRereadDue { reread() }
        if let cipher, cipher.has(key) { return cipher }
        throw TokenCipher.Failure.unknownKey(key)
    }

    private var isRereadDue: Bool {
        known.withLock { known in
            guard known.readAt.map({ .now - $0 >= Self.rereadInterval }) ?? true else { return false }
            known.readAt = .now
            return true
        }
    }

    /// Reads the file again. One that cannot be read, that lacks the key which writes now, or that has another lookup
    /// key is not used: it may be in the middle of being replaced.
    private func reread() {
        guard let file, let new = try? file.reread() else { return }
        known.withLock { known in
            if let sample = known.sample, !new.made(sample) { return }
            known.cipher = new
        }
    }

    /// Reads the file again, and returns the fingerprints of its keys; none without a file.
    package func fingerprints() -> [String] {
        reread()
        return (try? cipher?.fingerprints) ?? []
    }

    /// Returns why stored tokens cannot be read; nil if they can. A key that is in use in the database is not in the file.
    /// - Throws: `PostgresError`.
    package func trouble(_ pool: PostgresPool) async throws -> String? {
        let state = try await pool.query(Self.state).first
        var troubles: [String] = []
        do { _ = try writer(state) } catch let error as TokenCipher.Failure {
            troubles.append("\(error)")
        } catch let error as TokenKeyFile.Mismatch {
            troubles.append("\(TokenKeyFile.setting): \(error)")
        }
        // Tokens under the keys before are left while `sightscreen secrets rotate` has not come to its end.
        for key in try state?.string("former_keys").split(separator: ",") ?? [] where cipher?.has(String(key)) == false
        {
            troubles.append("\(TokenCipher.Failure.unknownKey(String(key)))")
        }
        Gauge(label: "sightscreen_token_keys_missing").record(troubles.count)
        return troubles.first
    }

    /// Checks at the start that the key file belongs to these tables. An empty database begins with the file's newest
    /// key.
    /// - Throws: `TokenKeyFile.Mismatch`, `PostgresError`.
    package func check(_ pool: PostgresPool) async throws {
        // An alert on its growth sees the first one, too.
        Self.countDamaged(0)
        do {
            if let cipher { _ = try await TokenEncryption(pool: pool, cipher: cipher).beginIfEmpty() }
            _ = try writer(try await pool.query(Self.state).first)
        } catch let failure as TokenCipher.Failure { throw TokenKeyFile.Mismatch("\(failure)") }
    }
}

extension TokenCipher {
    /// Any text that is no token.
    private static let sampled = "sightscreen"

    /// Makes the sample that shows which keys encrypt.
    func sample() throws -> String { try encrypt(Self.sampled, as: .sample, by: newestKey) }

    /// Whether a sample was made with this file's lookup key and its key of that id.
    func made(_ sample: String) -> Bool {
        (try? lookup(Self.sampled)).map { sample.hasPrefix("\($0)$") } ?? false
            && (try? decrypt(sample, as: .sample)) == Self.sampled
    }
}

/// SQL for columns that hold tokens.
package enum TokenSQL {
    /// A condition: a column holds the token of a parameter (`TokenVault.parameter`).
    package static func has(_ column: String, _ parameter: String) -> String {
        "token_key(\(column)) = ANY (\(parameter)::text[])"
    }
}
