import Cricket
import Detection
import SightscreenModels
import Tapes
import Testing

@Suite struct RealMatchTests {
    @Test(arguments: RealMatch.ids)
    func everyEventOfARealMatchIsFoundAndNoOther(id: Int64) throws {
        let match = try RealMatch(id)
        let snapshot = try match.last()
        let found = EventDetector.events(in: snapshot).map { $0.line(in: snapshot) }
        let expected = try CricsheetOracle(file: match.file).events()
        #expect(found.count == expected.count)
        #expect(Set(expected).subtracting(found).sorted() == [], "missing")
        #expect(Set(found).subtracting(expected).sorted() == [], "too many")
    }

    @Test(arguments: RealMatch.ids)
    func whatAnEarlierFrameShowsALaterOneStillShows(id: Int64) throws {
        let match = try RealMatch(id)
        let step = max(match.tape.frames.count / 4, 1)
        let final = EventDetector.events(in: try match.last())
        let places = Dictionary(uniqueKeysWithValues: final.enumerated().map { ($1.key, $0) })
        for frame in stride(from: step, to: match.tape.frames.count, by: step) {
            let early = EventDetector.events(in: try match.snapshot(frame))
            #expect(early.filter { places[$0.key] == nil }.map(\.key) == [], "frame \(frame)")
            #expect(early.compactMap { places[$0.key] } == Array(0..<early.count), "frame \(frame)")
        }
    }

    @Test func noFrameOfAMatchTellsWhatTheLastOneTakesBack() throws {
        let match = try RealMatch(1_178_424)
        let final = EventDetector.events(in: try match.last())
        for frame in match.tape.frames.indices {
            let early = EventDetector.events(in: try match.snapshot(frame)).map(\.key)
            #expect(early == final.prefix(early.count).map(\.key), "frame \(frame)")
        }
    }

    @Test(
        arguments: [
            (392212, ["RG Sharma S2 15.6 onHatTrick", "RG Sharma S2 17.1 hatTrick"]),
            (1_178_424, ["S Gopal S1 1.6 hatTrick"]), (1_270_836, ["NT Ellis S1 19.6 hatTrick"]),
            (1_273_750, ["K Rabada S2 19.3 hatTrick"]), (1_304_076, ["YS Chahal S2 16.6 hatTrick"]),
            (1_256_724, ["JO Holder S2 19.4 hatTrick", "JO Holder S2 19.5 hatTrick"]),
            (1_384_429, ["AD Mathews S1 24.2 wicket"]), (1_304_066, ["R Ashwin S1 18.2 wicket"]),
            (1_426_299, ["RA Jadeja S2 15.5 wicket"]),
        ] as [(Int64, [String])])
    func whatTheseMatchesAreKnownForIsFound(id: Int64, facts: [String]) throws {
        let snapshot = try RealMatch(id).last()
        let found = EventDetector.events(in: snapshot).compactMap { event in
            event.playerID.flatMap { snapshot.players[$0] }.map {
                "\($0.fullName) S\(event.innings ?? 0) \(event.ball ?? "") \(event.kind.rawValue)"
            }
        }
        #expect(Set(facts).isSubset(of: found))
    }

    @Test(
        arguments: [
            (1_304_076, ["FIFTY! Buttler off 29 balls", "Hat-trick! Chahal: SS Iyer, Mavi, Cummins"]),
            (1_384_429, ["Mathews timed out 0 (0)"]), (1_304_066, ["Ashwin retired out 28 (23)"]),
            (1_426_299, ["Jadeja obstructing the field 5 (6)"]),
            (1_256_724, ["Four in four! Holder: Jordan, Billings, Rashid, Mahmood"]),
            (1_216_517, ["Match tied (Kings XI Punjab won the Super Over)"]),
        ] as [(Int64, [String])])
    func theTextIsWhatAFanWantsToRead(id: Int64, texts: [String]) throws {
        let found = EventDetector.events(in: try RealMatch(id).last()).map(\.text)
        #expect(Set(texts).subtracting(found) == [])
    }

    @Test(arguments: RealMatch.ids)
    func withoutAnyBallTheTotalsTellTheSameWickets(id: Int64) throws {
        let snapshot = try RealMatch(id).last()
        var bare = snapshot
        for place in bare.innings.indices { bare.innings[place].balls = [] }
        let all = EventDetector.events(in: snapshot)
        // Whether figures are those right after a wicket, one frame does not show.
        let seen = EventDetector.events(in: bare).filter { $0.kind != .bowlerOnFire }
        #expect(Set(seen.map(\.key)).isSubset(of: all.map(\.key)))
        for kind in [EventKind.wicket, .milestone, .inningsBreak, .matchResult, .newBatter, .endOfOver] {
            let missing = Set(all.filter { $0.kind == kind }.map(\.key)).subtracting(seen.map(\.key))
            #expect(missing == [], "\(kind)")
        }
    }

    @Test(arguments: [1_304_076, 1_256_724, 1_384_429] as [Int64])
    func aTornFrameTellsNothingThatIsNotSo(id: Int64) throws {
        let match = try RealMatch(id)
        let final = Set(EventDetector.events(in: try match.last()).map(\.key))
        for frame in stride(from: 20, to: match.tape.frames.count - 2, by: match.tape.frames.count / 8) {
            let before = try match.snapshot(frame)
            let after = try match.snapshot(frame + 1)
            guard before.innings.count == after.innings.count else { continue }
            for (balls, rows) in [(before, after), (after, before)] {
                var torn = rows
                for place in torn.innings.indices { torn.innings[place].balls = balls.innings[place].balls }
                let told = Set(EventDetector.events(in: torn).map(\.key))
                #expect(told.subtracting(final) == [], "frame \(frame)")
            }
        }
    }

    @Test(arguments: RealMatch.ids)
    func ballsThatStayMissingBringNoFalseEvent(id: Int64) throws {
        let snapshot = try RealMatch(id).last()
        let all = Dictionary(uniqueKeysWithValues: EventDetector.events(in: snapshot).map { ($0.key, $0) })
        // Which of two balls was the first of a row of sixes, or brought a rate, nobody can know.
        let uncertain: Set<EventKind> = [.batterOnFire, .bowlerOnFire, .nineties, .consecutiveSixes]
        for place in snapshot.innings.indices where snapshot.innings[place].balls.count > 40 {
            let count = snapshot.innings[place].balls.count
            for start in stride(from: 0, to: count - 12, by: max(count / 9, 1)) {
                var gappy = snapshot
                gappy.innings[place].balls.removeSubrange(start..<start + 12)
                let told = EventDetector.events(in: gappy)
                let wrong = told.filter { all[$0.key] == nil && !uncertain.contains($0.kind) }
                #expect(wrong.map(\.key) == [], "innings \(place + 1) without 12 balls from \(start)")
                for kind in [EventKind.wicket, .milestone, .endOfOver, .newBatter, .inningsBreak, .matchResult] {
                    let lost = all.values.filter { $0.kind == kind }.count - told.count { $0.kind == kind }
                    #expect(lost == 0, "\(kind), innings \(place + 1) without 12 balls from \(start)")
                }
            }
        }
    }
}
