import SightscreenModels
import Store
import Testing

@testable import MatchOrchestrator

@Suite struct CalledOffWatchTests {
    private let off = CalledOffMatch(matchID: MatchID(1), hasVanished: false)

    @Test func believesAStatusAtTheSecondSyncThatShowsIt() {
        var watch = CalledOffWatch()
        #expect(watch.confirmed([off], afterSync: 3) == [])
        // Another pass, the same sync: nothing new was learnt.
        #expect(watch.confirmed([off], afterSync: 3) == [])
        #expect(watch.confirmed([off], afterSync: 4) == [MatchID(1)])
    }

    @Test func forgetsAStatusThatWasTakenBack() {
        var watch = CalledOffWatch()
        #expect(watch.confirmed([off], afterSync: 3) == [])
        #expect(watch.confirmed([], afterSync: 4) == [])
        #expect(watch.confirmed([off], afterSync: 5) == [])
    }

    @Test func believesAtOnceThatAMatchVanishedForItWasMissedTwice() {
        var watch = CalledOffWatch()
        let vanished = CalledOffMatch(matchID: MatchID(2), hasVanished: true)
        #expect(watch.confirmed([vanished], afterSync: 1) == [MatchID(2)])
    }
}
