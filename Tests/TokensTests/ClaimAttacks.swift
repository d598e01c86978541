import Tokens

/// Attacks by what the claims say, each signed with the issuer's key: as if the issuer had been talked into it, or had
/// made the token for somebody else.
enum ClaimAttacks {
    static func all() throws -> [TokenAttack] { try values() + uses() + json() }

    private static func signed(_ name: String, _ claims: String, _ refusal: String) throws -> TokenAttack {
        TokenAttack(name, try TokenForge.token(claims: claims), refusal)
    }

    /// One claim at a time; nil: it is missing.
    private static func values() throws -> [TokenAttack] {
        let now = TokenForge.now
        let issuer = TokenForge.issuer
        let sub = TokenForge.sub
        let client = TokenForge.client
        let rows: [(String, [String?], String)] = [
            ("exp", ["\(now - 60)", "\(now - 61)", "0", "-0", "1"], "expired"),
            (
                "exp",
                [
                    nil, "\"\(now + 60)\"", "\(now).5", "\(now).0", "1e309", "1.8e9", "18e8", "-1",
                    "99999999999999999999999", "9223372036854775807", "9223372036854775808", "18446744073709551616",
                    "253402300800", "null", "true", "[\(now + 60)]", "{}", "\"\"", "\"never\"",
                ], "bad-claim exp"
            ),
            ("nbf", ["\(now + 61)", "253402300799"], "not-yet-valid"),
            ("nbf", ["\"\(now)\"", "null", "\(now).5", "-1", "1e3", "[]"], "bad-claim nbf"),
            ("exp", ["\(now + 86_401)", "253402300799"], "long-lived"),
            ("iat", ["\(now - 82_801)", "0"], "long-lived"),
            ("iat", ["\(now + 61)", "253402300799"], "not-yet-valid"),
            ("iat", [nil, "{}", "\"\(now)\"", "null", "\(now).0", "-1", "1e309"], "bad-claim iat"),
            (
                "iss",
                [
                    "\"https://elsewhere.example\"", "\"\(issuer)/\"", "\"\(issuer)#\"", "\"\(issuer) \"",
                    "\" \(issuer)\"", "\"\(issuer.uppercased())\"", "\"\(issuer.lowercased())\"",
                    "\"\(issuer.dropLast())\"", "\"\(issuer)\\u0000\"", "\"\(issuer.dropFirst(8))\"",
                    "\"http\(issuer.dropFirst(5))\"", "\"\(issuer)@evil.example\"", "\"\"",
                    // A KELVIN SIGN, which Unicode calls the same as the K that is meant.
                    "\"\(issuer.replacing("K", with: "\\u212a"))\"",
                ], "wrong-issuer"
            ),
            ("iss", [nil, "[\"\(issuer)\"]", "{\"\(issuer)\":1}", "null", "7", "true"], "bad-claim iss"),
            (
                "token_use",
                [
                    nil, "\"refresh\"", "\"ACCESS\"", "\"access \"", "\"\"", "1", "null", "[\"access\"]",
                    "\"access\\u0000\"", "\"id,access\"", "{}",
                ], "bad-claim token_use"
            ),
            (
                "client_id",
                [
                    "\"other-app\"", "\"\"", "\"\(client) \"", "\"\(client),ipad-app\"", "\"\(client.uppercased())\"",
                    "\"\(client)\\u0000\"", "\"\(client.replacing("K", with: "\\u212a"))\"", "\"*\"",
                ], "wrong-client"
            ),
            ("client_id", [nil, "[\"\(client)\"]", "null", "7", "{}"], "bad-claim client_id"),
            (
                "sub",
                [
                    nil, "\"\"", "\"admin\"", "7", "null", "[\"\(sub)\"]", "{}", "\"\(sub.dropLast())\"", "\"\(sub)0\"",
                    "\"\(sub.dropLast())g\"", "\"\(sub)\\u0000\"", "\"\(sub) \"", "\"{\(sub)}\"", "\"urn:uuid:\(sub)\"",
                    "\"\(sub.replacing("-", with: "0"))\"", "\"\(sub.replacing("-", with: ""))\"",
                    "\"\(sub.replacing("-", with: "\\u2010"))\"", "\"\(sub.replacing("0", with: "\\uff10"))\"",
                    "\"' OR 1=1 --\"", "\"\(client)\"",
                ], "bad-claim sub"
            ),
            (
                "cognito:groups",
                ["\"admin\"", "[1]", "null", "{\"admin\":true}", "true", "[[\"admin\"]]", "[\"admin\",null]", "7"],
                "bad-claim cognito:groups"
            ),
            ("cognito:groups", ["[" + repeated("\"g\"", 3000) + "]"], "malformed"),
            (
                "cognito:groups", [String(repeating: "[", count: 9) + String(repeating: "]", count: 9)], "malformed"
            ),
            (
                "x", ["\"" + String(repeating: "a", count: 8192) + "\"", "1" + String(repeating: "0", count: 8192)],
                "malformed"
            ),
        ]
        return try rows.flatMap { name, values, refusal in
            try values.enumerated().map { number, value in
                try signed(
                    "\(refusal) \(number): \(name) \(value.map { String($0.prefix(60)) } ?? "missing")",
                    TokenForge.claims([name: value]), refusal)
            }
        }
    }

