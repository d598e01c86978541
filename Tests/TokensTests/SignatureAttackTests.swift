import Testing
import Tokens

/// RS256 against forged signatures, of the kinds that Wycheproof's files hold.
@Suite struct SignatureAttackTests {
    private let headerAndClaims: [UInt8]
    private let rsa: RawRSA
    private let signature: [UInt8]

    init() throws {
        headerAndClaims = Array(
            "\(Base64URL.encode(TokenForge.header.utf8)).\(Base64URL.encode(TokenForge.claims().utf8))".utf8)
        rsa = try RawRSA(pem: TokenForge.signer.pem)
        signature = try TokenForge.signer.sign(headerAndClaims)
    }

    private func refusal(of signature: [UInt8]) throws -> String {
        try TokenForge.refusal(of: TokenForge.token { _ in signature })
    }

    @Test func theRightBlockIsAcceptedWhoeverMadeIt() throws {
        let block = try PaddingForgery.honest.block(SHA256Digest.of(headerAndClaims))
        #expect(try rsa.recover(signature) == block)
        #expect(try rsa.sign(block) == signature)
        #expect(try refusal(of: rsa.sign(block)) == "accepted")
    }

    /// With the real key, so that nothing but the block can be at fault.
    @Test(arguments: PaddingForgery.all.indices) func noOtherBlockIsTaken(_ index: Int) throws {
        let forgery = PaddingForgery.all[index]
        let block = try forgery.block(SHA256Digest.of(headerAndClaims))
        // A number that is not below the modulus cannot be signed; the key's own size leaves a zero in front.
        guard block.first == 0 else { return #expect(forgery.name == "no zero in front") }
        let forged = try rsa.sign(block)
        #expect(try rsa.recover(forged) == block, "\(forgery.name)")
        #expect(try refusal(of: forged) == "bad-signature", "\(forgery.name)")
    }

    @Test func numbersThatEverybodyKnowsAreNoSignatures() throws {
        let n = rsa.modulus
        func number(_ low: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: n.count - 1) + [low] }
        let odd = try #require(n.last)
        let numbers: [(String, [UInt8])] = [
            ("0", number(0)), ("1", number(1)), ("2", number(2)), ("n - 1", n.dropLast() + [odd - 1]), ("n", n),
            ("n + 1", RawRSA.sum(n, [1])), ("2^2048 - 1", [UInt8](repeating: 0xff, count: n.count)),
            ("1 in one byte", [1]), ("0 in one byte", [0]), ("the digest", try SHA256Digest.of(headerAndClaims)),
            ("the block itself", try PaddingForgery.honest.block(SHA256Digest.of(headerAndClaims))),
        ]
        for (name, number) in numbers { #expect(try refusal(of: number) == "bad-signature", "\(name)") }
    }

    @Test func aSignatureHasOneSpelling() throws {
        var flipped = signature
        flipped[128] ^= 0x10
        let spellings: [(String, [UInt8])] = [
            ("without its last byte", signature.dropLast()), ("without its first byte", Array(signature.dropFirst())),
            ("half of it", Array(signature.prefix(128))), ("its first byte", [signature[0]]),
            ("a zero in front", [0] + signature), ("a zero after it", signature + [0]),
            ("twice", signature + signature), ("backwards", signature.reversed()), ("one bit flipped", flipped),
            ("as DER", [0x04, 0x82, 0x01, 0x00] + signature),
            ("in base64 once more", Array(Base64URL.encode(signature).utf8)),
            ("the modulus added", RawRSA.sum(signature, rsa.modulus)),
        ]
        for (name, spelling) in spellings { #expect(try refusal(of: spelling) == "bad-signature", "\(name)") }
        #expect(try refusal(of: signature) == "accepted")
    }

    /// One in 256 signatures begins with a zero, and one in a few fits into the key's size with the modulus added.
    @Test func rareSignaturesAreReadExactly() throws {
        var short: String?
        var wrapped = false
        for serial in 0..<5000 where short == nil || !wrapped {
            let claims = TokenForge.claims(["jti": "\"\(serial)\""])
            let token = try TokenForge.token(claims: claims)
            let bytes = try #require(Base64URL.decode(token.split(separator: ".")[2]))
            if bytes[0] == 0, short == nil {
                short = token
                #expect(try TokenForge.refusal(of: token) == "accepted")
                let stripped = try TokenForge.token(claimsBytes: Array(claims.utf8)) { _ in Array(bytes.dropFirst()) }
                #expect(try TokenForge.refusal(of: stripped) == "bad-signature")
            }
            let sum = RawRSA.sum(bytes, rsa.modulus)
            if sum.count == bytes.count, !wrapped {
                wrapped = true
                let longer = try TokenForge.token(claimsBytes: Array(claims.utf8)) { _ in sum }
                #expect(try TokenForge.refusal(of: longer) == "bad-signature")
            }
        }
        #expect(short != nil && wrapped)
    }

    @Test func aSignatureOfAnotherAlgorithmIsNone() throws {
        for other in [OpenSSLSignature.rs384, .rs512, .ps256, .es256, .hmacWithThePublicKey] {
            #expect(try refusal(of: other.sign(headerAndClaims)) == "bad-signature", "\(other.name)")
        }
    }

    /// For the exponent 3 a verifier that does not look at every byte can be given a cube that nobody signed.
    @Test(arguments: ["start", "end"]) func cubesAreNoSignaturesOfAKeyWithExponentThree(_ part: String) throws {
        let pem = OpenSSLCommand.text(
            "genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -pkeyopt rsa_keygen_pubexp:3 -out key.pem",
            output: "key.pem")
        let three = try RawRSA(pem: pem)
        let jwk = #"{"kty":"RSA","alg":"RS256","kid":"three","e":"Aw","n":"\#(Base64URL.encode(three.modulus))"}"#
        let keys = try JWKS(json: Array("{\"keys\":[\(jwk)]}".utf8))
        let header = Array(#"{"alg":"RS256","kid":"three"}"#.utf8)
        // A cube can have any end whose number is odd.
        var serial = 0
        var claims: [UInt8] = []
        var digest: [UInt8] = [0]
        while (digest.last ?? 0) & 1 == 0 {
            serial += 1
            claims = Array(TokenForge.claims(["jti": "\"\(serial)\""]).utf8)
            digest = try SHA256Digest.of(Array("\(Base64URL.encode(header)).\(Base64URL.encode(claims))".utf8))
        }
        let honest = try PaddingForgery.honest.block(digest)
        let own = try TokenForge.token(headerBytes: header, claimsBytes: claims) { _ in try three.sign(honest) }
        #expect(try TokenForge.verifier.verify(own, keys: keys, now: TokenForge.now).sub == TokenForge.sub)

        let info = Array(honest.suffix(51))
        let wanted = part == "start" ? [0, 1] + [UInt8](repeating: 0xff, count: 8) + [0] + info : info
        let script = """
            wanted = bytes(\(wanted))
            def root(number):
                low, high = 0, 1 << 700
                while low < high:
                    middle = (low + high + 1) // 2
                    low, high = (middle, high) if middle ** 3 <= number else (low, middle - 1)
                return low
            if "\(part)" == "start":
                number = root(int.from_bytes(wanted + b"\\xff" * (256 - len(wanted)), "big"))
            else:
                number, target = 1, int.from_bytes(wanted, "big")
                for bit in range(1, 8 * len(wanted)):
                    if (number ** 3 ^ target) >> bit & 1:
                        number |= 1 << bit
            print(number.to_bytes(256, "big").hex(), end="")
            """
        let cube = try RawRSA.bytes(hex: #require(OpenSSLCommand.python(script)))
        let block = try three.recover(cube)
        // The forgery is one: nobody signed it, and it begins or ends as it should.
        #expect(part == "start" ? block.starts(with: wanted) : block.reversed().starts(with: wanted.reversed()))
        let token = try TokenForge.token(headerBytes: header, claimsBytes: claims) { _ in cube }
        #expect(throws: BearerTokenError.badSignature) {
            try TokenForge.verifier.verify(token, keys: keys, now: TokenForge.now)
        }
    }
}
