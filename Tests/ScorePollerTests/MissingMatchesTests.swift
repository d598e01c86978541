import SightscreenModels
import Testing

@testable import ScorePoller

@Suite struct MissingMatchesTests {
    let start = ContinuousClock.now
    let match = MatchID(7)

    /// The seconds at which it is read when a poll looks every five.
    private func reads(within seconds: Int, isChanged: (Int) -> Bool) -> [Int] {
        var missing = MissingMatches()
        var reads: [Int] = []
        for second in stride(from: 0, to: seconds, by: 5) {
            let now = start + .seconds(second)
            for match in missing.due([match], at: now) {
                reads.append(second)
                missing.tried(match, isChanged: isChanged(second), at: now)
            }
        }
        return reads
    }

    @Test func readsAtOnceThenEverMoreRarelyUpToTenMinutes() {
        #expect(
            reads(within: 3_600) { $0 == 0 } == [0, 15, 45, 105, 225, 465, 945, 1_545, 2_145, 2_745, 3_345])
    }

    @Test func aMatchThatCannotBeReadIsAsRare() {
        #expect(reads(within: 500) { _ in false } == [0, 15, 45, 105, 225, 465])
    }

    @Test func aChangeBringsItBack() {
        #expect(reads(within: 300) { $0 == 0 || $0 == 105 } == [0, 15, 45, 105, 120, 150, 210])
    }

    @Test func aMatchThatWasListedAgainIsReadAtOnceWhenItIsMissingAgain() {
        var missing = MissingMatches()
        missing.tried(match, isChanged: false, at: start)
        var due = missing.due([match], at: start + .seconds(1))
        #expect(due == [])
        due = missing.due([], at: start + .seconds(2))
        #expect(due == [])
        due = missing.due([match], at: start + .seconds(3))
        #expect(due == [match])
    }
}
