internal import COpenSSL

/// The keys of `TOKEN_KEY_FILE`: a line `lookup KEY`, and lines `ID KEY`, of which the last is the newest. Empty lines
/// and those that begin with `#` are ignored. A key is 32 bytes in base64 (RFC 4648 section 4), an id 1 to 16 letters
/// and digits.
public struct TokenKeys: Sendable {
    /// The fault in the file, without any of its content.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        public let description: String
    }

    static let lookupName = "lookup"
    private static let keyLength = 32

    let lookup: [UInt8]
    let encryption: [String: [UInt8]]
    /// The id of the newest key, the last in the file.
    public let newest: String

    public init(parsing text: String) throws(Refusal) {
        var lookup: [UInt8]?
        var encryption: [String: [UInt8]] = [:]
        var newest: String?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard let name = words.first, name.first != "#" else { continue }
            func refuse(_ problem: String) -> Refusal { Refusal(description: "line \(index + 1) \(problem)") }
            guard words.count == 2 else { throw refuse("is not an id and a key") }
            guard let key = Self.key(words[1]) else { throw refuse("has no key of 32 bytes in base64") }
            if name == Self.lookupName {
                guard lookup == nil else { throw refuse("is a second \(Self.lookupName) key") }
                lookup = key
                continue
            }
            let id = String(name)
            guard (1...16).contains(id.utf8.count), id.utf8.allSatisfy(\.isLetterOrDigit) else {
                throw refuse("has an id of other than 1 to 16 letters and digits")
            }
            guard encryption.updateValue(key, forKey: id) == nil else { throw refuse("has the id of another key") }
            newest = id
        }
        guard let lookup else { throw Refusal(description: "has no line \(Self.lookupName)") }
        guard let newest else { throw Refusal(description: "has no key to encrypt by") }
        guard Set(encryption.values + [lookup]).count == encryption.count + 1 else {
            throw Refusal(description: "has the same key twice")
        }
        self.lookup = lookup
        self.encryption = encryption
        self.newest = newest
    }

    /// Makes the text of a file with new keys.
    public static func generate(id: String = "1") throws -> String {
        "\(lookupName) \(try newKey())\n\(id) \(try newKey())\n"
    }

    /// Makes 32 random bytes in base64.
    public static func newKey() throws -> String {
        var bytes = [UInt8](repeating: 0, count: keyLength)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else { throw OpenSSLError("make a key") }
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + "="
    }

    private static func key(_ text: Substring) -> [UInt8]? {
        let url = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.prefix { $0 != "=" }
        guard text.dropFirst(url.count).allSatisfy({ $0 == "=" }), let key = Base64URL.decode(String(url)) else {
            return nil
        }
        return key.count == keyLength ? key : nil
    }
}
