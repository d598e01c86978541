import FoundationEssentials
import Glibc
public import Tokens

/// Key files of push tokens for tests.
public enum TestTokenKeys {
    /// A file for all tests of this user, which stays.
    public static let path: String = {
        let path = "/tmp/sightscreen-test-token-keys-\(getuid())"
        let files = FileManager.default
        if !files.fileExists(atPath: path), let text = try? TokenKeys.generate() {
            try? Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
            chmod(path, 0o600)
        }
        return path
    }()

    public static func file(_ text: String) throws -> TokenKeyFile { try TokenKeyFile { text } }

    /// A lookup key and one key to encrypt by.
    public static func file() throws -> TokenKeyFile { try file(try TokenKeys.generate()) }
}
