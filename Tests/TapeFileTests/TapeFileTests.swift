import FoundationEssentials
import TapeFile
import Testing

@Suite struct TapeFileTests {
    private static let header = TapeFileHeader(title: #"India v "West" Indies"#, recordedAt: "2026-10-09T14:00:00Z")

    private static let answers = [
        RecordedAnswer(atMs: 0, path: "/livescores", status: 200, body: Array(#"{"data":[]}"#.utf8)),
        RecordedAnswer(
            atMs: 5_012, path: "/livescores", status: 200,
            body: Array(#"{"data":[{"id":1,"note":"a\n\"é\" 1.50"}]}"#.utf8)),
        RecordedAnswer(atMs: 10_000, path: "/fixtures/123", status: 429, body: []),
        RecordedAnswer(atMs: 15_000, path: "/livescores", status: 502, body: Array("<html>\n\t\"é\" \\</html>".utf8)),
        RecordedAnswer(atMs: 20_000, path: "/livescores", status: 200, body: Array(#"{"data":[{"id":1,"#.utf8)),
        RecordedAnswer(
            atMs: 25_000, path: "/livescores", status: 200, body: Array(#"[1,-2.5e3,true,false,null]"#.utf8)),
    ]

    /// The bytes that are given out for each answer, and at the end.
    private static func pieces(_ answers: [RecordedAnswer] = answers) throws -> [[UInt8]] {
        let writer = try TapeFileWriter(header)
        var pieces: [[UInt8]] = []
        for answer in answers { pieces.append(try writer.append(answer)) }
        pieces.append(try writer.finish())
        return pieces
    }

    private static func read(_ bytes: [UInt8]) throws -> (answers: [RecordedAnswer], isCut: Bool) {
        let reader = try TapeFileReader(bytes: bytes)
        var answers: [RecordedAnswer] = []
        while let answer = try reader.next() { answers.append(answer) }
        #expect(reader.header == header)
        return (answers, reader.isCut)
    }

    /// The same text compressed as a tape, to say wrong things.
    private static func compressed(_ lines: String) throws -> [UInt8] {
        try Command.run("zstd", ["-c", "-q"], input: Array(lines.utf8))
    }

    @Test func readsWhatItWrote() throws {
        let read = try Self.read(try Self.pieces().flatMap { $0 })
        #expect(read.answers == Self.answers)
        #expect(!read.isCut)
    }

    @Test func anEmptyTapeHasAHeader() throws {
        let read = try Self.read(try Self.pieces([]).flatMap { $0 })
        #expect(read.answers.isEmpty && !read.isCut)
    }

    @Test func aCrashLosesNothingThatWasWritten() throws {
        let pieces = try Self.pieces()
        for count in 1...Self.answers.count {
            let read = try Self.read(pieces.prefix(count).flatMap { $0 })
            #expect(read.answers == Array(Self.answers.prefix(count)))
            #expect(read.isCut)
        }
    }

    @Test func anEndThatIsMissingCostsTheLastAnswerOnly() throws {
        let pieces = try Self.pieces()
        let whole = pieces.prefix(4).flatMap { $0 }
        for missing in 1..<pieces[3].count {
            let read = try Self.read(Array(whole.dropLast(missing)))
            #expect(read.isCut && read.answers.count <= 4)
            #expect(read.answers == Array(Self.answers.prefix(read.answers.count)))
            #expect(read.answers.count >= 3)
        }
    }

    @Test func keepsTheBytesOfABodyButForItsLineFeeds() throws {
        let pretty = "{\n  \"data\" : [ 1.50,\r\n 2 ]\n}"
        let answer = RecordedAnswer(atMs: 1, path: "/livescores", status: 200, body: Array(pretty.utf8))
        let read = try Self.read(try Self.pieces([answer]).flatMap { $0 })
        #expect(String(decoding: read.answers[0].body, as: UTF8.self) == #"{   "data" : [ 1.50,   2 ] }"#)
    }

    @Test func zstdReadsIt() throws {
        let text = try Command.run("zstd", ["-d", "-c", "-q"], input: try Self.pieces().flatMap { $0 })
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 7)
        #expect(
            lines[0]
                == #"{"sightscreenTape":1,"title":"India v \"West\" Indies","recordedAt":"2026-10-09T14:00:00Z"}"#)
        #expect(lines[1] == #"{"atMs":0,"path":"/livescores","status":200,"body":{"data":[]}}"#)
        #expect(lines[4].hasSuffix(##""status":502,"body":"<html>\n\t\"é\" \\</html>"}"##))
        let again = try Self.read(try Self.compressed(lines.joined(separator: "\n") + "\n"))
        #expect(again.answers == Self.answers)
    }

    @Test func repeatedAnswersCostLittle() throws {
        var state: UInt64 = 7
        // A megabyte that cannot be compressed by itself, but for its 64 letters.
        let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".utf8)
        let noise = (0..<1_000_000).map { _ -> UInt8 in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return letters[Int(state >> 58)]
        }
        let body = Array(#"{"data":""#.utf8) + noise + Array(#""}"#.utf8)
        let pieces = try Self.pieces(
            (0..<12).map { RecordedAnswer(atMs: $0, path: "/livescores", status: 200, body: body) })
        #expect(pieces[0].count > 600_000)
        #expect(pieces[1...11].allSatisfy { $0.count < 2_000 }, "\(pieces.map(\.count))")
        #expect(try Self.read(pieces.flatMap { $0 }).answers.allSatisfy { $0.body == body })
    }

    @Test(
        arguments: [
            ("{}\n", .notATape), ("no JSON\n", .notATape), ("", .notATape),
            (#"{"sightscreenTape":2,"new":[]}"# + "\n", .otherVersion(2)),
            (good + "[]\n", .malformed(line: 2, "not a JSON object")),
            (good + line + #"{"atMs":1,"path":"/x","status":200}"# + "\n", .malformed(line: 3, "no body")),
            (good + #"{"path":"/x","status":200,"body":{}}"# + "\n", .malformed(line: 2, "no atMs")),
            (
                good + #"{"atMs":"1","path":"/x","status":200,"body":{}}"# + "\n",
                .malformed(line: 2, "atMs is of another type")
            ),
            (
                good + #"{"atMs":1,"path":7,"status":200,"body":{}}"# + "\n",
                .malformed(line: 2, "path is of another type")
            ),
            (
                good + #"{"atMs":1,"path":"/x","status":200,"body":{},"body":{}}"# + "\n",
                .malformed(line: 2, "not a JSON object")
            ),
            (good + #"{"atMs":1,"path":"/x","status":200,"body":{]}"# + "\n", .malformed(line: 2, "not a JSON object")),
        ] as [(String, TapeFileError)]) func saysInOneLineWhatIsWrong(_ text: String, _ error: TapeFileError) throws
    {
        let bytes = try Self.compressed(text)
        #expect(throws: error) { try Self.read(bytes) }
        #expect(!error.description.contains("\n"))
    }

    private static let good = #"{"sightscreenTape":1,"title":"t","recordedAt":"2026-10-09T14:00:00Z"}"# + "\n"
    private static let line = #"{"atMs":1,"path":"/x","status":200,"body":{}}"# + "\n"

    @Test func refusesWhatIsNotCompressedAtAll() throws {
        for text in [Self.good, "<html>", "x", ""] {
            #expect(throws: TapeFileError.notATape) { try TapeFileReader(bytes: Array(text.utf8)) }
        }
    }

    @Test func tellsDamageFromAMissingEnd() throws {
        var bytes = try Self.pieces().flatMap { $0 }
        // The checksum is at the end, behind everything else.
        bytes[bytes.count - 1] ^= 0xff
        let error = #expect(throws: TapeFileError.self) { try Self.read(bytes) }
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func refusesAnAnswerThatIsTooLarge() throws {
        let header = TapeFileHeader(title: "t", recordedAt: "")
        let writer = try TapeFileWriter(header)
        let body = [UInt8](repeating: 0x20, count: RecordedAnswer.bodyBytesMax + 1)
        var failure: TapeFileError?
        do { _ = try writer.append(RecordedAnswer(atMs: 0, path: "/x", status: 200, body: body)) } catch {
            failure = error
        }
        #expect(failure == .tooLarge(line: 2))
        // Eighty megabytes that are a few kilobytes in the file.
        let line = Self.good + #"{"atMs":1,"path":"/x","status":200,"body":{"#
        let bomb = try Self.compressed(line + String(repeating: " ", count: 80 << 20) + "}}\n")
        #expect(bomb.count < 64 << 10)
        let reader = try TapeFileReader(bytes: bomb)
        let error = #expect(throws: TapeFileError.self) { try reader.next() }
        #expect(error == .tooLarge(line: 2))
    }
}
