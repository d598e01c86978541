import Testing
import Tokens

/// Tokens as Amazon Cognito makes them, with all that its documentation shows in them. None may be refused.
@Suite struct GenuineTokenTests {
    /// Cognito's own ids are the base64 of 32 bytes, with its padding.
    private static let keyID = "abcdefghijklmnopqrsexample+/2tuvwxyz0123456="

    private func verify(_ claims: String, header: String? = nil) throws -> BearerClaims {
        let own = TokenForge.signer
        let jwks = own.jwks.replacing(own.keyID, with: Self.keyID)
        let header = header ?? #"{"kid":"\#(Self.keyID)","alg":"RS256"}"#
        return try TokenForge.verifier.verify(
            TokenForge.token(header: header, claims: claims), keys: JWKS(json: Array(jwks.utf8)), now: TokenForge.now)
    }

    @Test func anAccessToken() throws {
        let claims = try verify(
            """
            {"sub":"\(TokenForge.sub)","device_key":"eu-west-1_aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "cognito:groups":["admin","Fans of the game"],"iss":"\(TokenForge.issuer)","version":2,
            "client_id":"\(TokenForge.client)","origin_jti":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "event_id":"64f513be-32db-42b0-b78e-b02127b4f463","token_use":"access",
            "scope":"phone openid profile aws.cognito.signin.user.admin email","auth_time":\(TokenForge.now - 100),
            "exp":\(TokenForge.now + 3500),"iat":\(TokenForge.now - 100),
            "jti":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee","username":"my-test-user"}
            """)
        #expect(claims.sub == TokenForge.sub)
        #expect(claims.tokenUse == .access)
        #expect(claims.clientID == TokenForge.client)
        #expect(claims.groups == ["admin", "Fans of the game"])
        #expect(claims.isAdmin)
    }

    @Test func anIdToken() throws {
        let claims = try verify(
            """
            {"sub":"\(TokenForge.sub)","cognito:groups":["test-group-a","test-group-b"],"email_verified":true,
            "cognito:preferred_role":"arn:aws:iam::111122223333:role/my-test-role","iss":"\(TokenForge.issuer)",
            "cognito:username":"my-test-user","middle_name":"Jané","nonce":"abcdefg",
            "origin_jti":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "cognito:roles":["arn:aws:iam::111122223333:role/my-test-role"],"aud":"\(TokenForge.client)",
            "identities":[{"userId":"amzn1.account.EXAMPLE","providerName":"LoginWithAmazon","providerType":
            "LoginWithAmazon","issuer":null,"primary":"true","dateCreated":"1642699117273"}],
            "event_id":"64f513be-32db-42b0-b78e-b02127b4f463","token_use":"id","auth_time":\(TokenForge.now),
            "exp":\(TokenForge.now + 3600),"iat":\(TokenForge.now),"jti":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee",
            "email":"my-test-user@example.com","phone_number":"+15555550100","phone_number_verified":false,
            "address":{"formatted":"1 Lord's\\nLondon","country":"\\u0047B"},"birthdate":"1970-01-01","zoneinfo":
            "Europe/London","locale":"en_GB","at_hash":"aBcD-_","custom:favourite team":"Mumbai 🏏","updated_at":
            \(TokenForge.now)}
            """)
        #expect(claims.tokenUse == .id)
        #expect(claims.groups == ["test-group-a", "test-group-b"])
        #expect(!claims.isAdmin)
    }

    @Test func aUserInNoGroup() throws {
        #expect(try verify(TokenForge.claims()).groups.isEmpty)
        #expect(try verify(TokenForge.claims(["cognito:groups": "[]"])).groups.isEmpty)
    }

    @Test func aUserInEveryGroup() throws {
        let names = (0..<100).map { "group-\($0)-with-a-longer-name" }
        let groups = "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]"
        #expect(try verify(TokenForge.claims(["cognito:groups": groups])).groups == Set(names))
    }

    @Test func anAccessTokenBoundToAResource() throws {
        #expect(try verify(TokenForge.claims(["aud": "\"https://api.example\""])).tokenUse == .access)
        #expect(try verify(TokenForge.claims(["aud": "[\"https://api.example\"]"])).tokenUse == .access)
    }

    @Test func claimsThatATriggerAdded() throws {
        let added = #"{"plans":[{"name":"gold","since":1.5e9,"limits":{"matches":[1,2,-3]}}],"none":null,"yes":true}"#
        #expect(try verify(TokenForge.claims(["entitlements": added])).sub == TokenForge.sub)
    }

    @Test(arguments: [
        #"{"typ":"JWT","alg":"RS256","kid":"KID"}"#, #"{"alg":"RS256","typ":"at+jwt","kid":"KID"}"#,
        "{ \"kid\" : \"KID\" ,\r\n\t\"alg\" : \"RS256\" }", #"{"\u0061lg":"RS256","kid":"KID"}"#,
    ])
    func otherSpellingsOfTheHeader(_ header: String) throws {
        #expect(
            try verify(TokenForge.claims(), header: header.replacing("KID", with: Self.keyID)).sub == TokenForge.sub)
    }

    @Test func clocksThatAreAMinuteApart() throws {
        let now = TokenForge.now
        #expect(try verify(TokenForge.claims(["exp": "\(now - 59)"])).sub == TokenForge.sub)
        #expect(try verify(TokenForge.claims(["iat": "\(now + 60)", "nbf": "\(now + 60)"])).sub == TokenForge.sub)
    }

    @Test func aTokenOfADayIsTheLongestLivedOne() throws {
        let now = TokenForge.now
        #expect(try verify(TokenForge.claims(["exp": "\(now + 86_400)"])).expiresAt == now + 86_400)
        #expect(try verify(TokenForge.claims(["iat": "\(now - 86_390)", "exp": "\(now + 10)"])).sub == TokenForge.sub)
    }

    @Test func aUserIsTheSameInLargeAndSmallLetters() throws {
        for sub in [TokenForge.sub, TokenForge.sub.uppercased(), "6F1c7D3a-9d0b-4c55-8a6e-0123456789AB"] {
            #expect(try verify(TokenForge.claims(["sub": "\"\(sub)\""])).sub == TokenForge.sub)
        }
    }

    @Test func theLongestTokenThatIsRead() throws {
        func token(filler: Int) throws -> String {
            try TokenForge.token(claims: TokenForge.claims(["x": "\"\(String(repeating: "a", count: filler))\""]))
        }
        // Four letters for three bytes.
        let room = (BearerTokenVerifier.tokenBytesMax - (try token(filler: 0)).utf8.count) * 3 / 4 - 2
        #expect(try TokenForge.refusal(of: token(filler: room)) == "accepted")
        #expect(try token(filler: room).utf8.count > BearerTokenVerifier.tokenBytesMax - 5)
        #expect(try TokenForge.refusal(of: token(filler: room + 8)) == "malformed")
    }
}
