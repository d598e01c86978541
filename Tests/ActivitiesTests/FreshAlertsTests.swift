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

    private static func version(_ number: Int) -> StampedVersion { StampedVersion(MatchVersion(number), Stamp(number)) }

    private static func fresh(_ alerts: [(Int, MatchAlert)]) -> FreshAlerts {
        var fresh = FreshAlerts(freshness: 30)
        for (version, alert) in alerts { fresh.published(Self.version(version), alert) }
        return fresh
    }

    /// The card of a version: KKR chase, or bat first where nothing is needed.
    private static func card(_ version: Int, score: String = "180/8", equation: String? = nil) -> ContentState {
        ContentState(
            version: version, matchDisplayState: .live, matchSentiment: .tense,
            compactLeading: .init(teamAbbr: "KKR", score: score),
            compactTrailing: .init(overs: "17.0", runRate: "10.59"),
            minimal: nil,
            expanded: .init(
                title: "RR v KKR", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
                requiredRunRate: nil, equation: equation, lastEvent: nil, status: nil))
    }

    /// What a phone is told that wants all of them.
    private static func told(
        _ fresh: FreshAlerts, after: Int? = nil, now: Int = 110, on card: ContentState? = nil
    ) -> MatchAlert? {
        let selection = fresh.selection(after: after.map { Stamp($0) }, now: now) { _ in true }
        return fresh.alert(of: selection, on: card ?? Self.card(fresh.entries.last?.version.number.rawValue ?? 0))
    }

    private static func streak(_ title: String, _ detail: String, wicket: String? = nil, keys: [String]) -> MatchAlert {
        var alert = Self.alert(title, .onHatTrick, of: keys)
        alert.body = "\(detail) · KKR need 38 off 20"
        alert.news = [.init(title: title, detail: detail, mention: nil, innings: 2, ending: .score)]
        if let wicket {
            alert.news?.append(
                .init(title: wicket, detail: "c Parag b Chahal 0 (1)", mention: nil, innings: 2, ending: .score))
        }
        return alert
    }

    /// Chahal: on a hat-trick with version 5, the hat-trick with 6, four in four with 7.
    private static let streaks: [(Int, MatchAlert, [String])] = [
        (
            5,
            streak(
                "KKR 180/7: Chahal on a hat-trick", "Mavi c Parag b Chahal 0 (1), after Iyer",
                wicket: "KKR 180/7: Mavi out first ball", keys: ["on", "wicket2"]), []
        ),
        (
            6, streak("KKR 180/8: hat-trick for Chahal", "Cummins c Samson b Chahal 0 (1)", keys: ["three"]),
            ["on", "wicket2"]
        ),
        (7, streak("KKR 180/9: Chahal 4 in 4", "Yadav lbw b Chahal 0 (1)", keys: ["four"]), ["three"]),
    ]

    @Test func whatTheNewerOneHasOvertakenIsNotTold() throws {
        var fresh = FreshAlerts(freshness: 30)
        for (version, alert, overtaken) in Self.streaks {
            fresh.published(Self.version(version), alert, overtaken: overtaken)
        }
        let told = try #require(Self.told(fresh, on: Self.card(7, score: "180/9", equation: "KKR need 38 off 18")))
        #expect(told.title == "KKR 180/9: Chahal 4 in 4")
        #expect(told.body == "Yadav lbw b Chahal 0 (1) · KKR need 38 off 20", "as it was committed, of this very state")
    }

    /// The bowler's next ball was hit for four: the wicket before it is still news, and the figures are the card's.
    @Test func ofAnOvertakenTitleTheRestIsToldWithTheFiguresOfTheCard() throws {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(Self.version(5), Self.streaks[0].1)
        fresh.published(Self.version(6), nil, overtaken: ["on"])
        let told = try #require(Self.told(fresh, on: Self.card(6, score: "184/7", equation: "KKR need 34 off 19")))
        #expect(told.title == "KKR 180/7: Mavi out first ball")
        #expect(told.body == "c Parag b Chahal 0 (1) · KKR 184/7 (17.0) · KKR need 34 off 19")
        fresh.published(Self.version(7), nil, overtaken: ["wicket2"])
        #expect(Self.told(fresh, on: Self.card(7)) == nil, "nothing is left of it")
    }

    @Test func aMergedAlertEndsWithTheFiguresOfTheCard() throws {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(Self.version(5), Self.alert("KKR 170/6: Iyer out for 85", of: ["wicket1"]))
        fresh.published(Self.version(6), Self.streaks[1].1)
        let told = try #require(Self.told(fresh, on: Self.card(8, score: "186/8", equation: "KKR need 32 off 17")))
        #expect(
            told.body
                == "Cummins c Samson b Chahal 0 (1) · KKR 170/6: Iyer out for 85 · KKR 186/8 (17.0) · KKR need 32 off 17"
        )
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
        #expect(fresh.alert(of: selection, on: Self.card(7))?.title == "innings break")
        #expect(fresh.alert(of: selection, on: Self.card(7))?.body == "b · wicket")
        let all = fresh.selection(after: nil, now: 110) { $0.alert.isWanted(at: .all) }
        #expect(fresh.alert(of: all, on: Self.card(7))?.body == "b · fifty · wicket")
        #expect(selection != all && fresh.newest(of: selection) == Self.version(7))
    }

    /// A phone has had all up to some alert, or none: what each of them is told are the sets that end with the newest.
    @Test func twoAlertsMakeFourPayloadsOfAVersionAtMost() {
        for (older, newer) in [(EventKind.wicket, EventKind.milestone), (.milestone, .wicket), (.wicket, .wicket)] {
            let fresh = Self.fresh([(5, Self.alert("a", older)), (6, Self.alert("b", newer))])
            var sets: Set<FreshAlerts.Selection> = []
            for level in AlertLevel.allCases {
                for after in [nil, 5, 6] {
                    sets.insert(
                        fresh.selection(after: after.map { Stamp($0) }, now: 110) {
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
        #expect(fresh.entries.map(\.version.number.rawValue) == [3, 4, 5, 6, 7, 8, 9, 10])
        let forgot = fresh.expire(now: 138)
        #expect(forgot && fresh.entries.map(\.version.number.rawValue) == [8, 9, 10])
        let forgotAgain = fresh.expire(now: 138)
        #expect(!forgotAgain)
    }

    @Test(arguments: [true, false])
    func aRetractedAlertIsNotSentAnyMore(correctionComesFirst: Bool) {
        var fresh = FreshAlerts(freshness: 30)
        let steps: [(inout FreshAlerts) -> Void] = [
            { $0.published(Self.version(4), Self.alert("other", of: ["wicket:S1:p2"])) },
            { $0.published(Self.version(5), Self.alert(of: ["wicket:S1:p1"])) },
            {
                $0.published(
                    Self.version(6), Self.alert("Correction", .correction, sound: false), retracted: ["wicket:S1:p1"])
            },
        ]
        for step in correctionComesFirst ? steps.reversed() : steps { step(&fresh) }
        let told = fresh.selection(after: Stamp(4), now: 110) { _ in true }
        #expect(fresh.newest(of: told) == Self.version(6))
        #expect(fresh.alert(of: told, on: Self.card(6))?.body == "b", "no word of it")
        #expect(fresh.entries.map(\.isRetracted) == [false, true, false])
        #expect(fresh.entries.map(\.corrects) == [nil, nil, Self.version(5)])
    }

    @Test(arguments: [("wicket:S1:p1", true), ("milestone:S1:p2", false)])
    func ofSeveralEventsTheOneOfTheTitleDecides(key: String, isRetracted: Bool) {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(Self.version(5), Self.alert(of: ["wicket:S1:p1", "milestone:S1:p2"]))
        fresh.published(Self.version(6), nil, retracted: [key])
        #expect(fresh.entries.map(\.isRetracted) == [isRetracted])
        #expect((Self.told(fresh) == nil) == isRetracted)
    }

    @Test func aLaterBallThatUsesTheKeyAgainIsAnnounced() {
        var fresh = FreshAlerts(freshness: 30)
        fresh.published(Self.version(5), nil, retracted: ["wicket:S1:p1"])
        fresh.published(Self.version(6), Self.alert(of: ["wicket:S1:p1"]))
        #expect(Self.told(fresh) != nil)
    }
}