    private static func repeated(_ element: String, _ count: Int) -> String {
        [String](repeating: element, count: count).joined(separator: ",")
    }

    /// What one kind of token has passed off as the other's.
    private static func uses() throws -> [TokenAttack] {
        let client = "\"\(TokenForge.client)\""
        return try [
            signed(
                "an id token with client_id and no aud", TokenForge.claims(["token_use": "\"id\""]), "bad-claim aud"),
            signed(
                "an id token of another client, with ours as client_id",
                TokenForge.claims(["token_use": "\"id\"", "aud": "\"other-app\""]), "wrong-client"),
            signed(
                "an id token whose aud is a list",
                TokenForge.claims(["token_use": "\"id\"", "aud": "[\(client)]", "client_id": nil]), "bad-claim aud"),
            signed(
                "an id token whose aud is a list with another client in it",
                TokenForge.claims(["token_use": "\"id\"", "aud": "[\(client),\"other-app\"]", "client_id": nil]),
                "bad-claim aud"),
            signed(
                "an access token with our aud and no client_id",
                TokenForge.claims(["aud": client, "client_id": nil]), "bad-claim client_id"),
            signed(
                "an access token of another client, with ours as aud",
                TokenForge.claims(["aud": client, "client_id": "\"other-app\""]), "wrong-client"),
            signed(
                "an access token of another client, with ours as azp",
                TokenForge.claims(["azp": client, "client_id": "\"other-app\""]), "wrong-client"),
            signed(
                "an access token of a server, whose sub is its client id", TokenForge.claims(["sub": client]),
                "bad-claim sub"),
            signed(
                "a token of another pool, signed with the same key",
                TokenForge.claims(["iss": "\"\(TokenForge.issuer)4\""]), "wrong-issuer"),
        ]
    }

    private static func json() throws -> [TokenAttack] {
        let good = TokenForge.claims()
        let members = good.dropFirst().dropLast()
        let texts = [
            "{\(members),\"exp\":\(TokenForge.now + 9_999_999)}", "{\"exp\":1,\(members)}",
            "{\(members),\"sub\":\"\(TokenForge.sub)\"}", #"{\#(members),"\u0073ub":"admin"}"#,
            #"{\#(members),"cognito:groups":[],"cognito:groups":["admin"]}"#, #"{\#(members),"x":{"y":1,"y":2}}"#,
            "\u{feff}\(good)", "\(good)\u{0}", "\(good){}", "\(good),", "[\(good)]", "\"\(TokenForge.sub)\"", "null",
            "", " ", "{", "{\(members)", "{\(members),}", "{\(members),\"x\":.5}", "{\(members),\"x\":0x10}",
            "{\(members),\"x\":Infinity}", "{\(members),\"x\":\"\u{0}\"}", #"{\#(members),"x":"\udc00"}"#,
            "{\(members)//\n}",
            "{\(members),\"x\":\(String(repeating: "{\"x\":", count: 8))1\(String(repeating: "}", count: 8))}",
            "{\(members),\"x\":\(String(repeating: "[", count: 3000))\(String(repeating: "]", count: 3000))}",
            // The claims of a nested token: a token where claims should be.
            try TokenForge.token(),
        ]
        let bytes: [(String, [UInt8])] = [
            ("in UTF-16", Array(good.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] })),
            ("in UTF-16 with its mark", [0xfe, 0xff] + good.utf16.flatMap { [0, UInt8(truncatingIfNeeded: $0)] }),
            ("in UTF-32", Array(good.unicodeScalars.flatMap { [UInt8(truncatingIfNeeded: $0.value), 0, 0, 0] })),
            ("with a byte that is not UTF-8", Array("{\(members),\"x\":\"".utf8) + [0x80] + Array("\"}".utf8)),
            ("with an encoded surrogate", Array("{\(members),\"x\":\"".utf8) + [0xed, 0xa0, 0x80] + Array("\"}".utf8)),
        ]
        return try texts.enumerated().map { try signed("claims \($0): \($1.prefix(70))", $1, "malformed") }
            + bytes.map { name, bytes in
                TokenAttack(
                    "claims \(name)",
                    try TokenForge.token(headerBytes: Array(TokenForge.header.utf8), claimsBytes: bytes), "malformed")
            }
    }
}
