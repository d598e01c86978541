import FoundationEssentials
import SightscreenModels
import Testing

/// What `sightscreen replay` prints is a contract: other programs read it. Here the real executable is run.
@Suite struct ReplayContractTests {
    /// A T20 cut to five overs a side, with a hat-trick and no result.
    static let match = fixture("matches/1178424.json")

    static let checkout = #filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" }

    /// Beside the test bundle.
    static let sightscreen: String = {
        let path =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return path.split(separator: "/").dropLast().reduce(into: "") { $0 += "/\($1)" } + "/sightscreen"
    }()

    static func fixture(_ name: String) -> String { "\(checkout)/Tests/Fixtures/\(name)" }

    static func replay(_ words: String...) throws -> Shell { try Shell.run([sightscreen, "replay"] + words) }

    static func oracle(_ match: String) throws -> [String] {
        let shell = try Shell.run(["/usr/bin/python3", "-B", "\(checkout)/Tests/Oracle/events.py", match])
        #expect(shell.status == 0, "\(shell.errors)")
        return shell.lines
    }

    /// Interruptions are the tape's, not the match's.
    static func isOfTheMatch(_ row: EventRow) -> Bool { row.event != "suspended" && row.event != "resumed" }

    @Test func aCleanTapePrintsWhatTheOracleCounts() throws {
        let expected = try Self.oracle(Self.match)
        #expect(expected.count > 60)
        for balls in ["1", "2", "3"] {
            let shell = try Self.replay(Self.match, "--events", "--balls-per-frame", balls)
            #expect(shell.status == 0)
            #expect(shell.errors == [])
            let found = try shell.lines.filter { Self.isOfTheMatch(try EventRow($0)) }
            #expect(found == expected, "\(balls) balls per frame")
        }
    }

    @Test func aDirtyTapeEndsWithTheSameEvents() throws {
        let expected = try Self.oracle(Self.match)
        for variant in ["corrections", "deletions"] {
            let shell = try Self.replay(Self.match, "--events", "--variant", variant, "--seed", "7")
            #expect(shell.status == 0)
            var standing: [String: Int] = [:]
            var takenBack = 0
            for line in shell.lines {
                var row = try EventRow(line)
                guard Self.isOfTheMatch(row) else { continue }
                let isRetraction = row.retracted == true
                row.retracted = nil
                standing[row.line, default: 0] += isRetraction ? -1 : 1
                #expect(standing[row.line, default: 0] >= 0, "taken back, but never told: \(line)")
                takenBack += isRetraction ? 1 : 0
            }
            #expect(takenBack > 0, "\(variant) corrected nothing")
            let counts = Dictionary(expected.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(standing.filter { $0.value > 0 } == counts, "\(variant)")
        }
    }

    @Test func theSameSeedPrintsTheSameLines() throws {
        let words = [Self.sightscreen, "replay", Self.match, "--events", "--variant", "storm", "--seed"]
        let once = try Shell.run(words + ["3"])
        #expect(once.status == 0)
        #expect(try Shell.run(words + ["3"]).lines == once.lines)
        #expect(try Shell.run(words + ["4"]).lines != once.lines)
    }

    @Test func aLineHasTheKeysOfItsEventInOrder() throws {
        let ofBall: Set<String> = ["bowler", "batter"]
        let keys: [String: Set<String>] = [
            "dot": ofBall, "one": ofBall, "two": ofBall, "three": ofBall, "four": ofBall, "six": ofBall,
            "extras": ofBall, "wicket": ofBall.union(["playerOut"]), "milestone": ofBall.union(["value"]),
            "onHatTrick": ofBall.union(["playerOut"]), "hatTrick": ofBall.union(["playerOut", "value"]),
            "consecutiveSixes": ofBall.union(["value"]), "nineties": ofBall, "batterOnFire": ofBall,
            "bowlerOnFire": ["bowler"], "maidenOver": ["bowler"], "newBatter": ["batter"], "endOfOver": [],
            "inningsBreak": [], "matchResult": [], "suspended": [], "resumed": [], "fiveWickets": ["bowler", "value"],
            "closeFinish": [], "targetRevised": [], "stumps": [], "toss": [],
        ]
        // A correction is no event of its own.
        #expect(Set(keys.keys) == Set(EventKind.allCases.map(\.rawValue)).subtracting(["correction"]))
        var seen: Set<String> = []
        for name in ["1178424", "1270836", "1304076"] {
            let shell = try Self.replay(
                Self.fixture("matches/\(name).json"), "--events", "--variant", "corrections", "--seed", "1",
                "--balls-per-frame", "3")
            for line in shell.lines {
                let row = try EventRow(line)
                #expect(row.line == line)
                #expect(keys[row.event] == row.details, "\(line)")
                #expect((row.innings != nil || row.event == "toss") && row.retracted != false, "\(line)")
                seen.insert(row.event)
            }
        }
        #expect(seen.isSuperset(of: ["hatTrick", "maidenOver", "milestone", "nineties", "newBatter", "matchResult"]))
    }

    @Test func aWicketThatNoBallShowsHasOnlyItsPlayer() throws {
        let shell = try Self.replay(Self.fixture("matches/1384429.json"), "--events", "--balls-per-frame", "6")
        #expect(shell.lines.contains(#"{"innings":1,"ball":"24.2","event":"wicket","playerOut":"AD Mathews"}"#))
    }

    @Test func statesComeFrameByFrame() throws {
        struct Line: Decodable {
            struct State: Decodable {
                struct Leading: Decodable { var score: String }
                var schema: Int
                var version: Int
                var matchDisplayState: String
                var compactLeading: Leading
            }
            var frame: Int
            var innings: Int?
            var ball: String?
            var state: State
        }
        let shell = try Self.replay(Self.match, "--states")
        #expect(shell.status == 0)
        let lines = try shell.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(lines.count > 50)
        #expect(
            zip(lines, lines.dropFirst()).allSatisfy { $0.frame <= $1.frame && $0.state.version <= $1.state.version })
        #expect(lines.first?.frame == 1)
        #expect(lines.first?.state.matchDisplayState == "scheduled")
        #expect(lines.last?.state.matchDisplayState == "completed")
        #expect(lines.last?.innings == 2)
        #expect(lines.last?.ball == "3.2")
        let hatTrick = lines.first { $0.innings == 1 && $0.ball == "1.6" }
        #expect(hatTrick?.state.compactLeading.score == "35/3")
        for text in shell.lines {
            let start = text.hasPrefix("{\"frame\":")
            #expect(start && text.contains(",\"state\":{"), "\(text.prefix(60))")
        }
    }

