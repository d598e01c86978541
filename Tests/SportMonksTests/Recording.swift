import FoundationEssentials

/// An answer as it was recorded, with members changed where a test wants something the recordings do not have.
enum Recording {
    static func bytes(_ name: String, file: String = #filePath) throws -> [UInt8] {
        let tests = file.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return Array(try Data(contentsOf: URL(filePath: "\(tests)/Fixtures/sportmonks/\(name).excerpt.json")))
    }

    static func pakistanSriLanka() throws -> [UInt8] { try bytes("fixture-71344-2nd-innings") }
    static func indiaWestIndies() throws -> [UInt8] { try bytes("fixture-71010-1st-innings.no-balls") }
    static func bangladeshAustralia() throws -> [UInt8] { try bytes("fixture-28295-finished.bowling-runs") }
    static func schedule() throws -> [UInt8] { try bytes("fixtures-page-1") }

    /// A fixture with the least that one must have.
    static func fixture(id: String = "7", _ members: String = "") -> String {
        """
        {"resource":"fixtures","id":\(id),"localteam_id":1,"visitorteam_id":2,"status":"1st Innings","type":"T20"\
        \(members.isEmpty ? "" : ",")\(members)}
        """
    }

    /// An answer about one fixture as one about two.
    static func asList(_ answer: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: answer, as: UTF8.self)
        guard let start = text.dropFirst().firstIndex(of: "{"), let end = text.lastIndex(of: "}") else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return list(String(text[start..<end]), fixture(id: "8"))
    }

    static func list(_ fixtures: String...) -> [UInt8] { Array("{\"data\":[\(fixtures.joined(separator: ","))]}".utf8) }
}
