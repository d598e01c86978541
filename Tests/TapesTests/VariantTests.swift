import SportMonks
import Tapes
import Testing

/// Every dirty tape of two short matches, by two seeds.
@Suite struct VariantTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var match: Int64
        var variant: TapeVariant
        var seed: UInt64

        var testDescription: String { "\(match) \(variant.rawValue) seed \(seed)" }
    }

    static let cases = [1_178_424, 1_298_152].flatMap { match in
        TapeVariant.allCases.flatMap { variant in
            [1, 20_261_121].map { Case(match: match, variant: variant, seed: $0) }
        }
    }

    @Test(arguments: cases) func endsAsTheCleanTapeDoes(_ each: Case) throws {
        let tape = try Samples.tape(each)
        let clean = try Samples.tape(each.match)
        #expect(tape.frames.suffix(1).map(\.label) == ["Gone"])
        #expect(tape.frames.last { $0.isListed }?.flaws.filter { $0 != .repeated } == [])
        for back in 1...2 {
            let ours = try Samples.fixture(tape, tape.frames.count - back).withoutTraces
            #expect(ours == (try Samples.fixture(clean, clean.frames.count - back).withoutTraces))
        }
        #expect(zip(tape.frames, tape.frames.dropFirst()).allSatisfy { $0.offset <= $1.offset })
        #expect(tape.frames.prefix(2).map(\.label) == ["NS", "Toss"])
    }

    @Test(arguments: cases) func isTheSameForASeed(_ each: Case) throws {
        let tape = try Samples.tape(each)
        let again = try Samples.tape(each)
        #expect(tape.frames.map(\.label) == again.frames.map(\.label))
        #expect(tape.frames.map(\.offset) == again.frames.map(\.offset))
        let clock = TapeClock(startsAt: Samples.start)
        var reel = TapeReel(tape, clock: clock)
        for index in stride(from: 0, to: tape.frames.count, by: 23) {
            #expect(reel.fixture(index) == again.livescoreFixture(index, clock: clock), "frame \(index)")
        }
        let other = try Samples.tape(Case(match: each.match, variant: each.variant, seed: each.seed + 1))
        let isOther = tape.frames.map(\.offset) != other.frames.map(\.offset)
        #expect(isOther == (each.variant != .clean) || each.variant == .lateResult)
    }

    /// The bytes of one variant, as they were when it was written: seeds in reports stay good.
    @Test func isTheSameEverywhere() throws {
        let tape = try Samples.tape(Case(match: 1_178_424, variant: .storm, seed: 7))
        var reel = TapeReel(tape, clock: TapeClock(startsAt: Samples.start))
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in tape.frames.indices {
            for byte in reel.fixture(index) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        #expect(String(hash, radix: 16) == "9e7d9d912e7a2e0f")
    }

    /// All frames of what the scorer mistypes, every fifth of the others.
    @Test(arguments: cases) func everyFrameIsReadAndAddsUp(_ each: Case) throws {
        let tape = try Samples.tape(each)
        var reel = TapeReel(tape, clock: TapeClock(startsAt: Samples.start))
        var labels: [Int: String] = [:]
        var players: [Int: JSON] = [:]
        let isMistyped = [.corrections, .deletions, .storm].contains(each.variant)
        for index in stride(from: 0, to: tape.frames.count, by: isMistyped ? 1 : 5) {
            let frame = tape.frames[index]
            if index % 5 == 0, frame.isListed {
                let answer = try LivescoresAnswer(reel.livescores(index))
                #expect(answer.problems.isEmpty, "frame \(index) \(frame.label): \(answer.problems)")
                #expect(answer.fixtures.map(\.status) == [frame.status])
            }
            let fixture = try JSON(reel.fixture(index))
            if !frame.flaws.contains(.torn) {
                #expect(Scorecard(fixture).problems == [], "frame \(index) \(frame.label)")
            }
            let ids = fixture["balls"].rows.compactMap { $0["id"].int }
            #expect(ids == ids.sorted() && Set(ids).count == ids.count)
            for ball in fixture["balls"].rows {
                let id = try #require(ball["id"].int)
                let label = "\(ball["scoreboard"]) \(ball["ball"])"
                #expect(labels.updateValue(label, forKey: id) ?? label == label, "a ball's label never changes")
            }
            for row in fixture["batting"].rows + fixture["bowling"].rows {
                let id = try #require(row["id"].int)
                #expect(players.updateValue(row["player_id"], forKey: id) ?? row["player_id"] == row["player_id"])
            }
        }
    }

    @Test(arguments: cases) func findsItsBalls(_ each: Case) throws {
        let tape = try Samples.tape(each)
        let clean = try Samples.tape(each.match)
        for frame in clean.frames where frame.label.hasPrefix("S") {
            let words = frame.label.split(separator: " ")
            guard words.count == 3 else { continue }
            let found = try #require(tape.position(of: words.prefix(2).joined(separator: " ")))
            #expect(tape.frame(found).flaws.isEmpty)
            if ![.batching, .gaps, .storm].contains(each.variant) {
                let last = clean.frames.last { $0.label.hasPrefix("\(words[0]) \(words[1]) ") }
                let isNewest = tape.frame(found).label == last?.label
                #expect(isNewest || [.corrections, .storm].contains(each.variant))
            }
        }
    }
}

