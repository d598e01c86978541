import SightscreenModels
import Testing

@testable import ScorePoller

@Suite struct MatchDistributionTests {
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
        let plan = MatchDistribution(holders, buses: ["a", "b"])
        #expect(plan.moves.isEmpty)
        #expect(plan.homes.count == 5)
        for (match, bus) in plan.homes { holders[match] = bus }
        #expect(loads(holders).values.sorted() == [3, 4])
    }

    @Test func aBusThatComesGetsItsPartInStepsAndNoMoreThanThat() {
        var holders = matches(40, at: "a")
        var moved = 0
        while true {
            let plan = MatchDistribution(holders, buses: ["a", "b", "c"])
            #expect(plan.homes.isEmpty)
            #expect(plan.moves.count <= MatchDistribution.movesMax)
            if plan.moves.isEmpty { break }
            moved += plan.moves.count
            for (match, bus) in plan.moves { holders[match] = bus }
        }
        #expect(loads(holders).values.sorted() == [13, 13, 14])
        #expect(moved == 26)
    }

    @Test func matchesOfABusThatIsGoneGoToTheOthers() {
        var holders = matches(4, at: "a")
        holders[MatchID(5)] = "b"
        let plan = MatchDistribution(holders, buses: ["b", "c"])
        #expect(Set(plan.homes.keys) == Set((1...4).map { MatchID($0) }))
        for (match, bus) in plan.homes { holders[match] = bus }
        #expect(loads(holders).values.sorted() == [2, 3])
    }

    @Test func aBusThatHandsNothingOverKeepsWhatItHasAndOthersShareTheRest() {
        var holders = matches(9, at: "a")
        for number in 10...15 { holders[MatchID(Int64(number))] = "b" }
        let buses = ["a", "b", "c"]
        let plan = MatchDistribution(holders, buses: buses, refusing: ["a"])
        #expect(plan.homes.isEmpty)
        #expect(plan.moves.count == 3 && plan.moves.allSatisfy { $0.key.rawValue >= 10 && $0.value == "c" })
        #expect(MatchDistribution(holders, buses: buses, refusing: ["a", "b", "c"]).moves.isEmpty)
        // It takes new ones like any other.
        #expect(MatchDistribution(matches(3, at: nil), buses: ["a"], refusing: ["a"]).homes.count == 3)
    }

    @Test func aBusThatDoesNotAnswerGetsNothingWhileOthersDo() {
        let holders = matches(6, at: "b")
        #expect(MatchDistribution(holders, buses: ["a", "b"], silent: ["a"]).moves.isEmpty)
        #expect(Set(MatchDistribution(holders, buses: ["a", "b", "c"], silent: ["a"]).moves.values) == ["c"])
        #expect(
            MatchDistribution(matches(6, at: "a"), buses: ["a", "b"], silent: ["a"]).moves.isEmpty, "it cannot be asked"
        )
        let new = matches(4, at: nil)
        #expect(Set(MatchDistribution(new, buses: ["a", "b"], silent: ["a"]).homes.values) == ["b"])
        #expect(MatchDistribution(new, buses: ["a", "b"], silent: ["a", "b"]).homes.count == 4)
    }

    @Test func withoutABusNothingGoesAnywhere() {
        #expect(MatchDistribution(matches(3, at: nil), buses: []) == MatchDistribution([:], buses: ["a"]))
        #expect(MatchDistribution(matches(3, at: "a"), buses: ["a"]).moves.isEmpty)
    }
}
