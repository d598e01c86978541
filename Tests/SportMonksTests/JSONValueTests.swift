import Testing

@testable import SportMonks

@Suite struct JSONValueTests {
    /// What a text's outermost object says under `a`.
    private func member<Value>(_ json: String, _ read: (JSONValue) -> Value?) throws -> Value? {
        let bytes = Array(json.utf8)
        return try JSONValue.read(bytes, 0..<bytes.count) { $0["a"].flatMap(read) }
    }

    @Test(arguments: [
        "", " ", "{", "[", "\"", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{a:1}", "{1:2}", "[1 2]", "[1}", "{]",
        "nul", "tru", "fals", "True", "+1", ".5", "{\"a\":1}}", "{} x", "[,]", "[1,,2]", "\"\\", "\"\\u12\"",
        "\"\\u123",
        "{\"a\":\"x}", "\u{1}",
    ])
    func whatBreaksOffOrHasAnotherStructureIsMalformed(text: String) {
        let bytes = Array(text.utf8)
        #expect(throws: JSONMalformed()) { try JSONValue.read(bytes, 0..<bytes.count) { _ in } }
    }

    @Test(arguments: [
        "0", "null", " \"x\" ", "[1,2,]", "{\"a\":1,}", "[[],{}]", "[1e999,01,--1,\"\\ud800\",\"\\x\",\"\u{1}\"]",
    ])
    func structureAloneDecidesWhatIsAText(text: String) throws {
        let bytes = Array(text.utf8)
        try JSONValue.read(bytes, 0..<bytes.count) { _ in }
    }

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("1e2", 100), ("7.0", 7), ("9223372036854775807", .max),
            ("-9223372036854775808", .min), ("9007199254740993.000", 9_007_199_254_740_993), ("1.5", nil),
            ("1e30", nil),
            ("9223372036854775808", nil), ("01", nil), ("1.", nil), ("-", nil), ("--1", nil), ("1e", nil), ("1e+", nil),
            ("1.2.3", nil), ("\"7\"", nil), ("true", nil), ("null", nil),
        ] as [(String, Int64?)])
    func readsWholeNumbers(text: String, expected: Int64?) throws {
        #expect(try member("{\"a\":\(text)}") { $0.int64 } == expected)
    }

    @Test(
        arguments: [
            ("18.4", 18.4), ("0.1", 0.1), ("-2.5e-3", -0.0025),
            ("123456789012345678901234567890", 1.2345678901234568e29),
            ("0.30000000000000004", 0.30000000000000004), ("1E2", 100), ("1e999", nil), ("1e-999", 0),
            ("3.14159265358979323846", 3.141592653589793),
        ] as [(String, Double?)])
    func readsNumbersAsTheNearestDouble(text: String, expected: Double?) throws {
        #expect(try member("{\"a\":\(text)}") { $0.double } == expected)
    }

    @Test func aNumberOfAMillionDigitsIsNoFigure() throws {
        let digits = String(repeating: "9", count: 1_000_000)
        #expect(try member("{\"a\":\(digits)}") { $0.double } == nil)
        #expect(try member("{\"a\":0.\(digits)}") { $0.double } == nil)
        let row = Array("{\"a\":\"\(digits)\"}".utf8)
        #expect(try JSONValue.read(row, 0..<row.count) { $0.double("a") } == nil)
    }

    @Test(
        arguments: [
            (#""""#, ""), (#""Pakistan""#, "Pakistan"), (#""\u0041\n\t\"\\\/\b\f\r""#, "A\n\t\"\\/\u{8}\u{c}\r"),
            (#""Ramón \u00e9 \ud83c\udfcf""#, "Ramón é 🏏"), (#""\ud83c""#, nil), (#""\ud83cx""#, nil),
            (#""\udfcf""#, nil), (#""\ud83c\u0041""#, nil), (#""\u00g0""#, nil), (#""\x""#, nil), ("\"\u{1}\"", nil),
            ("7", nil),
        ] as [(String, String?)])
    func readsTextAndNothingThatIsNone(text: String, expected: String?) throws {
        #expect(try member("{\"a\":\(text)}") { $0.string } == expected)
    }

    @Test func badUTF8SpoilsItsOwnTextAlone() throws {
        let bytes = Array(#"{"b":""#.utf8) + [0xFF, 0xC3] + Array(#"","a":"good"}"#.utf8)
        let texts = try JSONValue.read(bytes, 0..<bytes.count) { [$0["a"]?.string, $0["b"]?.string] }
        #expect(texts == ["good", nil])
    }

    @Test func theFirstOfSeveralMembersOfANameCountsHoweverItIsWritten() throws {
        #expect(try member(#"{"b":0,"a":1,"a":2}"#) { $0.int64 } == 1)
        #expect(try member(#"{"\u0061":1,"a":2}"#) { $0.int64 } == 1)
        #expect(try member(#"{"\u0061b":1,"a\n":3,"\ud800":4,"a":2}"#) { $0.int64 } == 2)
    }

    @Test func nestingHasAnEnd() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        let deepest = nested(JSONScanner.depthMax)
        try JSONValue.read(deepest, 0..<deepest.count) { _ in }
        for tooDeep in [nested(JSONScanner.depthMax + 1), nested(100_000)] {
            #expect(throws: JSONMalformed()) { try JSONValue.read(tooDeep, 0..<tooDeep.count) { _ in } }
        }
    }

    @Test func whatIsDeeperThanAskedIsCheckedButNotNoted() throws {
        let good = Array(#"{"a":[{"b":[1,{"c":2}]},3]}"#.utf8)
        let texts = try JSONValue.read(good, 0..<good.count, notedDepth: 2) { root in
            (root["a"]?.elements().map { String(decoding: good[$0.range], as: UTF8.self) }) ?? []
        }
        #expect(texts == [#"{"b":[1,{"c":2}]}"#, "3"])
        let bad = Array(#"{"a":[{"b":[1,{"c"}]},3]}"#.utf8)
        #expect(throws: JSONMalformed()) { try JSONValue.read(bad, 0..<bad.count, notedDepth: 2) { _ in } }
    }

    @Test func stringsAreSkippedToTheirEndWhereverTheyStand() throws {
        // Every alignment to eight bytes, with what ends a string in every place of it.
        for before in 0..<17 {
            for inside in 0..<17 {
                for escaped in [#"\""#, #"\\"#, #"\u0022"#, "é", ""] {
                    let text = String(repeating: "x", count: inside) + escaped + String(repeating: "y", count: before)
                    let bytes = Array((String(repeating: " ", count: before) + "[\"\(text)\",7]").utf8)
                    let last = try JSONValue.read(bytes, 0..<bytes.count) { $0.elements().map(\.int64).last }
                    #expect(last == 7)
                }
            }
        }
    }
}
