import Activities
import SightscreenModels
import Testing

@Suite struct FreshAlertsTests {
    private static func alert(
        _ title: String = "Wicket", at eventAt: Int = 100, _ kind: EventKind = .wicket, sound: Bool = true,
        of keys: [String]? = nil
    ) -> MatchAlert {
        var alert = MatchAlert(
            title: title, body: "b", kind: kind, value: nil, sound: sound, eventAt: eventAt)
        alert.eventKeys = keys
        return alert
    }

    private static func fresh(_ alerts: [(Int, MatchAlert)]) -> FreshAlerts {
        var fresh = FreshAlerts(freshness: 30)
        for (version, alert) in alerts { fresh.published(MatchVersion(version), alert) }
        return fresh
    }

    /// What a phone is told that wants all of them.
    private static func told(_ fresh: FreshAlerts, after: Int? = nil, now: Int = 110) -> MatchAlert? {
        fresh.alert(of: fresh.selection(after: after.map { MatchVersion($0) }, now: now) { _ in true })
    }

    @Test func carriesASkippedAlertWhileItIsFresh() {
        let fresh = Self.fresh([(5, Self.alert())])
        #expect(Self.told(fresh, now: 130) == Self.alert())
        #expect(Self.told(fresh, now: 131) == nil)
        #expect(Self.told(fresh, after: 5) == nil)
    }

    @Test func ofTwoTheNewerOneNamesTheOlderOne() throws {
        let fresh = Self.fresh([
            (5, Self.alert("RR 96/3: Samson out for 41", at: 100)),
            (6, Self.alert("RR 99/3: 50 for Jaiswal", at: 104, .milestone, sound: false)),
        ])
        let both = try #require(Self.told(fresh))
        #expect(both.title == "RR 99/3: 50 for Jaiswal")
        #expect(both.body == "b · RR 96/3: Samson out for 41")
        #expect(both.sound && both.isKey, "as one of them is")
        #expect(both.kind == .milestone && both.eventAt == 104)
        #expect(Self.told(fresh, after: 5)?.body == "b")
        #expect(Self.told(fresh, after: 5)?.sound == false)
        #expect(Self.told(fresh, after: 6) == nil)
        #expect(Self.told(fresh, now: 131)?.body == "b", "the older one is no news")
    }

    @Test func whoWantsKeyAlertsOnlyHearsOfNoOther() {
        let fresh = Self.fresh([
            (5, Self.alert("wicket")), (6, Self.alert("fifty", .milestone, sound: false)),
            (7, Self.alert("innings break", .inningsBreak, sound: false)),
        ])
        let selection = fresh.selection(after: nil, now: 110) { $0.alert.isWanted(at: .key) }
        #expect(fresh.alert(of: selection)?.title == "innings break")
        #expect(fresh.alert(of: selection)?.body == "b · wicket")
        let all = fresh.selection(after: nil, now: 110) { $0.alert.isWanted(at: .all) }
        #expect(fresh.alert(of: all)?.body == "b · fifty · wicket")
        #expect(selection != all && fresh.newest(of: selection) == MatchVersion(7))
    }

    /// A phone has had all up to some alert, or none: what each of them is told are the sets that end with the newest.
    @Test func twoAlertsMakeFourPayloadsOfAVersionAtMost() {
        for (older, newer) in [(EventKind.wicket, EventKind.milestone), (.milestone, .wicket), (.wicket, .wicket)] {
            let fresh = Self.fresh([(5, Self.alert("a", older)), (6, Self.alert("b", newer))])
            var sets: Set<FreshAlerts.Selection> = []
            for level in AlertLevel.allCases {
                for after in [nil, 5, 6] {
                    sets.insert(
                        fresh.selection(after: after.map { MatchVersion($0) }, now: 110) {
                            $0.alert.isWanted(at: level)
                        })
                }
            }
            #expect(sets.count <= 4 && sets.contains(FreshAlerts.Selection()))
        }
    }

    @Test func headlinesForWhichThereIsNoRoomAreCounted() throws {
        let long = String(repeating: "x", count: 60)
        let fresh = Self.fresh((1...6).map { ($0, Self.alert("\($0) \(long)")) })
        let body = try #require(Self.told(fresh)?.body)
        #expect(body.count <= FreshAlerts.bodyMax)
        #expect(body == "b · 5 \(long) · 4 \(long) · and 3 more")
    }

    @Test func keepsEightAtMostAndForgetsWhatIsOld() {
        var fresh = Self.fresh([10, 4, 2, 3, 1, 4, 5, 6, 7, 8, 9].map { ($0, Self.alert(at: 100 + $0)) })
        #expect(fresh.entries.map(\.version.rawValue) == [3, 4, 5, 6, 7, 8, 9, 10])
        let forgot = fresh.expire(now: 138)
        #expect(forgot && fresh.entries.map(\.version.rawValue) == [8, 9, 10])
        let forgotAgain = fresh.expire(now: 138)
        #expect(!forgotAgain)
    }

    @Test(arguments: [true, false])
    func aRetractedAlertIsNotSentAnyMore(correctionComesFirst: Bool) {
        var fresh = FreshAlerts(freshness: 30)
        let steps: [(inout FreshAlerts) -> Void] = [
            { $0.published(MatchVersion(4), Self.alert("other", of: ["wicket:S1:p2"])) },
            { $0.published(MatchVersion(5), Self.alert(of: ["wicket:S1:p1"])) },
            {
                $0.published(
                    MatchVersion(6), Self.alert("Correction", .correction, sound: false), retracted: ["wicket:S1:p1"])
            },
        ]
        for step in correctionComesFirst ? steps.reversed() : steps { step(&fresh) }
        let told = fresh.selection(after: MatchVersion(4), now: 110) { _ in true }
        #expect(fresh.newest(of: told) == MatchVersion(6))
        #expect(fresh.alert(of: told)?.body == "b", "no word of it")
        #expect(fresh.entries.map(\.isRetracted) == [false, true, false])
        #expect(fresh.entries.map(\.corrects) == [nil, nil, MatchVersion(5)])
    }

    @Test(arguments: [("wicket:S1:p1", true), ("milestone:S1:p2", false)])
    func ofSeveralEventsTheOneOfTheTitleDecides(key: String, isRetracted: Bool) {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(MatchVersion(5), Self.alert(of: ["wicket:S1:p1", "milestone:S1:p2"]))
        fresh.published(MatchVersion(6), nil, retracted: [key])
        #expect(fresh.entries.map(\.isRetracted) == [isRetracted])
        #expect((Self.told(fresh) == nil) == isRetracted)
    }

    @Test func aLaterBallThatUsesTheKeyAgainIsAnnounced() {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(MatchVersion(5), nil, retracted: ["wicket:S1:p1"])
        fresh.published(MatchVersion(6), Self.alert(of: ["wicket:S1:p1"]))
        #expect(Self.told(fresh) != nil)
    }
}
