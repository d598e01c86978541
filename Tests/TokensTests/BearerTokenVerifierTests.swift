import Testing
import Tokens

@Suite struct BearerTokenVerifierTests {
    static let issuer = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Abc123"
    static let now = 1_800_000_000
    static let signer: RS256Signer = {
        do { return try RS256Signer.generate() } catch { fatalError("no test key: \(error)") }
    }()
    static let sub = "6f1c7d3a-9d0b-4c55-8a6e-0123456789ab"

    private let verifier = BearerTokenVerifier(issuer: issuer, clientIDs: ["ios-app", "ipad-app"])

    private func keys() throws -> JWKS { try JWKS(json: Array(Self.signer.jwks.utf8)) }

    /// The members of good claims as JSON texts; nil leaves one out.
    private static func claims(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "iss": "\"\(issuer)\"", "sub": "\"\(sub)\"", "client_id": "\"ios-app\"", "token_use": "\"access\"",
            "exp": "\(now + 3600)", "iat": "\(now)",
        ]
        for (name, value) in changes { members.updateValue(value, forKey: name) }
        return "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    private static func token(header: String? = nil, claims: String = claims()) throws -> String {
        let header = header ?? #"{"alg":"RS256","kid":"\#(signer.keyID)"}"#
        let signed = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        return "\(signed).\(Base64URL.encode(try signer.sign(Array(signed.utf8))))"
    }

    @Test func anAccessTokenOfOurClientIsTaken() throws {
        let token = try Self.token(claims: Self.claims(["cognito:groups": #"["admin","testing"]"#]))
        let claims = try verifier.verify(token, keys: keys(), now: Self.now)
        #expect(claims.sub == Self.sub)
        #expect(claims.tokenUse == .access)
        #expect(claims.clientID == "ios-app")
        #expect(claims.groups == ["admin", "testing"])
        #expect(claims.isAdmin)
        #expect(claims.expiresAt == Self.now + 3600)
    }

    @Test func anIdTokenNeedsTheAudienceInstead() throws {
        let good = Self.claims(["token_use": "\"id\"", "aud": "\"ipad-app\"", "client_id": nil])
        #expect(try verifier.verify(Self.token(claims: good), keys: keys(), now: Self.now).tokenUse == .id)
        let withClientOnly = Self.claims(["token_use": "\"id\""])
        #expect(throws: BearerTokenError.badClaim("aud")) {
            try verifier.verify(Self.token(claims: withClientOnly), keys: keys(), now: Self.now)
        }
    }

    @Test func theOpenSSLCommandAgreesWithTheSignature() throws {
        let signature = try Self.signer.sign(Array("message".utf8))
        let publicKey = OpenSSLCommand.run(
            "pkey -in key.pem -pubout -out public.pem", files: ["key.pem": Array(try Self.signer.pem.utf8)],
            output: "public.pem")
        let files = ["public.pem": publicKey.output, "signature": signature, "message": Array("message".utf8)]
        #expect(
            OpenSSLCommand.run("dgst -sha256 -verify public.pem -signature signature message", files: files).succeeded)
    }

    @Test func aKeyThatWasWrittenAndReadAgainIsTheSame() throws {
        let again = try RS256Signer(pem: Self.signer.pem)
        #expect(again.keyID == Self.signer.keyID)
        #expect(again.jwk == Self.signer.jwk)
        let token = try again.token(claims: Array(Self.claims().utf8))
        #expect(try verifier.verify(token, keys: keys(), now: Self.now).sub == Self.sub)
    }

    @Test(
        arguments: [
            ("exp", "\(now - 61)", BearerTokenError.expired), ("exp", nil, .badClaim("exp")),
            ("exp", "\"\(now + 60)\"", .badClaim("exp")), ("exp", "\(now).5", .badClaim("exp")),
            ("exp", "1e309", .badClaim("exp")), ("exp", "1.8e9", .badClaim("exp")), ("exp", "-1", .badClaim("exp")),
            ("exp", "99999999999999999999999", .badClaim("exp")), ("exp", "null", .badClaim("exp")),
            ("exp", "true", .badClaim("exp")), ("exp", "[\(now + 60)]", .badClaim("exp")),
            ("nbf", "\(now + 61)", .notYetValid), ("nbf", "\"\(now)\"", .badClaim("nbf")),
            ("nbf", "null", .badClaim("nbf")),
            ("iat", "\(now + 61)", .notYetValid), ("iat", "{}", .badClaim("iat")), ("iat", nil, .badClaim("iat")),
            ("iss", nil, .badClaim("iss")), ("iss", "\"https://elsewhere.example\"", .wrongIssuer),
            ("iss", "[\"\(issuer)\"]", .badClaim("iss")), ("iss", "\"\(issuer)/\"", .wrongIssuer),
            ("iss", "\"\(issuer.uppercased())\"", .wrongIssuer), ("iss", "null", .badClaim("iss")),
            ("token_use", nil, .badClaim("token_use")), ("token_use", "\"refresh\"", .badClaim("token_use")),
            ("token_use", "\"ACCESS\"", .badClaim("token_use")), ("token_use", "1", .badClaim("token_use")),
            ("token_use", "\"id\"", .badClaim("aud")),
            ("client_id", "\"other-app\"", .wrongClient), ("client_id", nil, .badClaim("client_id")),
            ("client_id", "[\"ios-app\"]", .badClaim("client_id")), ("client_id", "\"\"", .wrongClient),
            ("sub", nil, .badClaim("sub")), ("sub", "\"\"", .badClaim("sub")), ("sub", "\"admin\"", .badClaim("sub")),
            ("sub", "7", .badClaim("sub")), ("sub", "\"6f1c7d3a-9d0b-4c55-8a6e-0123456789a\"", .badClaim("sub")),
            ("sub", "\"6f1c7d3a-9d0b-4c55-8a6e-0123456789ag\"", .badClaim("sub")),
            ("sub", "\"6f1c7d3a-9d0b-4c55-8a6e-0123456789ab\\u0000\"", .badClaim("sub")),
            ("sub", "\"6f1c7d3a09d0b-4c55-8a6e-0123456789ab\"", .badClaim("sub")),
            ("cognito:groups", "\"admin\"", .badClaim("cognito:groups")),
            ("cognito:groups", "[1]", .badClaim("cognito:groups")),
            ("cognito:groups", "null", .badClaim("cognito:groups")),
        ] as [(String, String?, BearerTokenError)])
    func aSignedTokenWithAWrongClaimIsRefused(name: String, value: String?, expected: BearerTokenError) throws {
        let token = try Self.token(claims: Self.claims([name: value]))
        #expect(throws: expected) { try verifier.verify(token, keys: keys(), now: Self.now) }
    }

    @Test func theClocksMayBeAMinuteApart() throws {
        let late = try Self.token(claims: Self.claims(["exp": "\(Self.now - 59)"]))
        #expect(try verifier.verify(late, keys: keys(), now: Self.now).sub == Self.sub)
        let early = try Self.token(claims: Self.claims(["iat": "\(Self.now + 60)", "nbf": "\(Self.now + 60)"]))
        #expect(try verifier.verify(early, keys: keys(), now: Self.now).sub == Self.sub)
    }

    @Test(arguments: [
        #"{"alg":"none","kid":"KID"}"#, #"{"alg":"None","kid":"KID"}"#, #"{"alg":"HS256","kid":"KID"}"#,
        #"{"alg":"RS384","kid":"KID"}"#, #"{"alg":"RS512","kid":"KID"}"#, #"{"alg":"PS256","kid":"KID"}"#,
        #"{"alg":"ES256","kid":"KID"}"#, #"{"alg":"rs256","kid":"KID"}"#, #"{"alg":["RS256"],"kid":"KID"}"#,
        #"{"alg":"RS256 ","kid":"KID"}"#, #"{"kid":"KID"}"#, #"{"alg":null,"kid":"KID"}"#, #"{"alg":"RS256"}"#,
        #"{"alg":"RS256","kid":""}"#, #"{"alg":"RS256","kid":null}"#, #"{"alg":"RS256","kid":7}"#,
        #"{"alg":"RS256","kid":"../../etc/passwd"}"#, #"{"alg":"RS256","kid":"' OR 1=1 --"}"#,
        #"{"alg":"RS256","kid":"KID\u0000"}"#, #"{"alg":"RS256","kid":" KID"}"#,
        #"{"alg":"RS256","kid":"KID","jku":"https://evil.example/jwks"}"#,
        #"{"alg":"RS256","kid":"KID","x5u":"https://evil.example/c"}"#, #"{"alg":"RS256","kid":"KID","jwk":{}}"#,
        #"{"alg":"RS256","kid":"KID","x5c":[]}"#, #"{"alg":"RS256","kid":"KID","crit":["exp"]}"#,
        #"{"alg":"RS256","kid":"KID","crit":[]}"#, #"{"alg":"RS256","kid":"KID","b64":false}"#,
        #"{"alg":"RS256","kid":"KID","zip":"DEF"}"#, #"{"alg":"RS256","kid":"KID","typ":"JWE"}"#,
        #"{"alg":"RS256","kid":"KID","typ":1}"#,
    ])
    func aSignedTokenWithAnotherHeaderIsRefused(header: String) throws {
        let header = header.split(separator: "KID", omittingEmptySubsequences: false).joined(
            separator: Self.signer.keyID)
        let error = #expect(throws: BearerTokenError.self) {
            try verifier.verify(Self.token(header: header), keys: keys(), now: Self.now)
        }
        #expect(error?.kind == "unsupported-header")
    }

    @Test func aKeyIsFoundByItsExactIdOnly() throws {
        for id in [
            "other", Self.signer.keyID + "=", String(Self.signer.keyID.dropLast()), Self.signer.keyID.lowercased(),
        ] {
            #expect(throws: BearerTokenError.unknownKey) {
                try verifier.verify(Self.token(header: #"{"alg":"RS256","kid":"\#(id)"}"#), keys: keys(), now: Self.now)
            }
        }
    }

    @Test(arguments: [
        #"{"alg":"RS256","alg":"none","kid":"KID"}"#, #"{"alg":"RS256","kid":"KID","kid":"KID"}"#, #"["RS256"]"#,
        #"{"alg":"RS256","kid":"KID"}{}"#, #"{"alg":"RS256","kid":"KID",}"#, "", "null", "\u{feff}{\"alg\":\"RS256\"}",
        #"{"alg":"RS256","x":[[[[[[[[[]]]]]]]]]}"#, #"{"alg":"RS256","x":"\ud800"}"#, #"{"alg":"RS256","x":01}"#,
    ])
    func aHeaderThatIsNotStrictJSONIsRefused(header: String) throws {
        let error = #expect(throws: BearerTokenError.self) {
            try verifier.verify(Self.token(header: header), keys: keys(), now: Self.now)
        }
        #expect(error?.kind == "malformed")
    }

    @Test func duplicateClaimsAreRefused() throws {
        let claims = Self.claims().dropLast() + #","sub":"\#(Self.sub)"}"#
        let error = #expect(throws: BearerTokenError.self) {
            try verifier.verify(Self.token(claims: String(claims)), keys: keys(), now: Self.now)
        }
        #expect(error?.kind == "malformed")
    }

    @Test func onlyTheExactSpellingOfATokenIsTaken() throws {
        let token = try Self.token()
        let parts = token.split(separator: ".").map(String.init)
        let broken = [
            "", ".", "..", "...", token + ".", "." + token, token + "=", token + " ", " " + token, token + "\n",
            token + "\u{0}", "\(parts[0]).\(parts[1])", "\(parts[0]).\(parts[1]).", "\(parts[0])..\(parts[2])",
            "\(parts[0])=.\(parts[1]).\(parts[2])", token + "A", token + "AA", token + ".e30", "Bearer " + token,
            token.uppercased(), "\(parts[1]).\(parts[0]).\(parts[2])", String(repeating: "a", count: 9000),
            token.replacingFirst(".", with: ".\u{200b}"),
        ]
        for text in broken {
            #expect(throws: BearerTokenError.self) { try verifier.verify(text, keys: keys(), now: Self.now) }
        }
    }

    @Test func noMutationOfAValidTokenIsTaken() throws {
        let token = Array(try Self.token().utf8)
        let keys = try keys()
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var mutant = token
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                mutant[Int.random(in: mutant.indices, using: &generator)] = UInt8.random(in: 0...127, using: &generator)
            case 1: mutant.remove(at: Int.random(in: mutant.indices, using: &generator))
            default:
                mutant.insert(
                    UInt8.random(in: 33...126, using: &generator), at: Int.random(in: mutant.indices, using: &generator)
                )
            }
            guard mutant != token else { continue }
            let text = String(decoding: mutant, as: UTF8.self)
            #expect(throws: BearerTokenError.self) { try verifier.verify(text, keys: keys, now: Self.now) }
        }
    }

    @Test func aTokenSignedByAnotherKeyUnderOurIdIsRefused() throws {
        let stranger = try RS256Signer.generate()
        let header = Base64URL.encode(#"{"alg":"RS256","kid":"\#(Self.signer.keyID)"}"#.utf8)
        let signed = "\(header).\(Base64URL.encode(Self.claims().utf8))"
        let token = "\(signed).\(Base64URL.encode(try stranger.sign(Array(signed.utf8))))"
        #expect(throws: BearerTokenError.badSignature) { try verifier.verify(token, keys: keys(), now: Self.now) }
    }
}

extension String {
    fileprivate func replacingFirst(_ character: Character, with text: String) -> String {
        guard let index = firstIndex(of: character) else { return self }
        return self[..<index] + text + self[self.index(after: index)...]
    }
}
