import FoundationEssentials
import SightscreenModels
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

    @Test(arguments: [EventKind.targetRevised, .stumps, .closeFinish, .fiveWickets])
    func tellsKeyFollowersOfWhatDecidesAMatch(kind: EventKind) { #expect(alert(kind).isWanted(at: .key)) }

    @Test(arguments: [EventKind.toss, .suspended, .resumed, .correction])
    func doesNotTellKeyFollowersOfWhatDoesNot(kind: EventKind) { #expect(!alert(kind).isWanted(at: .key)) }

    @Test(arguments: [
        (0, 3, true), (49, 6, true), (12, 9, true), (50, 1, true), (103, 4, true), (49, 1, false), (0, 10, false),
    ])
    func aWicketIsKeyForItsBatterOrForItsPlace(runs: Int, fallen: Int, isKey: Bool) {
        #expect(MatchAlert.isKey(.wicket, value: nil, batterRuns: runs, fallen: fallen) == isKey)
    }

    /// An alert with the title "On a hat-trick" also contains the wicket that led to it, which a follower of key events
    /// must receive.
    @Test func tellsKeyFollowersOfAWicketUnderAnotherTitle() {
        #expect(alert(.onHatTrick, isKey: true).isWanted(at: .key))
    }

    /// While releases run side by side, a coordinator also sends alerts of kinds that it does not know.
    @Test func anAlertOfAKindThatOnlyANewerReleaseKnowsIsRead() throws {
        var known = alert(.wicket)
        known.eventKeys = ["wicket:S1:p7"]
        let text = String(decoding: try JSONEncoder().encode(known), as: UTF8.self)
        #expect(try JSONDecoder().decode(MatchAlert.self, from: Data(text.utf8)) == known)
        let newer = text.replacing("\"kind\":\"wicket\"", with: "\"kind\":\"drinks\",\"more\":1")
        #expect(newer != text)
        let read = try JSONDecoder().decode(MatchAlert.self, from: Data(newer.utf8))
        #expect(read.kind == .correction && read.title == known.title && read.isKey == known.isKey)
    }

    @Test func anAlertOfAnOlderReleaseIsRead() throws {
        let text = """
            {"title":"t","body":"b","kind":"wicket","sound":true,"isKey":true,"eventAt":7}
            """
        let read = try JSONDecoder().decode(MatchAlert.self, from: Data(text.utf8))
        #expect(read.eventKeys == nil && read.value == nil && read.sound && read.isKey && read.eventAt == 7)
    }
}
