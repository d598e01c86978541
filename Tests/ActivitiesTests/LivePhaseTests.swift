import Activities
import Testing

@Suite struct LivePhaseTests {
    @Test(arguments: [
        (nil, nil, LivePhase.unknown), ("NS", nil, .upcoming), ("1st Innings", nil, .live), ("Lunch", nil, .live),
        ("Finished", nil, .ended), ("Aban.", nil, .calledOff), ("Postp.", nil, .calledOff),
        ("A new word", nil, .upcoming),
        // What was seen goes before what the schedule says.
        ("NS", "live", .live), ("1st Innings", "inningsBreak", .live), ("1st Innings", "suspended", .suspended),
        ("Finished", "live", .live), ("Finished", "completed", .settled), ("NS", "abandoned", .settled),
        ("1st Innings", "scheduled", .upcoming), (nil, "live", .live),
    ])
    func comesFromTheScheduleUntilTheMatchIsSeen(_ status: String?, _ display: String?, _ phase: LivePhase) {
        #expect(LivePhase(.init(fixtureStatus: status, displayState: display)) == phase)
    }

    @Test func endedGoesBeforeSettledAndThatBeforeStumps() {
        var facts = LivePhase.Facts(fixtureStatus: "1st Innings", displayState: "live", isAtStumps: true)
        #expect(LivePhase(facts) == .stumps)
        facts.isSettled = true
        #expect(LivePhase(facts) == .settled)
        facts.isEnded = true
        #expect(LivePhase(facts) == .ended)
    }

    @Test func aMatchThatVanishedIsCalledOffUnlessItWasSeen() {
        #expect(LivePhase(.init(fixtureStatus: "NS", hasVanished: true, displayState: nil)) == .calledOff)
        #expect(LivePhase(.init(fixtureStatus: "NS", hasVanished: true, displayState: "live")) == .live)
    }

    @Test func noPhaseIsBothOnAndOver() {
        #expect(LivePhase.allCases.filter(\.isOn) == [.live, .suspended])
        #expect(LivePhase.allCases.filter(\.isOver) == [.stumps, .ended, .calledOff])
    }
}
