import SightscreenModels
import Store
import Testing

@testable import MatchOrchestrator

@Suite struct CalledOffTrackerTests {
    private let off = CalledOffMatch(matchID: MatchID(1), hasVanished: false)

    @Test func believesAStatusAtTheSecondSyncThatShowsIt() {
        var tracker = CalledOffTracker()
        #expect(tracker.confirmed([off], afterSync: 3) == [])
        // Another pass, the same sync: nothing new was learnt.
        #expect(tracker.confirmed([off], afterSync: 3) == [])
        #expect(tracker.confirmed([off], afterSync: 4) == [MatchID(1)])
    }

    @Test func forgetsAStatusThatWasTakenBack() {
        var tracker = CalledOffTracker()
        #expect(tracker.confirmed([off], afterSync: 3) == [])
        #expect(tracker.confirmed([], afterSync: 4) == [])
        #expect(tracker.confirmed([off], afterSync: 5) == [])
    }

    @Test func believesAtOnceThatAMatchVanishedForItWasMissedTwice() {
        var tracker = CalledOffTracker()
        let vanished = CalledOffMatch(matchID: MatchID(2), hasVanished: true)
        #expect(tracker.confirmed([vanished], afterSync: 1) == [MatchID(2)])
    }
}
