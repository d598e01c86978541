import Activities
import SightscreenModels
import Testing

@testable import MatchOrchestrator

@Suite struct RenewalTrackerTests {
    private let match = MatchID(1)
    private let start = ContinuousClock.now
    private static let due = RenewalRule().after
    private static let dueInBreak = RenewalRule().afterInBreak

    @Test func whatWasNeverLookedAtIsLookedAt() {
        var tracker = RenewalTracker(rule: RenewalRule())
        #expect(tracker.age(match, isBreak: false, at: start) == Self.due)
        #expect(tracker.age(match, isBreak: true, at: start) == Self.dueInBreak)
    }

    @Test func nothingIsLookedAtBeforeTheOldestCanBeDue() {
        var tracker = RenewalTracker(rule: RenewalRule())
        tracker.scanned(match, oldest: .seconds(3_600), at: start)
        let left = Self.due - .seconds(3_600)
        #expect(tracker.age(match, isBreak: false, at: start + left - .seconds(1)) == nil)
        #expect(tracker.age(match, isBreak: false, at: start + left) == Self.due)
        // A break comes earlier.
        #expect(tracker.age(match, isBreak: true, at: start + left - .seconds(3_600)) == Self.dueInBreak)
        #expect(tracker.age(match, isBreak: true, at: start + left - .seconds(3_601)) == nil)
    }

    @Test func oneThatIsStartedLaterIsNotMissed() {
        var tracker = RenewalTracker(rule: RenewalRule())
        tracker.scanned(match, oldest: nil, at: start)
        // Its start may have been out at that look.
        #expect(tracker.age(match, isBreak: false, at: start + Self.due - .seconds(600)) == Self.due)
        #expect(tracker.age(match, isBreak: false, at: start + Self.due - .seconds(601)) == nil)
    }

    @Test func whatIsNotInPlayIsForgotten() {
        var tracker = RenewalTracker(rule: RenewalRule())
        tracker.scanned(match, oldest: nil, at: start)
        tracker.forget(except: [match])
        #expect(tracker.age(match, isBreak: false, at: start) == nil)
        tracker.forget(except: [])
        #expect(tracker.age(match, isBreak: false, at: start) == Self.due)
    }
}
