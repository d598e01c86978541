import FoundationEssentials
import SightscreenModels
import Testing

@Suite struct IdentifierTests {
    @Test(arguments: ["", "0", "-1", "+1", "01", "1 ", "1.0", "99999999999999999999", "abc", "１"])
    func refusesWhatIsNoMatchID(_ text: String) {
        #expect(MatchID(text) == nil)
    }

    @Test func travelsAsADecimalString() throws {
        let id = try #require(MatchID("1304076"))
        #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == #"["1304076"]"#)
        #expect(try JSONDecoder().decode([MatchID].self, from: Data(#"["1304076"]"#.utf8)) == [id])
    }

    @Test func showsOnlyTheBeginningOfAToken() {
        let token = UpdateToken("ABCDEF0123456789")
        #expect("\(token)" == "abcdef…")
        #expect(token.rawValue == "abcdef0123456789", "hex is kept in lower case")
    }
}
