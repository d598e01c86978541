import ServiceKit
import Tokens

/// A key that a server of the operator's shows in `X-API-Key`. Only its digest is kept, so that no dump of this process
/// and no comparison that ends early gives it away.
struct APIKey: Sendable {
    /// Shorter ones could be guessed.
    static let lengthMin = 32
    /// Fewer different characters are a word that is repeated, not a key that was drawn.
    static let differentMin = 16
    /// Longer ones would not fit into a header beside others.
    static let lengthMax = 512

    /// From a fixed set, for logs and the audit.
    let name: String
    private let digest: [UInt8]

    /// - Parameter setting: where the key comes from, for the error.
    /// - Throws: `ConfigurationError` for a key that is too short, too plain or too long, or could not stand in a header.
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

    /// Takes the same time whatever is wrong with `text`.
    func matches(_ text: String) -> Bool {
        guard let other = try? SHA256Digest.of(Array(text.utf8)), other.count == digest.count else { return false }
        return zip(digest, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
