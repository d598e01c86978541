import ServiceKit
import Tokens

/// A key with which an operator's server identifies itself in `X-API-Key`. Only its digest is kept, so that neither a
/// memory dump nor the timing of a comparison reveals the key.
struct APIKey: Sendable {
    /// A shorter key could be guessed.
    static let lengthMin = 32
    /// A key with fewer different characters is a repeated word, not a random key.
    static let differentMin = 16
    /// A longer key would not fit into the headers of a request beside others.
    static let lengthMax = 512

    /// The name in logs and the audit; it comes from a fixed set.
    let name: String
    private let digest: [UInt8]

    /// - Parameter setting: the setting that holds the key, for the error.
    /// - Throws: `ConfigurationError` for a key that is too short, too uniform or too long, or has a character that
    ///   cannot stand in a header.
    init(name: String, secret: Secret, setting: String) throws(ConfigurationError) {
        let bytes = Array(secret.reveal().utf8)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw ConfigurationError(
                setting: setting, problem: "is not a key: there is a space or another odd character in it")
        }
        guard bytes.count >= Self.lengthMin else {
            throw ConfigurationError(setting: setting, problem: "is shorter than \(Self.lengthMin) characters")
        }
        guard Set(bytes).count >= Self.differentMin else {
            throw ConfigurationError(
                setting: setting,
                problem: "has fewer than \(Self.differentMin) different characters; make one: openssl rand -base64 48")
        }
        guard bytes.count <= Self.lengthMax else {
            throw ConfigurationError(setting: setting, problem: "is longer than \(Self.lengthMax) characters")
        }
        guard let digest = try? SHA256Digest.of(bytes) else {
            throw ConfigurationError(setting: setting, problem: "cannot be used: OpenSSL takes no SHA-256 of it")
        }
        self.name = name
        self.digest = digest
    }

    /// Compares in constant time: how long it takes does not depend on where `text` differs.
    func matches(_ text: String) -> Bool {
        guard let other = try? SHA256Digest.of(Array(text.utf8)), other.count == digest.count else { return false }
        return zip(digest, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
