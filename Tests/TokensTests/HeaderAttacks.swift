import Tokens

/// Attacks by what the header says. The issuer's key has signed each, unless the name says otherwise: only the header
/// is at fault.
enum HeaderAttacks {
    static func all() throws -> [TokenAttack] {
        try algorithms() + borrowedAlgorithms() + keyIDs() + instructions() + json()
    }

    private static func header(_ members: String) -> String { "{\(members)}" }
    private static var kid: String { #""kid":"\#(TokenForge.signer.keyID)""# }

    private static func signed(_ name: String, _ header: String, _ refusal: String) throws -> TokenAttack {
        TokenAttack(name, try TokenForge.token(header: header), refusal)
    }

    private static func algorithms() throws -> [TokenAttack] {
        let values = [
            #""none""#, #""None""#, #""NONE""#, #""nOnE""#, #""HS256""#, #""HS384""#, #""RS384""#, #""RS512""#,
            #""PS256""#, #""ES256""#, #""EdDSA""#, #""RSA-OAEP""#, #""rs256""#, #""RS256 ""#, #"" RS256""#,
            #""RS256\u0000""#, #""RS2\u200b56""#, #""""#, #"["RS256"]"#, #"{"RS256":1}"#, "null", "256", "true",
        ]
        return try values.map { try signed("alg \($0)", header("\"alg\":\($0),\(kid)"), "unsupported-header") } + [
            signed("no alg", header(kid), "unsupported-header"),
            signed("an empty header", "{}", "unsupported-header"),
            signed("Alg in capitals instead of alg", header(#""Alg":"RS256",\#(kid)"#), "unsupported-header"),
        ]
    }

    /// The signature is honest work with another algorithm, under its own name and under ours.
    private static func borrowedAlgorithms() throws -> [TokenAttack] {
        var attacks = [
            TokenAttack(
                "alg none and no signature",
                try TokenForge.token(headerBytes: Array(header(#""alg":"none",\#(kid)"#).utf8)) { _ in [] },
                "malformed")
        ]
        for forgery in [OpenSSLSignature.hmacWithThePublicKey, .rs384, .rs512, .ps256, .es256] {
            for (alg, refusal) in [(forgery.alg, "unsupported-header"), ("RS256", "bad-signature")] {
                let header = Array(header("\"alg\":\"\(alg)\",\(kid)").utf8)
                let token = try TokenForge.token(headerBytes: header) { try forgery.sign($0) }
                attacks.append(TokenAttack("\(forgery.name), which the header calls \(alg)", token, refusal))
            }
        }
        return attacks
    }

    private static func keyIDs() throws -> [TokenAttack] {
        let id = TokenForge.signer.keyID
        let known = #""alg":"RS256""#
        let malformed = [
            "null", "7", "true", "[]", "[\"\(id)\"]", "{}", #""""#, #"" ""#, "\" \(id)\"", "\"\(id) \"",
            "\"\(id)\\u0000\"", "\"\(id)\\n\"", #""../../../../etc/passwd""#, #""file:\/\/\/dev\/null""#,
            #""' OR '1'='1""#, #""x' UNION SELECT 'key' --""#, #""|id""#, #""$(id)""#, #""%s%s%n""#,
            #""\u212aey""#, #""\u043a""#, "\"\(String(repeating: "a", count: 129))\"",
            "\"\(String(repeating: "k", count: 1024))\"",
        ]
        let unknown = [
            "other", "dummy", id + "=", String(id.dropLast()), id + "A", id.lowercased(), id.uppercased(), "/dev/null",
            "0", String(repeating: "a", count: 128),
        ]
        return try malformed.map { try signed("kid \($0)", header("\(known),\"kid\":\($0)"), "unsupported-header") }
            + unknown.map { try signed("unknown kid \($0)", header("\(known),\"kid\":\"\($0)\""), "unknown-key") } + [
                signed("no kid", header(known), "unsupported-header"),
                signed(
                    "a kid of 10 KB", header("\(known),\"kid\":\"\(String(repeating: "k", count: 10_240))\""),
                    "malformed"),
            ]
    }

    /// Headers by which a token would say how it is to be checked, the keys among them being the attacker's own.
    private static func instructions() throws -> [TokenAttack] {
        let own = TokenForge.stranger
        let members = [
            #""jku":"https://evil.example/.well-known/jwks.json""#, #""jku":null"#, #""x5u":"https://evil.example/c""#,
            #""jwk":\#(own.jwk)"#, #""jwk":{}"#, #""x5c":["MIIB"]"#, #""x5c":[]"#, #""crit":["exp"]"#,
            #""crit":["b64"],"b64":false"#, #""crit":[]"#, #""crit":null"#, #""b64":false"#, #""b64":true"#,
            #""zip":"DEF""#, #""enc":"A256GCM""#, #""typ":"JWE""#, #""typ":"JOSE""#, #""typ":1"#, #""typ":null"#,
            #""typ":["JWT"]"#,
        ]
        return try members.map { member in
            try signed("a header with \(member)", header("\"alg\":\"RS256\",\(kid),\(member)"), "unsupported-header")
        } + [
            TokenAttack(
                "the attacker's jwk, and his signature",
                try TokenForge.token(headerBytes: Array(#"{"alg":"RS256",\#(kid),"jwk":\#(own.jwk)}"#.utf8)) {
                    try own.sign($0)
                }, "unsupported-header"),
            TokenAttack(
                "the attacker's signature under our kid", try TokenForge.token { try own.sign($0) }, "bad-signature"),
            TokenAttack(
                "the attacker's signature under his own kid",
                try TokenForge.token(headerBytes: Array(#"{"alg":"RS256","kid":"\#(own.keyID)"}"#.utf8)) {
                    try own.sign($0)
                }, "unknown-key"),
        ]
    }

    private static func json() throws -> [TokenAttack] {
        let good = #""alg":"RS256",\#(kid)"#
        let texts = [
            #"{"alg":"none",\#(good)}"#, #"{\#(good),"alg":"none"}"#, #"{\#(good),"\u0061lg":"none"}"#,
            #"{\#(good),\#(kid)}"#, #"{\#(good),"x":1,"x":1}"#, "{\(good)}{}", "{\(good)} x", "{\(good),}",
            "{\(good)", "[{\(good)}]", "[\"RS256\"]", "null", "\"RS256\"", "{'alg':'RS256'}", "{alg:\"RS256\",\(kid)}",
            "{\(good)/**/}", "{\(good)}\u{0}", "\u{feff}{\(good)}", #"{\#(good),"x":"\ud800"}"#, "{\(good),\"x\":01}",
            "{\(good),\"x\":\(String(repeating: "[", count: 9))\(String(repeating: "]", count: 9))}",
            "{\(good),\"x\":NaN}", "{\(good),\"x\":\"a\nb\"}",
        ]
        let bytes: [(String, [UInt8])] = [
            ("in UTF-16", Array("{\(good)}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] })),
            (
                "in UTF-16 with its mark",
                [0xff, 0xfe] + "{\(good)}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), 0] }
            ),
            ("with a byte that is not UTF-8", Array("{\(good),\"x\":\"".utf8) + [0xff] + Array("\"}".utf8)),
            ("with an overlong NUL", Array("{\(good),\"x\":\"".utf8) + [0xc0, 0x80] + Array("\"}".utf8)),
        ]
        return try texts.map { try signed("the header \($0)", $0, "malformed") }
            + bytes.map { name, bytes in
                TokenAttack(
                    "a header \(name)",
                    try TokenForge.token(headerBytes: bytes, claimsBytes: Array(TokenForge.claims().utf8)), "malformed")
            }
    }
}
