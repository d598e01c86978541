/// Removes secrets from logged text.
///
/// It is the second safeguard. The first is that messages are constants and that tokens print as their first six
/// digits; but the text of an error may come from anywhere.
enum LogRedaction {
    private static let secretNames = ["authorization", "bearer", "code", "email", "password", "secret", "token"]
    /// Names that end like a secret and are none: "tokenUse", "statusCode".
    private static let harmlessNames: Set<String> = ["statuscode", "tokenuse", "tokentype", "errorcode"]

    static func clean(_ metadata: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: metadata.map { name, value in
                let lower = name.lowercased()
                let isSecret = !harmlessNames.contains(lower) && secretNames.contains { lower.hasSuffix($0) }
                return (name, isSecret ? shortened(value) : clean(value))
            })
    }

    /// Returns the text with anything that looks like a token, a long hex number or an e-mail address shortened.
    static func clean(_ text: String) -> String {
        var cleaned = ""
        var word = ""
        for character in text {
            if isPartOfAWord(character) {
                word.append(character)
            } else {
                cleaned += clean(word: word)
                cleaned.append(character)
                word = ""
            }
        }
        return cleaned + clean(word: word)
    }

    private static func isPartOfAWord(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-_.+=@%".contains(character))
    }

    private static func clean(word: String) -> String {
        if word.isEmpty { return word }
        // In "token=eyJ…" the value is the part after the "=" that is not padding.
        if let equals = word.firstIndex(of: "="), equals != word.startIndex,
            word[equals...].contains(where: { $0 != "=" })
        {
            let next = word.index(after: equals)
            return clean(word: String(word[..<equals])) + "=" + clean(word: String(word[next...]))
        }
        if let at = word.firstIndex(of: "@"), at != word.startIndex, word[at...].contains(".") { return "…@…" }
        return isSecret(word) ? shortened(word) : word
    }

    private static func isSecret(_ word: String) -> Bool {
        // A JSON Web Token, signed or encrypted, begins with {" in base64.
        if word.hasPrefix("eyJ"), word.count > 20 { return true }
        if word.count >= 32, word.allSatisfy(\.isHexDigit) { return true }
        // A long word with mixed characters is no human's writing. Names of files and hosts have dots.
        return word.count >= 40 && !word.contains(".") && word.contains(where: \.isNumber)
            && word.contains(where: \.isUppercase) && word.contains(where: \.isLowercase)
    }

    /// Returns the first six characters, which tell two secrets apart, if the secret is long enough for that to be
    /// harmless.
    private static func shortened(_ secret: String) -> String { secret.count >= 24 ? "\(secret.prefix(6))…" : "…" }
}
