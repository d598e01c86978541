import Activities
import Testing

@Suite struct StartFallbackTests {
    private let fallback = StartFallback(wait: .seconds(120))

    private func next(
        _ state: StartFallback.State, _ start: StartFallback.Outlook = .lost, registered: Bool = false
    ) -> StartFallback.Step? { fallback.next(state, start, hasRegistered: registered) }

    @Test func aSecondTryIsAccompaniedByASilentPushAndTheUserIsAskedWhenAllAreLost() {
        #expect(next(.init(), .underWay) == nil)
        #expect(next(.init(), .unanswered) == .silent)
        #expect(next(.init(tokenIsSpent: true), .unanswered) == nil)
        #expect(next(.init(step: .silent, since: .seconds(9_999)), .unanswered) == nil)
        #expect(next(.init(step: .silent, since: .seconds(120)), .lost) == .visible)
        #expect(next(.init(step: .visible, since: .seconds(9_999)), .unanswered) == nil)
    }

    @Test func aLostStartWakesTheAppThenAsksTheUserThenLeavesThePhoneAlone() {
        #expect(next(.init()) == .silent)
        #expect(next(.init(step: .silent, since: .seconds(119))) == nil)
        #expect(next(.init(step: .silent, since: .seconds(120))) == .visible)
        #expect(next(.init(step: .visible, since: .seconds(119))) == nil)
        #expect(next(.init(step: .visible, since: .seconds(120))) == .passive)
        #expect(next(.init(step: .passive, since: .seconds(1_000_000))) == nil)
    }

    @Test func nothingIsDueWhileNothingIsLost() {
        for step in StartFallback.Step.allCases {
            #expect(next(.init(step: step, since: .seconds(9_999)), .underWay) == nil)
        }
    }

    @Test func theAppsRegistrationEndsIt() {
        #expect(next(.init(), registered: true) == nil)
        for step in [StartFallback.Step.silent, .visible, .passive] {
            #expect(next(.init(step: step), registered: true) == StartFallback.Step.none)
            #expect(next(.init(step: step, pushIsDue: true), .underWay, registered: true) == StartFallback.Step.none)
        }
    }

    @Test func aStepWhosePushHasNotLeftIsNotOver() {
        #expect(next(.init(step: .silent, since: .seconds(9_999), pushIsDue: true)) == nil)
        #expect(next(.init(step: .visible, since: .seconds(9_999), pushIsDue: true)) == nil)
    }

    @Test func aTokenThatHasBeenThroughItGetsNothingMore() {
        #expect(next(.init(tokenIsSpent: true)) == .passive)
    }

    @Test func aPhoneShowsAtMostOneNotificationADay() {
        let state = StartFallback.State(step: .silent, since: .seconds(120), sinceVisible: .seconds(86_399))
        #expect(next(state) == .passive)
        var later = state
        later.sinceVisible = .seconds(86_400)
        #expect(next(later) == .visible)
    }

    @Test func whoWantsNoAlertsSeesNoNotification() {
        #expect(next(.init(step: .silent, since: .seconds(120), maySee: false)) == .passive)
    }

    /// Whatever happens to a phone, one start token never costs more than one silent and one visible push.
    @Test func noTokenGetsMoreThanOneOfEach() {
        var reachedPassive = 0
        for history in 0..<(1 << 14) {
            var state = StartFallback.State()
            var steps: [StartFallback.Step] = []
            for moment in 0..<7 {
                let (isLost, registers) = (history >> (2 * moment) & 1 == 1, history >> (2 * moment + 1) & 1 == 1)
                if let step = next(state, isLost ? .lost : .underWay, registered: registers) {
                    steps.append(step)
                    // What the database remembers when the same token comes back.
                    state = .init(
                        step: step, tokenIsSpent: true, sinceVisible: step == .visible ? .zero : state.sinceVisible)
                }
                state.since += .seconds(120)
            }
            #expect(steps.count { $0 == .silent } <= 1)
            #expect(steps.count { $0 == .visible } <= 1)
            reachedPassive += steps.contains(.passive) ? 1 : 0
        }
        #expect(reachedPassive > 1_000)
    }
}
