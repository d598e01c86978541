import Testing
import Tokens

@Suite struct ES256Tests {
    private let message = Array("header.claims".utf8)

    /// SEQUENCE { INTEGER r, INTEGER s }, written out here so that nothing of the module's takes part.
    private func der(_ signature: [UInt8]) -> [UInt8] {
        func integer(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = Array(bytes.drop { $0 == 0 })
            if (bytes.first ?? 0x80) & 0x80 != 0 { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        let body = integer(Array(signature.prefix(32))) + integer(Array(signature.suffix(32)))
        return [0x30, UInt8(body.count)] + body
    }

    @Test func signaturesAreWhatTheOpenSSLCommandCallsVerified() throws {
        let signer = try ES256Signer(pem: ES256Signer.generatePEM())
        for _ in 0..<3 {
            let signature = try signer.sign(message)
            #expect(signature.count == 64)
            let files = try [
                "public.pem": Array(signer.publicKeyPEM.utf8), "signature": der(signature), "message": message,
            ]
            #expect(
                OpenSSLCommand.run("dgst -sha256 -verify public.pem -signature signature message", files: files)
                    .succeeded)
        }
    }

    @Test func aKeyMadeByTheOpenSSLCommandSignsForOurVerifier() throws {
        let pem = OpenSSLCommand.text(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8", output: "key.p8")
        let signer = try ES256Signer(pem: pem)
        let signature = try signer.sign(message)
        #expect(try ES256Verifier(pem: signer.publicKeyPEM).isValid(signature: signature, of: message))
        #expect(try ES256Verifier(pem: pem).isValid(signature: signature, of: message))
    }

    @Test func aSignatureOfTheWrongLengthOrContentIsNotValid() throws {
        let signer = try ES256Signer(pem: ES256Signer.generatePEM())
        let verifier = try ES256Verifier(pem: signer.publicKeyPEM)
        let signature = try signer.sign(message)
        #expect(!verifier.isValid(signature: [], of: message))
        #expect(!verifier.isValid(signature: der(signature), of: message))
        #expect(!verifier.isValid(signature: [UInt8](repeating: 0, count: 64), of: message))
        #expect(!verifier.isValid(signature: signature, of: message + [0]))
        for index in signature.indices {
            var broken = signature
            broken[index] ^= 1
            #expect(!verifier.isValid(signature: broken, of: message))
        }
    }

    @Test(arguments: [
        "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -out key",
        "genpkey -algorithm ED25519 -out key",
        "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass pass:secret -out key",
    ])
    func keysOfAnotherKindOrEncryptedAreRefused(command: String) {
        let pem = OpenSSLCommand.text(command, output: "key")
        #expect(pem.contains("PRIVATE KEY"))
        #expect(throws: OpenSSLError.self) { try ES256Signer(pem: pem) }
    }

    @Test func anErrorSaysWhatWasDoneAndLeavesTheQueueEmpty() throws {
        for _ in 0..<2 {
            let error = #expect(throws: OpenSSLError.self) {
                try ES256Signer(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
            }
            #expect(error?.doing == "read a private key")
            let reasons = try #require(error?.reasons)
            #expect(!reasons.isEmpty)
            #expect(reasons.count < 8, "\(reasons)")
        }
    }

    @Test func aProviderTokenIsThreePartsThatTheOpenSSLCommandVerifies() throws {
        let signer = try ES256Signer(pem: ES256Signer.generatePEM())
        let token = try ProviderToken.make(
            keyID: "ABC123DEFG", teamID: "DEF123GHIJ", issuedAt: 1_437_179_036, signer: signer)
        let parts = token.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        let header = try JSONValue(strict: #require(Base64URL.decode(parts[0])))
        #expect(header == .object(["alg": .string("ES256"), "kid": .string("ABC123DEFG")]))
        let claims = try JSONValue(strict: #require(Base64URL.decode(parts[1])))
        #expect(claims == .object(["iss": .string("DEF123GHIJ"), "iat": .number("1437179036")]))
        let files = try [
            "public.pem": Array(signer.publicKeyPEM.utf8), "signature": der(#require(Base64URL.decode(parts[2]))),
            "message": Array("\(parts[0]).\(parts[1])".utf8),
        ]
        #expect(
            OpenSSLCommand.run("dgst -sha256 -verify public.pem -signature signature message", files: files).succeeded)
    }

    @Test func aProviderTokenRefusesIdsThatWouldBreakItsJSON() throws {
        let signer = try ES256Signer(pem: ES256Signer.generatePEM())
        #expect(throws: ProviderToken.Refusal.self) {
            try ProviderToken.make(keyID: "A\"B", teamID: "T", issuedAt: 1, signer: signer)
        }
        #expect(throws: ProviderToken.Refusal.self) {
            try ProviderToken.make(keyID: "A", teamID: "", issuedAt: 1, signer: signer)
        }
    }
}
