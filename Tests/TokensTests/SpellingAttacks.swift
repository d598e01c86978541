import Tokens

/// A good token written otherwise: each would mean the same to a reader that is not strict.
enum SpellingAttacks {
    static func all() throws -> [TokenAttack] {
        let token = try TokenForge.token()
        let parts = token.split(separator: ".").map(String.init)
        let (header, claims, signature) = (parts[0], parts[1], parts[2])
        let spellings: [(String, String)] = [
            ("an empty string", ""), ("one dot", "."), ("two dots", ".."), ("three dots", "..."),
            ("the first part", header), ("two parts", "\(header).\(claims)"), ("no signature", "\(header).\(claims)."),
            ("no header", ".\(claims).\(signature)"),
            ("a dot in front", ".\(token)"), ("a dot at the end", "\(token)."), ("four parts", "\(token).e30"),
            ("five parts, as if encrypted", "\(header).\(claims).\(claims).\(claims).\(signature)"),
            ("two tokens", "\(token).\(token)"), ("two tokens with a comma", "\(token),\(token)"),
            ("padding after the header", "\(header)=.\(claims).\(signature)"),
            ("padding after the claims", "\(header).\(claims)==.\(signature)"), ("padding at the end", "\(token)=="),
            ("one sign of padding", "\(token)="), ("a space at the end", "\(token) "),
            ("a space in front", " \(token)"),
            ("a line feed at the end", "\(token)\n"), ("a tab in front", "\t\(token)"),
            ("a space after the dot", "\(header). \(claims).\(signature)"),
            ("a line feed in the signature", "\(header).\(claims).\(signature.prefix(64))\n\(signature.dropFirst(64))"),
            ("a NUL at the end", "\(token)\u{0}"), ("a NUL and more", "\(token)\u{0}A"),
            ("a mark in front", "\u{feff}\(token)"),
            ("a space of no width", "\(header).\u{200b}\(claims).\(signature)"),
            ("a fullwidth dot", "\(header)\u{ff0e}\(claims)\u{ff0e}\(signature)"),
            ("an escaped dot", "\(header)%2E\(claims)%2E\(signature)"),
            ("other separators", "\(header):\(claims):\(signature)"), ("quotes", "\"\(token)\""),
            ("the scheme twice", "Bearer \(token)"), ("in capitals", token.uppercased()),
            ("in small letters", token.lowercased()),
            ("backwards", String(token.reversed())),
            ("a letter less", String(token.dropLast())),
            ("the claims as JSON", "\(header).\(TokenForge.claims()).\(signature)"),
            (
                "the JSON form of a signed token",
                #"{"payload":"\#(claims)","protected":"\#(header)","signature":"\#(signature)"}"#
            ),
            ("over 8 KiB", String(repeating: "a", count: 8193)), ("8 KiB of dots", String(repeating: ".", count: 8192)),
            ("8 KiB of nothing", String(repeating: "A", count: 8000) + ".AAAA.AAAA"),
        ]
        return try spellings.map { name, text in TokenAttack(name, text, "malformed") } + aliases(header, claims)
            + [
                TokenAttack("no claims", "\(header)..\(signature)", "bad-signature"),
                TokenAttack("a letter more", "\(token)A", "bad-signature"),
                TokenAttack("two letters more", "\(token)AA", "bad-signature"),
                TokenAttack(
                    "its parts in another order", "\(claims).\(header).\(signature)", "unsupported-header"),
                TokenAttack(
                    "claims of another token under this one's signature",
                    "\(header).\(Base64URL.encode(TokenForge.claims(["iat": "1"]).utf8)).\(signature)", "bad-signature"),
                TokenAttack(
                    "a header of the same meaning under this one's signature",
                    "\(Base64URL.encode((TokenForge.header + " ").utf8)).\(claims).\(signature)", "bad-signature"),
            ]
    }

    /// Spellings of the same bytes: bits at the end that decoding throws away, and the letters of plain base64. The
    /// signature is made over the text as it stands, so only strict reading refuses them.
    private static func aliases(_ header: String, _ claims: String) throws -> [TokenAttack] {
        let loose =
            Array(TokenForge.header.utf8) + [UInt8](repeating: 0x20, count: 3 - TokenForge.header.utf8.count % 3 + 1)
        // "?~" and such become "+" and "/" in plain base64.
        let special = TokenForge.claims(["x": "\"???>>>~~~\""])
        let specialHeader = String(TokenForge.header.dropLast()) + #","x":"???>>>~~~"}"#
        let texts: [(String, String, String)] = [
            ("stray bits after the header", stray(Base64URL.encode(loose)), claims),
            (
                "stray bits after the claims", header,
                stray(Base64URL.encode((TokenForge.claims() + pad(TokenForge.claims())).utf8))
            ),
            ("plain base64 in the claims", header, plain(Base64URL.encode(special.utf8))),
            ("plain base64 in the header", plain(Base64URL.encode(specialHeader.utf8)), claims),
        ]
        var attacks = try texts.map { name, header, claims in
            let signature = try TokenForge.signer.sign(Array("\(header).\(claims)".utf8))
            return TokenAttack(name, "\(header).\(claims).\(Base64URL.encode(signature))", "malformed")
        }
        let signature = Base64URL.encode(try TokenForge.signer.sign(Array("\(header).\(claims)".utf8)))
        attacks.append(
            TokenAttack("stray bits after the signature", "\(header).\(claims).\(stray(signature))", "malformed"))
        return attacks
    }

    /// Spaces that bring a text to a length whose base64 has unused bits.
    private static func pad(_ text: String) -> String { text.utf8.count % 3 == 0 ? " " : "" }

    /// The last letter's neighbour: another value of the bits that mean nothing.
    private static func stray(_ base64: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = base64.last, let index = alphabet.firstIndex(of: last) else { return base64 }
        return base64.dropLast() + String(alphabet[index ^ 1])
    }

    private static func plain(_ base64URL: String) -> String {
        String(base64URL.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    }
}