/// A fixture's figures, checked against each other as the recorded ones agree.
struct Scorecard {
    private(set) var problems: [String] = []

    init(_ fixture: JSON) {
        for (index, total) in fixture["runs"].rows.enumerated() {
            let scoreboard = "S\(index + 1)"
            func of(_ name: String) -> [JSON] { fixture[name].rows.filter { $0["scoreboard"].string == scoreboard } }
            func sum(_ rows: [JSON], _ key: String) -> Int { rows.reduce(0) { $0 + ($1[key].int ?? 0) } }
            let extra = of("scoreboards").first { $0["type"].string == "extra" } ?? .null
            let balls = of("balls").map { $0["score"] }
            expect(
                "\(scoreboard) balls",
                sum(balls, "runs") + sum(balls, "bye") + sum(balls, "leg_bye")
                    + (extra["penalty"].int ?? 0), total["score"].int)
            expect("\(scoreboard) batters", sum(of("batting"), "score") + (extra["total"].int ?? 0), total["score"].int)
            let notBowlers = ["bye", "leg_bye", "penalty"].reduce(0) { $0 + (extra[$1].int ?? 0) }
            expect("\(scoreboard) bowlers", sum(of("bowling"), "runs") + notBowlers, total["score"].int)
            let out = of("batting").filter { $0["wicket_id"].int != 84 }
            expect("\(scoreboard) wickets", out.count, total["wickets"].int)
            for row in out where row["fow_balls"].double == 0 { problems.append("\(scoreboard) out without a ball") }
            expect("\(scoreboard) wickets on balls", balls.count { $0["is_wicket"].bool == true }, total["wickets"].int)
            // The seventh ball of a long over counts for nobody's overs.
            let legal = of("balls").filter { !("\($0["ball"].double ?? 0)".hasSuffix(".7")) }.map { $0["score"] }.count
            { $0["ball"].bool == true && $0["noball"].int == 0 }
            let overs = of("bowling").reduce(0) { $0 + Self.balls($1["overs"]) }
            expect("\(scoreboard) legal balls", overs, legal)
        }
    }

    private mutating func expect(_ what: String, _ ours: Int, _ total: Int?) {
        if ours != total { problems.append("\(what): \(ours), but \(total ?? -1)") }
    }

    /// Of "3.4" overs.
    static func balls(_ overs: JSON) -> Int {
        let tenths = Int(((overs.double ?? 0) * 10).rounded())
        return tenths / 10 * 6 + tenths % 10
    }
}

extension JSON {
    /// Without the dates and ids of balls that a variant may change.
    var withoutTraces: JSON {
        switch self {
        case .array(let elements): return .array(elements.map(\.withoutTraces))
        case .object(var members):
            members["updated_at"] = nil
            if members["resource"]?.string == "balls" { members["id"] = nil }
            return .object(members.mapValues(\.withoutTraces))
        default: return self
        }
    }
}

extension Samples {
    static func tape(_ each: VariantTests.Case) throws -> Tape {
        Tape(
            match: try CricsheetMatch(json: try bytes("matches/\(each.match).json")), id: each.match,
            variant: each.variant, seed: each.seed)
    }
}
