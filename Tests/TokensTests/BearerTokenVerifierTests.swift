import Testing
import Tokens

@Suite struct BearerTokenVerifierTests {
    @Test func anAccessTokenOfOurClientIsTaken() throws {
        let token = try TokenForge.token(claims: TokenForge.claims(["cognito:groups": #"["admin","testing"]"#]))
        let claims = try TokenForge.verify(token)
        #expect(claims.sub == TokenForge.sub)
        #expect(claims.tokenUse == .access)
        #expect(claims.clientID == TokenForge.client)
        #expect(claims.groups == ["admin", "testing"])
        #expect(claims.isAdmin)
        #expect(claims.expiresAt == TokenForge.now + 3600)
        #expect(claims.issuedAt == TokenForge.now)
    }

    @Test func anIdTokenNeedsTheAudienceInstead() throws {
        let claims = TokenForge.claims(["token_use": "\"id\"", "aud": "\"ipad-app\"", "client_id": nil])
        let verified = try TokenForge.verify(TokenForge.token(claims: claims))
        #expect(verified.tokenUse == .id)
        #expect(verified.clientID == "ipad-app")
    }

    @Test func theOpenSSLCommandAgreesWithTheSignature() throws {
        let signature = try TokenForge.signer.sign(Array("message".utf8))
        let publicKey = OpenSSLCommand.run(
            "pkey -in key.pem -pubout -out public.pem", files: ["key.pem": Array(try TokenForge.signer.pem.utf8)],
            output: "public.pem")
        let files = ["public.pem": publicKey.output, "signature": signature, "message": Array("message".utf8)]
        #expect(
            OpenSSLCommand.run("dgst -sha256 -verify public.pem -signature signature message", files: files).succeeded)
    }

    @Test func aKeyThatWasWrittenAndReadAgainIsTheSame() throws {
        let again = try RS256Signer(pem: TokenForge.signer.pem)
        #expect(again.keyID == TokenForge.signer.keyID)
        #expect(again.jwk == TokenForge.signer.jwk)
        let token = try again.token(claims: Array(TokenForge.claims().utf8))
        #expect(try TokenForge.verify(token).sub == TokenForge.sub)
    }
}
