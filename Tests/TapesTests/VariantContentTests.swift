import SportMonks
import Tapes
import Testing

/// Each variant has what its name says.
@Suite struct VariantContentTests {
    private static let both: [(Int64, UInt64)] = [(1_178_424, 1), (1_298_152, 20_261_121)]

    private func tape(_ match: Int64, _ variant: TapeVariant, _ seed: UInt64) throws -> Tape {
        try Samples.tape(VariantTests.Case(match: match, variant: variant, seed: seed))
    }

    private func frames(_ tape: Tape) throws -> [JSON] {
        var reel = TapeReel(tape, clock: TapeClock(startsAt: Samples.start))
        return try tape.frames.indices.map { try JSON(reel.fixture($0)) }
    }

    private func ids(_ fixture: JSON) -> [Int] { fixture["balls"].rows.compactMap { $0["id"].int } }

    @Test(arguments: both) func pollsSeeNoneToThreeBalls(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .batching, seed)
        let counts = try frames(tape).map { ids($0).count }
        let new = zip(counts, counts.dropFirst()).map { $1 - $0 }
        #expect(Set(new) == [0, 1, 2, 3])
        #expect(tape.frames.contains { $0.flaws == [.repeated] })
    }

    @Test(arguments: both) func framesComeAgainWithAndWithoutNewDates(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .repeats, seed)
        let frames = try frames(tape)
        var runs: Set<Int> = []
        var run = 0
        var (moved, stayed) = (0, 0)
        for index in frames.indices.dropFirst() {
            guard tape.frames[index].flaws == [.repeated] else {
                runs.insert(run)
                run = 0
                continue
            }
            run += 1
            #expect(tape.frames[index].offset == tape.frames[index - 1].offset + 5)
            #expect(frames[index].withoutTraces == frames[index - 1].withoutTraces)
            #expect(frames[index]["balls"] == frames[index - 1]["balls"])
            #expect(frames[index]["runs"] == frames[index - 1]["runs"])
            if frames[index]["batting"].rows.isEmpty { continue }
            if frames[index] == frames[index - 1] { stayed += 1 } else { moved += 1 }
        }
        #expect(runs.isSuperset(of: [0, 1, 2, 3, 4]))
        #expect(moved > 0 && stayed > 0)
    }

    @Test(arguments: both) func aSeventhOfTheBallsIsFirstPostedWrong(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .corrections, seed)
        let frames = try frames(tape)
        let final = try #require(frames.last)["balls"].rows
        var wrong: [Int: Int] = [:]
        var besideTheNext = 0
        for (index, frame) in tape.frames.enumerated() {
            var isWrong = false
            for (ball, right) in zip(frames[index]["balls"].rows, final) where ball.withoutTraces != right.withoutTraces
            {
                let id = try #require(ball["id"].int)
                #expect(id == right["id"].int, "its id stays")
                #expect(frame.flaws == [.wrong])
                isWrong = true
                wrong[id] = wrong[id] ?? frame.offset
                if id != ids(frames[index]).last { besideTheNext += 1 }
            }
            #expect(isWrong == !frame.flaws.isEmpty)
        }
        #expect((final.count / 11...final.count / 4).contains(wrong.count), "\(wrong.count) of \(final.count)")
        if match == 1_298_152 { #expect(besideTheNext > 0, "sometimes the next ball is there") }
        for ball in final {
            guard let id = ball["id"].int, let since = wrong[id] else { continue }
            let fixed = try #require(ProviderTime.seconds(ball["updated_at"].string ?? "")) - Samples.start
            #expect((5...10).contains(fixed - since))
        }
    }

    /// Over some seeds of a whole T20 each kind of slip occurs.
    @Test func everyKindOfSlipOccurs() throws {
        var kinds: Set<String> = []
        for seed in 1...4 as ClosedRange<UInt64> {
            let tape = try tape(1_304_076, .corrections, seed)
            var reel = TapeReel(tape, clock: TapeClock(startsAt: Samples.start))
            let final = try JSON(reel.fixture(tape.frames.count - 1))
            for index in tape.frames.indices where tape.frames[index].flaws == [.wrong] {
                let shown = try JSON(reel.fixture(index))["balls"].rows
                for (ball, right) in zip(shown, final["balls"].rows) where ball.withoutTraces != right.withoutTraces {
                    if ball["bowler_id"] != right["bowler_id"] { kinds.insert("bowler") }
                    if ball["score"] != right["score"] {
                        kinds.insert("\(ball["score"]["name"].string ?? "") for \(right["score"]["name"].string ?? "")")
                    } else if ball["batsmanout_id"] != right["batsmanout_id"] {
                        kinds.insert("batter")
                    }
                }
            }
        }
        for kind in [
            "bowler", "batter", "5 Wides for FOUR", "SIX for FOUR", "FOUR for SIX", "1 Run for No Run",
            "No Run for 1 Run", "Catch Out for No Run", "LBW OUT for No Run", "No Run for Catch Out", "1 Bye for 1 Run",
        ] {
            #expect(kinds.contains(kind), "\(kind) in \(kinds.sorted())")
        }
    }

    @Test(arguments: both) func phantomsComeAndGo(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .deletions, seed)
        let frames = try frames(tape)
        let final = try #require(frames.last)["balls"].rows
        let real = Set(final.compactMap { $0["id"].int })
        var phantoms: [Int: Int] = [:]
        for (index, frame) in tape.frames.enumerated() {
            let extra = frames[index]["balls"].rows.filter { !real.contains($0["id"].int ?? 0) }
            #expect(extra.count == (frame.flaws == [.phantom] ? 1 : 0))
            guard let phantom = extra.first, let id = phantom["id"].int else { continue }
            phantoms[id] = frame.offset
            let replacement = try #require(final.first { ($0["id"].int ?? 0) > id })
            #expect(replacement["ball"] == phantom["ball"] && replacement["scoreboard"] == phantom["scoreboard"])
            let gone = tape.frames[index + 1].offset - frame.offset
            #expect((5...15).contains(gone))
            #expect(!ids(frames[index + 1]).contains(id))
        }
        #expect((final.count / 25...final.count / 8).contains(phantoms.count), "\(phantoms.count) of \(final.count)")
    }

    @Test(arguments: both) func repliesTear(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .torn, seed)
        let frames = try frames(tape)
        var kinds: Set<String> = []
        for index in tape.frames.indices where tape.frames[index].flaws == [.torn] {
            let (before, torn, after) = (frames[index - 1], frames[index], frames[index + 1])
            #expect(tape.frames[index + 1].flaws.isEmpty)
            #expect(tape.frames[index + 1].offset == tape.frames[index].offset + 5)
            let kind = ["balls", "batting", "runs"].map { part in
                #expect(torn[part] == before[part] || torn[part] == after[part])
                return torn[part] == after[part] ? "new" : "old"
            }
            #expect(torn["bowling"] == (kind[1] == "new" ? after : before)["bowling"])
            #expect(torn["scoreboards"] == (kind[2] == "new" ? after : before)["scoreboards"])
            #expect(Set(kind).count == 2)
            kinds.insert(kind.joined(separator: " "))
        }
        #expect(kinds.contains("new old old") && kinds.contains("old new new"))
        #expect(kinds.contains { $0.hasSuffix("old new") } && kinds.contains { $0.hasSuffix("new old") })
    }

    @Test(arguments: both) func olderFramesComeAfterNewer(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .stale, seed)
        let frames = try frames(tape)
        let stale = tape.frames.indices.filter { tape.frames[$0].flaws == [.stale] }
        #expect(stale.count > 2)
        for index in stale {
            let back = (2...4).first { frames[index - $0] == frames[index] }
            #expect(back != nil, "one of the three before the newest")
            #expect(frames[index + 1] == frames[index - 1], "and the newer again")
        }
    }

    @Test(arguments: [1, 2] as [UInt64]) func theResultComesLateAndWrong(_ seed: UInt64) throws {
        for (match, kinds) in [(1_304_066, 3), (1_216_517, 3), (1_178_424, 2)] as [(Int64, Int)] {
            let tape = try tape(match, .lateResult, seed)
            let ends = try frames(tape).suffix(kinds + 1).dropLast()
            #expect(ends.allSatisfy { $0["status"].string == "Finished" })
            let right = try #require(ends.last)
            #expect(right["note"].string?.isEmpty == false)
            for (index, end) in ends.enumerated().dropLast() {
                #expect(end["note"] == .null && end["man_of_match_id"] == .null && end["draw_noresult"] == .null)
                #expect((end["winner_team_id"] == .null) == (index == 0))
                #expect(end["winner_team_id"] != right["winner_team_id"] || kinds == 2)
            }
            let offsets = tape.frames.suffix(kinds + 1).map(\.offset)
            #expect(offsets[kinds - 1] - offsets[0] <= 240)
            #expect(
                tape.frames.suffix(kinds + 1).map { $0.flaws.isEmpty } == Array(repeating: false, count: kinds - 1) + [
                    true, true,
                ])
        }
    }

    @Test func minutesAreMissing() throws {
        var (changes, middles) = (0, 0)
        for seed in 1...12 as ClosedRange<UInt64> {
            let tape = try tape(1_298_152, .gaps, seed)
            var reel = TapeReel(
                tape, clock: TapeClock(startsAt: Samples.start), includes: FixtureIncludes("bowling,runs"))
            let frames = try tape.frames.indices.map { try JSON(reel.fixture($0)) }
            let counts = frames.map { $0["bowling"].rows.reduce(0) { $0 + Scorecard.balls($1["overs"]) } }
            let innings = frames.map { $0["runs"].rows.count }
            let longest = zip(counts, counts.dropFirst()).map { $1 - $0 }.max() ?? 0
            #expect(longest >= 12)
            if longest > 40 { middles += 1 }
            if tape.position(of: "Innings Break") == nil { changes += 1 }
            #expect(innings == innings.sorted())
        }
        #expect(changes >= 7, "\(changes) of 12 lost the innings break")
        #expect((1...8).contains(middles), "\(middles) of 12 lost the middle")
    }

    @Test(arguments: both) func theStatusFlaps(_ match: Int64, _ seed: UInt64) throws {
        let tape = try tape(match, .flaps, seed)
        let frames = try frames(tape)
        let flaps = tape.frames.indices.filter { tape.frames[$0].flaws == [.flap] }
        #expect(flaps.count > 1)
        #expect(tape.frames.count { $0.status.isEmpty } <= 1)
        #expect(Set(flaps.map { tape.frames[$0].status }).isSubset(of: ["Int.", "Drinks Break", ""]))
        for index in flaps {
            #expect(tape.frames[index - 1].status.hasSuffix("Innings"))
            #expect(tape.frames[index + 1].status == tape.frames[index - 1].status)
            for part in ["balls", "batting", "bowling", "runs", "note"] {
                #expect(frames[index][part] == frames[index - 1][part])
            }
        }
    }

    @Test(arguments: both) func aStormHasEverything(_ match: Int64, _ seed: UInt64) throws {
        let flaws = try tape(match, .storm, seed).frames.flatMap(\.flaws)
        #expect(Set(flaws).count >= 6, "\(Set(flaws))")
    }

    @Test func onlyEveryNthBallIsShown() throws {
        let tape = try Samples.tape(1_304_076)
        #expect(tape.frames(ballsPerFrame: 1) == Array(tape.frames.indices))
        for step in 2...3 {
            let shown = tape.frames(ballsPerFrame: step)
            #expect(shown == shown.sorted() && Set(shown).count == shown.count)
            let phases = tape.frames.indices.filter { tape.frames[$0].label.split(separator: " ").count != 3 }
            #expect(Set(shown).isSuperset(of: phases))
            let includes = FixtureIncludes("bowling")
            let counts = try shown.map { index in
                try Samples.fixture(tape, index, includes: includes)["bowling"].rows.reduce(0) {
                    $0 + Scorecard.balls($1["overs"])
                }
            }
            let new = zip(counts, counts.dropFirst()).map { $1 - $0 }.filter { $0 > 0 }
            #expect(new.allSatisfy { $0 <= step } && new.count { $0 == step } > 60, "wides are no ball of an over")
            let last = try #require(tape.frames.lastIndex { $0.label.hasPrefix("S1 ") })
            #expect(shown.contains(last), "the last ball of an innings is seen")
        }
        #expect(tape.frames(ballsPerFrame: 1_000).count < 12)
    }

    /// In any order a reel gives the bytes that a frame alone gives.
    @Test(arguments: [TapeVariant.clean, .storm]) func aReelGivesTheSameBytes(_ variant: TapeVariant) throws {
        let tape = try tape(1_298_152, variant, 3)
        let clock = TapeClock(startsAt: Samples.start, speed: 8)
        var reel = TapeReel(tape, clock: clock)
        let seed = UInt64.random(in: 1...1_000_000)
        var order = Array(tape.frames.indices)
        for index in order.indices { order.append(index &* 7_919 &* Int(seed) % tape.frames.count) }
        for index in order where index % 5 == 0 {
            #expect(
                reel.fixture(index) == tape.livescoreFixture(index, clock: clock), "seed \(seed), frame \(index)")
        }
        #expect(
            reel.fixture(40, rowsBehind: 1) == tape.livescoreFixture(40, clock: clock, rowsBehind: 1))
    }
}
