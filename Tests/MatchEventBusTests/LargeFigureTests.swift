import Detection
import FoundationEssentials
import Messages
import SightscreenModels
import SportMonks
import Testing

@testable import MatchEventBus

/// Frames and stored values whose figures are as large as a number can be.
@Suite struct LargeFigureTests {
    /// The places of all numbers of a JSON text, outside of strings.
    private static func numbers(of text: [UInt8]) -> [Range<Int>] {
        var places: [Range<Int>] = []
        var (place, isInString) = (0, false)
        while place < text.count {
            let byte = text[place]
            if byte == UInt8(ascii: "\"") { isInString.toggle() }
            if isInString, byte == UInt8(ascii: "\\") { place += 1 }
            if !isInString, byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) {
                let end = text[place...].firstIndex { ![0x2D, 0x2E].contains($0) && !(0x30...0x39).contains($0) }
                places.append(place..<(end ?? text.count))
                place = places[places.count - 1].upperBound
            } else {
                place += 1
            }
        }
        return places
    }

    private static let fetchedAt: Int64 = 1_790_000_000_000

    /// What the bus does with a frame but for the database, after a good frame and as the first one.
    private static func evaluate(_ frame: ScoreFrame, after machine: MatchMachine) throws {
        let snapshot = try frame.fixture.snapshot()
        for var machine in [machine, MatchMachine(matchID: frame.matchID)] {
            for delay in [0, 5_000] as [Int64] {
                let change = machine.apply(
                    snapshot, fetchedAt: frame.fetchedAt + delay, unchangedUntil: frame.previousFetchedAt,
                    now: fetchedAt + delay)
                _ = try JSONEncoder().encode(change?.contentState)
            }
            _ = VersionWriter.machine(from: String(decoding: try JSONEncoder().encode(machine), as: UTF8.self))
        }
    }

    @Test(arguments: [Int.max, Int.min, 1 << 62, -(1 << 62), BoundedJSON.figureMax, -BoundedJSON.figureMax])
    func noFigureOfAFrameEndsTheProcess(figure: Int) throws {
        let source = try FrameSource()
        let good = try source.frame("S2 0.4", fetchedAt: Self.fetchedAt)
        var machine = MatchMachine(matchID: source.match)
        _ = machine.apply(try good.fixture.snapshot(), fetchedAt: Self.fetchedAt, now: Self.fetchedAt)
        var frame = try source.frame("S1 0.4", fetchedAt: Self.fetchedAt)
        frame.previousFetchedAt = Self.fetchedAt - 5_000
        let text = Array(try JSONEncoder().encode(frame))
        let places = Self.numbers(of: text)
        #expect(places.count > 150)
        for place in places {
            let changed = text[..<place.lowerBound] + Array(String(figure).utf8) + text[place.upperBound...]
            let decoded = try? BoundedJSON.decode(ScoreFrame.self, from: Array(changed))
            #expect((decoded == nil) == (figure.magnitude > BoundedJSON.figureMax.magnitude))
            if let decoded { try? Self.evaluate(decoded, after: machine) }
        }
    }

    /// A frame that the bus must refuse would be offered again and again.
    @Test(arguments: ["9223372036854775807", "9000000000001", "\"10000000000001\"", "8e15", "1e300", "-1e300"])
    func theBusTakesEveryFrameOfAnAnswer(figure: String) throws {
        let source = try FrameSource()
        var text = String(decoding: try source.answer("S1 0.2", fetchedAt: Self.fetchedAt), as: UTF8.self)
        let start = try #require(text.firstRange(of: "[{")).upperBound
        text.insert(contentsOf: #""rpc_overs":1,"rpc_target":1,"toss_won_team_id":1,"winner_team_id":1,"#, at: start)
        let answer = Array(text.utf8)
        let places = Self.numbers(of: answer)
        #expect(places.count > 100)
        var taken = 0
        for place in places {
            let changed = Array(answer[..<place.lowerBound] + Array(figure.utf8) + answer[place.upperBound...])
            for fixture in try LivescoresAnswer.fixtures(from: changed) {
                let frame = ScoreFrame(
                    matchID: source.match, fetchedAt: Self.fetchedAt, previousFetchedAt: nil, fixture: fixture)
                let bytes = try JSONEncoder().encode(frame)
                #expect((try? BoundedJSON.decode(ScoreFrame.self, from: bytes))?.fixture == fixture, "\(place)")
                taken += 1
            }
        }
        // Without a readable id of its own or of a team there is no fixture.
        #expect(taken > places.count - 20)
    }

    /// The decoder would read these as well, and the bound sees figures in UTF-8 alone.
    @Test(
        arguments: [
            (.utf16LittleEndian, []), (.utf16LittleEndian, [0xFF, 0xFE]),
            (.utf16BigEndian, []), (.utf16BigEndian, [0xFE, 0xFF]), (.utf32LittleEndian, []),
            (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]), (.utf32BigEndian, []), (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
            (.utf8, [0xEF, 0xBB, 0xBF]),
        ] as [(String.Encoding, [UInt8])])
    func aFrameIsUTF8(encoding: String.Encoding, mark: [UInt8]) throws {
        for text in ["[1]", "[4611686018427387904]", "7"] {
            let bytes = mark + Array(try #require(text.data(using: encoding)))
            #expect(throws: DecodingError.self) { try BoundedJSON.decode(JSONAnything.self, from: bytes) }
        }
    }

    @Test func aFrameHasNoDamagedTextAndNoNUL() throws {
        for bytes in [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0, 0x22], [0x31, 0],
        ] as [[UInt8]] {
            #expect(throws: DecodingError.self) { try BoundedJSON.decode(JSONAnything.self, from: bytes) }
        }
        #expect(try BoundedJSON.decode([String].self, from: Array(#"["é🏏\u0000"]"#.utf8)) == ["é🏏\0"])
    }

    /// A machine that the database gives back is taken as it is, or not at all.
    @Test(arguments: [Int.max, Int.min, BoundedJSON.figureMax, -BoundedJSON.figureMax])
    func noFigureOfAStoredMachineEndsTheProcess(figure: Int) throws {
        let source = try FrameSource()
        let frame = try source.frame("S1 0.4", fetchedAt: Self.fetchedAt)
        var machine = MatchMachine(matchID: source.match)
        _ = machine.apply(try frame.fixture.snapshot(), fetchedAt: Self.fetchedAt, now: Self.fetchedAt)
        let text = Array(try JSONEncoder().encode(machine))
        for place in Self.numbers(of: text) {
            let changed = text[..<place.lowerBound] + Array(String(figure).utf8) + text[place.upperBound...]
            guard let stored = VersionWriter.machine(from: String(decoding: changed, as: UTF8.self)) else { continue }
            try? Self.evaluate(source.frame("S1 0.5", fetchedAt: Self.fetchedAt + 10_000), after: stored)
        }
    }
}

/// Takes whatever JSON it is decoded from.
private struct JSONAnything: Decodable {
    init(from decoder: any Decoder) {}
}
