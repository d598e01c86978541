import Testing

@testable import Tokens

@Suite struct TokenCipherTests {
    private static let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let other = "HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    private static let third = "/wECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    private func cipher(_ lines: String...) throws -> TokenCipher {
        try TokenCipher(try TokenKeys(parsing: lines.joined(separator: "\n")))
    }

    @Test(arguments: [
        "", "0a", "0a1", "0A", "eyJhbGciOiJFUzI1NiJ9.e30.x_-", String(repeating: "0123456789abcdef", count: 16),
    ])
    func whatIsEncryptedIsDecryptedAgain(_ token: String) throws {
        let cipher = try cipher("lookup \(Self.key)", "7 \(Self.other)")
        let stored = try cipher.encrypt(token, as: .update, by: "7")
        #expect(stored.hasPrefix("\(try cipher.lookup(token))$7$"))
        #expect(stored.utf8.prefix(TokenCipher.lookupLength).last != UInt8(ascii: "$"))
        #expect(!stored.contains(token) || token.utf8.count < 8)
        #expect(try cipher.decrypt(stored, as: .update) == token)
        // Never the same twice, and always found by the same.
        #expect(try cipher.encrypt(token, as: .update, by: "7") != stored)
        #expect(TokenCipher.key(of: stored) == "7")
    }

    /// By another implementation.
    @Test func theLookupIsAnHMAC() throws {
        let cipher = try cipher("lookup \(Self.key)", "7 \(Self.other)")
        let mac = OpenSSLCommand.python(
            """
            import base64, hashlib, hmac
            mac = hmac.new(base64.b64decode("\(Self.key)"), b"0a", hashlib.sha256).digest()[:16]
            print("$" + base64.urlsafe_b64encode(mac).decode().rstrip("="), end="")
            """)
        #expect(try cipher.lookup("0a") == mac)
    }

    @Test func aTokenInClearIsItself() throws {
        let cipher = try cipher("lookup \(Self.key)", "7 \(Self.other)")
        #expect(try cipher.decrypt("0a1b", as: .device) == "0a1b")
        #expect(TokenCipher.key(of: "0a1b") == nil)
    }

    /// One letter other, cut short, with another's lookup: no token comes of it, and nothing that looks like one.
    @Test func whatIsDamagedIsRefused() throws {
        let cipher = try cipher("lookup \(Self.key)", "7 \(Self.other)")
        let stored = Array(try cipher.encrypt("0123456789abcdef", as: .start, by: "7"))
        for place in stored.indices {
            var damaged = stored
            damaged[place] = stored[place] == "A" ? "B" : "A"
            // Without the mark in front it is a token in clear, of no phone.
            guard place > 0 else { continue }
            #expect(throws: TokenCipher.Failure.self) { try cipher.decrypt(String(damaged), as: .start) }
            #expect(throws: TokenCipher.Failure.damaged) { try cipher.decrypt(String(stored[..<place]), as: .start) }
        }
        let another = try cipher.encrypt("fedcba9876543210", as: .start, by: "7")
        let mixed = String(stored.prefix(TokenCipher.lookupLength)) + another.dropFirst(TokenCipher.lookupLength)
        #expect(throws: TokenCipher.Failure.damaged) { try cipher.decrypt(mixed, as: .start) }
    }

    /// Who may write to the database, and not read a token, could otherwise have one used as another kind.
    @Test(arguments: TokenCipher.Kind.allCases) func aCiphertextIsOfOneKind(_ kind: TokenCipher.Kind) throws {
        let cipher = try cipher("lookup \(Self.key)", "7 \(Self.other)")
        let stored = try cipher.encrypt("0a1b", as: kind, by: "7")
        for other in TokenCipher.Kind.allCases where other != kind {
            #expect(throws: TokenCipher.Failure.damaged) { try cipher.decrypt(stored, as: other) }
            // They are found as one all the same.
            #expect(try cipher.encrypt("0a1b", as: other, by: "7").hasPrefix(stored.prefix(TokenCipher.lookupLength)))
        }
    }

    @Test func aKeyThatIsMissingIsNamed() throws {
        let stored = try cipher("lookup \(Self.key)", "7 \(Self.other)").encrypt("0a", as: .device, by: "7")
        let later = try cipher("lookup \(Self.key)", "8 \(Self.third)")
        #expect(throws: TokenCipher.Failure.unknownKey("7")) { try later.decrypt(stored, as: .device) }
        #expect(throws: TokenCipher.Failure.unknownKey("7")) { try later.encrypt("0a", as: .device, by: "7") }
        // The same id with another key is no key of it.
        let false7 = try cipher("lookup \(Self.key)", "7 \(Self.third)")
        #expect(throws: TokenCipher.Failure.damaged) { try false7.decrypt(stored, as: .device) }
        let both = try cipher("lookup \(Self.key)", "7 \(Self.other)", "8 \(Self.third)")
        #expect(both.newestKey == "8")
        #expect(try both.decrypt(stored, as: .device) == "0a")
        #expect(try both.lookup("0a") == later.lookup("0a"))
    }

    @Test func aKeyFileIsReadLineByLine() throws {
        let keys = try TokenKeys(parsing: "# ours\r\n\n  lookup\t\(Self.key)  \n1 \(Self.other)\nb2 \(Self.third)\n")
        #expect(keys.newest == "b2")
        #expect(Set(keys.encryption.keys) == ["1", "b2"])
        #expect(try TokenKeys(parsing: try TokenKeys.generate()).newest == "1")
    }

    @Test(arguments: [
        ("", "has no line lookup"), ("lookup \(key)", "has no key to encrypt by"),
        ("1 \(key)", "has no line lookup"), ("lookup \(key)\n1", "line 2 is not an id and a key"),
        ("lookup \(key)\n1 \(key) x", "line 2 is not an id and a key"),
        ("lookup \(key)\n1 AAAA", "line 2 has no key of 32 bytes in base64"),
        ("lookup \(key)\n1 \(key)!", "line 2 has no key of 32 bytes in base64"),
        ("lookup \(key)\nlookup \(other)", "line 2 is a second lookup key"),
        ("lookup \(key)\n1 \(other)\n1 \(third)", "line 3 has the id of another key"),
        ("lookup \(key)\n1 \(key)", "has the same key twice"),
        ("lookup \(key)\na$b \(other)", "line 2 has an id of other than 1 to 16 letters and digits"),
    ]) func aFileThatIsNoneIsRefusedWithoutWhatIsInIt(_ text: String, _ problem: String) {
        #expect(throws: TokenKeys.Refusal(description: problem)) { try TokenKeys(parsing: text) }
    }
}
