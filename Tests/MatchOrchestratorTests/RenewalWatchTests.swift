import Activities
import SightscreenModels
import Testing

@testable import MatchOrchestrator

@Suite struct RenewalWatchTests {
    private let match = MatchID(1)
    private let start = ContinuousClock.now
    private static let due = RenewalRule().after
    private static let dueInBreak = RenewalRule().afterInBreak

    @Test func whatWasNeverLookedAtIsLookedAt() {
        var watch = RenewalWatch(rule: RenewalRule())
        #expect(watch.age(match, isBreak: false, at: start) == Self.due)
        #expect(watch.age(match, isBreak: true, at: start) == Self.dueInBreak)
    }

    @Test func nothingIsLookedAtBeforeTheOldestCanBeDue() {
        var watch = RenewalWatch(rule: RenewalRule())
        watch.looked(match, oldest: .seconds(3_600), at: start)
        let left = Self.due - .seconds(3_600)
        #expect(watch.age(match, isBreak: false, at: start + left - .seconds(1)) == nil)
        #expect(watch.age(match, isBreak: false, at: start + left) == Self.due)
        // A break comes earlier.
        #expect(watch.age(match, isBreak: true, at: start + left - .seconds(3_600)) == Self.dueInBreak)
        #expect(watch.age(match, isBreak: true, at: start + left - .seconds(3_601)) == nil)
    }

    @Test func oneThatIsStartedLaterIsNotMissed() {
        var watch = RenewalWatch(rule: RenewalRule())
        watch.looked(match, oldest: nil, at: start)
        // Its start may have been out at that look.
        #expect(watch.age(match, isBreak: false, at: start + Self.due - .seconds(600)) == Self.due)
        #expect(watch.age(match, isBreak: false, at: start + Self.due - .seconds(601)) == nil)
    }

    @Test func whatIsNotInPlayIsForgotten() {
        var watch = RenewalWatch(rule: RenewalRule())
        watch.looked(match, oldest: nil, at: start)
        watch.forget(except: [match])
        #expect(watch.age(match, isBreak: false, at: start) == nil)
        watch.forget(except: [])
        #expect(watch.age(match, isBreak: false, at: start) == Self.due)
    }
}
