import SightscreenModels
import Testing

@testable import ScorePoller

@Suite struct MatchSpreadTests {
    private func matches(_ count: Int, at bus: String?) -> [MatchID: String?] {
        Dictionary(uniqueKeysWithValues: (1...count).map { (MatchID(Int64($0)), bus) })
    }

    private func loads(_ holders: [MatchID: String?]) -> [String: Int] {
        Dictionary(grouping: holders.values.compactMap { $0 }) { $0 }.mapValues(\.count)
    }

    @Test func newMatchesGoWhereThereAreFewest() {
        var holders = matches(7, at: nil)
        holders[MatchID(1)] = "a"
        holders[MatchID(2)] = "a"
        let spread = MatchSpread(holders, buses: ["a", "b"])
        #expect(spread.moves.isEmpty)
        #expect(spread.homes.count == 5)
        for (match, bus) in spread.homes { holders[match] = bus }
        #expect(loads(holders).values.sorted() == [3, 4])
    }

    @Test func aBusThatComesGetsItsPartInStepsAndNoMoreThanThat() {
        var holders = matches(40, at: "a")
        var moved = 0
        while true {
            let spread = MatchSpread(holders, buses: ["a", "b", "c"])
            #expect(spread.homes.isEmpty)
            #expect(spread.moves.count <= MatchSpread.movesMax)
            if spread.moves.isEmpty { break }
            moved += spread.moves.count
            for (match, bus) in spread.moves { holders[match] = bus }
        }
        #expect(loads(holders).values.sorted() == [13, 13, 14])
        #expect(moved == 26)
    }

    @Test func matchesOfABusThatIsGoneGoToTheOthers() {
        var holders = matches(4, at: "a")
        holders[MatchID(5)] = "b"
        let spread = MatchSpread(holders, buses: ["b", "c"])
        #expect(Set(spread.homes.keys) == Set((1...4).map { MatchID($0) }))
        for (match, bus) in spread.homes { holders[match] = bus }
        #expect(loads(holders).values.sorted() == [2, 3])
    }

    @Test func aBusThatHandsNothingOverKeepsWhatItHasAndOthersShareTheRest() {
        var holders = matches(9, at: "a")
        for number in 10...15 { holders[MatchID(Int64(number))] = "b" }
        let buses = ["a", "b", "c"]
        let spread = MatchSpread(holders, buses: buses, keeping: ["a"])
        #expect(spread.homes.isEmpty)
        #expect(spread.moves.count == 3 && spread.moves.allSatisfy { $0.key.rawValue >= 10 && $0.value == "c" })
        #expect(MatchSpread(holders, buses: buses, keeping: ["a", "b", "c"]).moves.isEmpty)
        // It takes new ones like any other.
        #expect(MatchSpread(matches(3, at: nil), buses: ["a"], keeping: ["a"]).homes.count == 3)
    }

    @Test func aBusThatDoesNotAnswerGetsNothingWhileOthersDo() {
        let holders = matches(6, at: "b")
        #expect(MatchSpread(holders, buses: ["a", "b"], silent: ["a"]).moves.isEmpty)
        #expect(Set(MatchSpread(holders, buses: ["a", "b", "c"], silent: ["a"]).moves.values) == ["c"])
        #expect(MatchSpread(matches(6, at: "a"), buses: ["a", "b"], silent: ["a"]).moves.isEmpty, "it cannot be asked")
        let new = matches(4, at: nil)
        #expect(Set(MatchSpread(new, buses: ["a", "b"], silent: ["a"]).homes.values) == ["b"])
        #expect(MatchSpread(new, buses: ["a", "b"], silent: ["a", "b"]).homes.count == 4)
    }

    @Test func withoutABusNothingGoesAnywhere() {
        #expect(MatchSpread(matches(3, at: nil), buses: []) == MatchSpread([:], buses: ["a"]))
        #expect(MatchSpread(matches(3, at: "a"), buses: ["a"]).moves.isEmpty)
    }
}
