/// The key file `TOKEN_KEY_FILE`, as it was read at the start, and as it may be now.
public struct TokenKeyFile: Sendable {
    public static let setting = "TOKEN_KEY_FILE"

    /// The file does not fit the tokens in the database: it is another file, or an old copy, or there is none.
    public struct Mismatch: Error, Hashable, CustomStringConvertible {
        public let description: String

        package init(_ description: String) { self.description = description }
    }

    public let cipher: TokenCipher
    /// Reads the file again, for a key that it did not have: the key may have been added.
    public let reread: @Sendable () throws -> TokenCipher

    /// - Parameter text: reads the file.
    /// - Throws: what `text` throws, `TokenKeys.Refusal`, and `OpenSSLError`.
    public init(_ text: @escaping @Sendable () throws -> String) throws {
        let read: @Sendable () throws -> TokenCipher = { try TokenCipher(try TokenKeys(parsing: try text())) }
        cipher = try read()
        reread = read
    }
}
