import Sightscreen
import Testing

@Suite struct MatchAlertTests {
    private func alert(_ kind: EventKind, value: Int? = nil, isKey: Bool? = nil) -> MatchAlert {
        MatchAlert(title: "t", body: "b", kind: kind, value: value, sound: false, isKey: isKey, eventAt: 0)
    }

    @Test func tellsKeyFollowersOfKeyEventsOnly() {
        for kind in [EventKind.matchResult, .inningsBreak, .hatTrick, .wicket] {
            #expect(alert(kind).isWanted(at: .key))
        }
        #expect(alert(.milestone, value: 100).isWanted(at: .key))
        #expect(!alert(.milestone, value: 50).isWanted(at: .key))
        for kind in [EventKind.onHatTrick, .maidenOver, .batterOnFire, .bowlerOnFire] {
            #expect(!alert(kind).isWanted(at: .key))
            #expect(alert(kind).isWanted(at: .all))
        }
        #expect(!alert(.matchResult).isWanted(at: .none))
    }

    /// "On a hat-trick" stands above the wicket that led to it, and a follower of key events must hear of the wicket.
    @Test func tellsKeyFollowersOfAWicketUnderAnotherTitle() {
        #expect(alert(.onHatTrick, isKey: true).isWanted(at: .key))
    }
}
