/// `TOKEN_KEY_FILE`: as it was read at the start, and as it may have become since.
public struct TokenKeyFile: Sendable {
    public static let setting = "TOKEN_KEY_FILE"

    public let cipher: TokenCipher
    /// For a key that the file did not have: it may have been added.
    public let reread: @Sendable () throws -> TokenCipher

    /// - Parameter text: reads the file.
    /// - Throws: what `text` throws, and `TokenKeys.Refusal`.
    public init(_ text: @escaping @Sendable () throws -> String) throws {
        let read: @Sendable () throws -> TokenCipher = { try TokenCipher(try TokenKeys(parsing: try text())) }
        cipher = try read()
        reread = read
    }
}