    /// A made-up T20 that ends level, without a super over: after the last frame time alone brings the result.
    @Test func theLastStateHasWhatTimeAloneBrings() throws {
        let made = try Shell.run(["/usr/bin/python3", "-B", "\(Self.checkout)/Tests/Oracle/generate.py", "69"])
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tie-\(UUID().uuidString).json")
        try Data(made.lines.joined(separator: "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let states = try Self.replay(file.path, "--states").lines
        let (before, last) = (try #require(states.dropLast().last), try #require(states.last))
        #expect(before.contains("\"status\":\"Scores level\"") && before.contains("\"matchDisplayState\":\"live\""))
        #expect(last.contains("\"status\":\"Match tied\"") && last.contains("\"matchDisplayState\":\"completed\""))
    }

    @Test(
        arguments: [
            (["no-such-file.json", "--events"], "no-such-file.json"),
            (["MATCH", "--events", "--variant", "sideways"], "sideways"),
            (["MATCH", "--events", "--balls-per-frame", "0"], "balls-per-frame"),
            (["MATCH", "--events", "--seed", "-1"], "seed"),
            (["README", "--events"], "Cricsheet"),
            (["MATCH"], "--events"),
        ])
    func whatIsWrongIsSaidInOneLine(words: [String], named: String) throws {
        let known = ["MATCH": Self.match, "README": Self.fixture("matches/README.md")]
        let shell = try Shell.run([Self.sightscreen, "replay"] + words.map { known[$0] ?? $0 })
        #expect(shell.status != 0)
        #expect(shell.lines == [])
        #expect(shell.errors.count == 1, "\(shell.errors)")
        let line = try #require(shell.errors.first)
        #expect(line.hasPrefix("sightscreen: ") && line.contains(named), "\(line)")
    }
}
