import Testing
import Tokens

@Suite struct JSONValueTests {
    @Test func everyKindOfValueIsRead() throws {
        let text = #" {"a":[1,-2.5e+3,0],"b":{"c":null,"d":true,"e":false},"f":"\"\\\/\b\f\n\r\tÄ\u00e4\ud83c\udfcf"} "#
        #expect(
            try JSONValue(strict: Array(text.utf8))
                == .object([
                    "a": .array([.number("1"), .number("-2.5e+3"), .number("0")]),
                    "b": .object(["c": .null, "d": .bool(true), "e": .bool(false)]),
                    "f": .string("\"\\/\u{8}\u{c}\n\r\tÄä🏏"),
                ]))
    }

    @Test(arguments: [
        "", " ", "{", "}", "[", "]", "[1,]", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{\"a\"}", "{\"a\":}", "01", "-",
        "+1",
        ".5", "1.", "1e", "1e+", "0x10", "NaN", "Infinity", "tru", "truee", "nulll", "\"", "\"\\", "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"a\u{1}\"", "\"a\nb\"", "1 2", "{} x",
        "[1 2]",
        "{\"a\":1 \"b\":2}", "{\"a\":1,\"a\":2}", #"{"a":1,"\u0061":2}"#, "// x\n1", "/**/1", "\u{feff}1", "\u{a0}1",
    ])
    func whatIsNotStrictJSONIsRefused(text: String) {
        #expect(throws: JSONValue.Refusal.self) { try JSONValue(strict: Array(text.utf8)) }
    }

    @Test(
        arguments: [[0xff], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x7b, 0, 0x7d, 0]] as [[UInt8]])
    func whatIsNotUTF8IsRefused(bytes: [UInt8]) {
        #expect(throws: JSONValue.Refusal.self) { try JSONValue(strict: bytes) }
    }

    @Test func depthIsCountedAndBounded() throws {
        func nested(_ depth: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(throws: Never.self) { try JSONValue(strict: nested(16)) }
        #expect(throws: JSONValue.Refusal.self) { try JSONValue(strict: nested(17)) }
        #expect(throws: JSONValue.Refusal.self) { try JSONValue(strict: nested(100_000)) }
    }

    @Test func onlyAnIntegerIsAnInteger() throws {
        func integer(_ text: String) throws -> Int? { try JSONValue(strict: Array(text.utf8)).integer }
        #expect(try integer("42") == 42)
        #expect(try integer("-1") == -1)
        for text in ["1.0", "1e2", "9223372036854775808", "\"1\"", "true", "null"] { #expect(try integer(text) == nil) }
    }

    @Test func base64URLHasOneSpellingPerValue() {
        #expect(Base64URL.encode([UInt8]()) == "")
        for (bytes, text) in [([0xff], "_w"), ([0xff, 0xef], "_-8"), ([0, 16, 131], "ABCD")] as [([UInt8], String)] {
            #expect(Base64URL.encode(bytes) == text)
            #expect(Base64URL.decode(text) == bytes)
        }
        for text in ["A", "_x", "_-9", "AA==", "AB+/", "AB C", "AB\n", "ÄÄ"] { #expect(Base64URL.decode(text) == nil) }
    }
}
