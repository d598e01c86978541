import Testing

@testable import MatchOrchestrator

@Suite struct RotatingScanTests {
    @Test func onlyAWholeScanThatFoundNothingIsQuiet() {
        var turn = RotatingScan<Int>()
        #expect(turn.place == nil && !turn.isQuiet)
        turn.scanned(to: nil, found: true)
        #expect(!turn.isQuiet)
        turn.scanned(to: nil, found: false)
        #expect(turn.isQuiet)
        turn.scanned(to: 5, found: false)
        #expect(turn.place == 5 && turn.isQuiet)
        turn.scanned(to: nil, found: false)
        #expect(turn.place == nil && turn.isQuiet)
    }

    @Test func whatAPartFindsMakesTheNextScansWhole() {
        var turn = RotatingScan<Int>()
        turn.scanned(to: nil, found: false)
        turn.scanned(to: 5, found: true)
        #expect(turn.place == nil && !turn.isQuiet)
        // A look in two parts, of which the first found something.
        turn.scanned(to: 5, found: true)
        turn.scanned(to: nil, found: false)
        #expect(!turn.isQuiet)
        turn.scanned(to: nil, found: false)
        #expect(turn.isQuiet)
    }

    @Test func lookingAtAllBeginsAnew() {
        var turn = RotatingScan<Int>()
        turn.scanned(to: nil, found: false)
        turn.scanned(to: 5, found: false)
        turn.scanAll()
        #expect(turn.place == nil && !turn.isQuiet)
    }
}
