import Testing
import Tokens

@Suite struct JWKSTests {
    private let signer: RS256Signer
    private let n: String

    init() throws {
        signer = TokenForge.signer
        n = try #require(try JSONValue(strict: Array(signer.jwk.utf8)).object?["n"]?.string)
    }

    private func key(_ id: String = "k", _ changes: String = "", n: String? = nil) -> String {
        #"{"kty":"RSA","alg":"RS256","kid":"\#(id)","e":"AQAB","n":"\#(n ?? self.n)"\#(changes)}"#
    }

    private func set(_ keys: String...) throws(JWKS.Refusal) -> JWKS {
        try JWKS(json: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
    }

    @Test func cognitosFormIsRead() throws {
        let keys = try set(key("one", #","use":"sig""#), key("two"))
        #expect(keys.keyIDs == ["one", "two"])
        #expect(keys.skipped.isEmpty)
    }

    @Test func keysThatCannotBeTrustedAreLeftOut() throws {
        let weak = OpenSSLCommand.text(
            "genrsa -out key 1024 && openssl rsa -in key -noout -modulus -out modulus",
            output: "modulus")
        let hex = weak.drop { $0 != "=" }.dropFirst().filter(\.isHexDigit)
        let bytes = stride(from: 0, to: hex.count, by: 2).compactMap { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
        #expect(bytes.count == 128)
        let keys = try set(
            key("good"), key("weak", n: Base64URL.encode(bytes)), key("encryption", #","use":"enc""#),
            key("private", #","d":"AQAB""#), key("no id here"), key(""), key("padded", n: n + "="),
            key("zeros", n: "AA" + n), key("even modulus", n: String(n.dropLast(2)) + "AA"),
            #"{"kty":"RSA","kid":"alg-less","e":"AQAB","n":"\#(n)"}"#,
            #"{"kty":"RSA","alg":"RS512","kid":"other-alg","e":"AQAB","n":"\#(n)"}"#,
            #"{"kty":"oct","alg":"HS256","kid":"secret","k":"AAAA"}"#,
            #"{"kty":"EC","alg":"RS256","kid":"curve","crv":"P-256"}"#,
            #"{"kty":"RSA","alg":"RS256","kid":"one","e":"AQ","n":"\#(n)"}"#,
            #"{"kty":"RSA","alg":"RS256","kid":"even","e":"Ag","n":"\#(n)"}"#, "7", "null")
        #expect(keys.keyIDs == ["good"])
        #expect(keys.skipped.count == 16)
    }

    @Test(arguments: [
        "", "{}", "[]", "<html></html>", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[],"keys":[]}"#,
        #"{"keys":[null]}"#,
    ])
    func aDocumentWithoutAUsableKeyIsRefused(document: String) {
        #expect(throws: JWKS.Refusal.self) { try JWKS(json: Array(document.utf8)) }
    }

    @Test func twoKeysOfOneIdAndAnEndlessDocumentAreRefused() {
        #expect(throws: JWKS.Refusal.self) { try set(key("same"), key("same")) }
        #expect(throws: JWKS.Refusal.self) { try JWKS(json: [UInt8](repeating: 32, count: 65_537)) }
    }
}
