import Testing

@testable import MatchOrchestrator

@Suite struct LookInTurnTests {
    @Test func onlyAWholeLookThatFoundNothingIsQuiet() {
        var turn = LookInTurn<Int>()
        #expect(turn.place == nil && !turn.isQuiet)
        turn.looked(to: nil, found: true)
        #expect(!turn.isQuiet)
        turn.looked(to: nil, found: false)
        #expect(turn.isQuiet)
        turn.looked(to: 5, found: false)
        #expect(turn.place == 5 && turn.isQuiet)
        turn.looked(to: nil, found: false)
        #expect(turn.place == nil && turn.isQuiet)
    }

    @Test func whatAPartFindsMakesTheNextLooksWhole() {
        var turn = LookInTurn<Int>()
        turn.looked(to: nil, found: false)
        turn.looked(to: 5, found: true)
        #expect(turn.place == nil && !turn.isQuiet)
        // A look in two parts, of which the first found something.
        turn.looked(to: 5, found: true)
        turn.looked(to: nil, found: false)
        #expect(!turn.isQuiet)
        turn.looked(to: nil, found: false)
        #expect(turn.isQuiet)
    }

    @Test func lookingAtAllBeginsAnew() {
        var turn = LookInTurn<Int>()
        turn.looked(to: nil, found: false)
        turn.looked(to: 5, found: false)
        turn.lookAtAll()
        #expect(turn.place == nil && !turn.isQuiet)
    }
}
