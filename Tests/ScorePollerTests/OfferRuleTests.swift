import Cricket
import SportMonks
import Testing

@testable import ScorePoller

@Suite struct OfferRuleTests {
    let start = ContinuousClock.now

    private func fixture(_ runs: Int, updatedAt: Int = 0) -> SlimFixture {
        SlimFixture(
            id: 7, home: SlimTeam(id: 1), away: SlimTeam(id: 2), status: "1st Innings",
            runs: [
                SlimRuns(
                    innings: 1, teamID: 1, runs: runs, wickets: 0, overs: .init(completed: 1, balls: 0),
                    updatedAt: updatedAt)
            ])
    }

    /// A poll every five seconds; the bus settles at once. Which polls were offered?
    private func offered(_ fixtures: [SlimFixture], _ rule: inout OfferRule) -> [Int] {
        var offered: [Int] = []
        for (number, fixture) in fixtures.enumerated() {
            let now = start + .seconds(5 * number)
            guard rule.fetched(fixture, at: now).isOffered else { continue }
            offered.append(number)
            rule.settled(change: rule.change, at: now)
        }
        return offered
    }

    @Test func offersAChangeAndItsFirstRepeatThenAHeartbeat() {
        var rule = OfferRule()
        let same = Array(repeating: fixture(4), count: 20)
        #expect(offered(same, &rule) == [0, 1, 7, 13, 19])
    }

    @Test func everyChangeCountsAndTimesOfRowsDoNot() {
        var rule = OfferRule()
        let polls = [
            fixture(4), fixture(4), fixture(4, updatedAt: 9), fixture(5), fixture(5, updatedAt: 3), fixture(5),
        ]
        #expect(offered(polls, &rule) == [0, 1, 3, 4])
    }

    @Test func aCorrectionBackIsAChangeToo() {
        var rule = OfferRule()
        #expect(
            offered([fixture(4), fixture(4), fixture(5), fixture(4), fixture(4), fixture(4)], &rule) == [0, 1, 2, 3, 4])
    }

    @Test func goesOnOfferingUntilTheBusHasSettledItTwice() {
        var rule = OfferRule()
        for poll in 0..<10 {
            let (isOffered, isChanged) = rule.fetched(fixture(4), at: start + .seconds(5 * poll))
            #expect(isOffered && isChanged == (poll == 0))
        }
        rule.settled(change: rule.change, at: start)
        var isOffered = rule.fetched(fixture(4), at: start).isOffered
        #expect(isOffered)
        rule.settled(change: rule.change, at: start)
        isOffered = rule.fetched(fixture(4), at: start).isOffered
        #expect(!isOffered)
    }

    @Test func whatWasSettledBeforeTheChangeDoesNotCountForIt() {
        var rule = OfferRule()
        _ = rule.fetched(fixture(4), at: start)
        let old = rule.change
        _ = rule.fetched(fixture(5), at: start)
        for _ in 0..<3 { rule.settled(change: old, at: start) }
        let isOffered = rule.fetched(fixture(5), at: start).isOffered
        #expect(isOffered)
    }

    @Test func aBusThatCameLaterGetsTheNextFrame() {
        var rule = OfferRule()
        _ = offered([fixture(4), fixture(4)], &rule)
        var isOffered = rule.fetched(fixture(4), at: start + .seconds(10)).isOffered
        #expect(!isOffered)
        rule.forget()
        isOffered = rule.fetched(fixture(4), at: start + .seconds(15)).isOffered
        #expect(isOffered)
    }
}
