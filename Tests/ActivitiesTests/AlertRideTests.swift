import Activities
import SightscreenModels
import Testing

@Suite struct AlertRideTests {
    private static func alert(
        _ title: String = "Wicket", at eventAt: Int = 100, _ kind: EventKind = .wicket, sound: Bool = true,
        of keys: [String]? = nil
    ) -> MatchAlert {
        var alert = MatchAlert(
            title: title, body: "b", kind: kind, value: nil, sound: sound, eventAt: eventAt)
        alert.eventKeys = keys
        return alert
    }

    private static func ride(_ alerts: [(Int, MatchAlert)]) -> AlertRide {
        var ride = AlertRide(freshness: 30)
        for (version, alert) in alerts { ride.published(MatchVersion(version), alert) }
        return ride
    }

    /// What a phone is told that wants all of them.
    private static func told(_ ride: AlertRide, after: Int? = nil, now: Int = 110) -> MatchAlert? {
        ride.alert(of: ride.riders(after: after.map { MatchVersion($0) }, now: now) { _ in true })
    }

    @Test func carriesASkippedAlertWhileItIsFresh() {
        let ride = Self.ride([(5, Self.alert())])
        #expect(Self.told(ride, now: 130) == Self.alert())
        #expect(Self.told(ride, now: 131) == nil)
        #expect(Self.told(ride, after: 5) == nil)
    }

    @Test func ofTwoTheNewerOneNamesTheOlderOne() throws {
        let ride = Self.ride([
            (5, Self.alert("RR 96/3: Samson out for 41", at: 100)),
            (6, Self.alert("RR 99/3: 50 for Jaiswal", at: 104, .milestone, sound: false)),
        ])
        let both = try #require(Self.told(ride))
        #expect(both.title == "RR 99/3: 50 for Jaiswal")
        #expect(both.body == "b · RR 96/3: Samson out for 41")
        #expect(both.sound && both.isKey, "as one of them is")
        #expect(both.kind == .milestone && both.eventAt == 104)
        #expect(Self.told(ride, after: 5)?.body == "b")
        #expect(Self.told(ride, after: 5)?.sound == false)
        #expect(Self.told(ride, after: 6) == nil)
        #expect(Self.told(ride, now: 131)?.body == "b", "the older one is no news")
    }

    @Test func whoWantsKeyAlertsOnlyHearsOfNoOther() {
        let ride = Self.ride([
            (5, Self.alert("wicket")), (6, Self.alert("fifty", .milestone, sound: false)),
            (7, Self.alert("innings break", .inningsBreak, sound: false)),
        ])
        let riders = ride.riders(after: nil, now: 110) { $0.alert.isWanted(at: .key) }
        #expect(ride.alert(of: riders)?.title == "innings break")
        #expect(ride.alert(of: riders)?.body == "b · wicket")
        let all = ride.riders(after: nil, now: 110) { $0.alert.isWanted(at: .all) }
        #expect(ride.alert(of: all)?.body == "b · fifty · wicket")
        #expect(riders != all && ride.newest(of: riders) == MatchVersion(7))
    }

    /// A phone has had all up to some alert, or none: what each of them is told are the sets that end with the newest.
    @Test func twoAlertsMakeFourPayloadsOfAVersionAtMost() {
        for (older, newer) in [(EventKind.wicket, EventKind.milestone), (.milestone, .wicket), (.wicket, .wicket)] {
            let ride = Self.ride([(5, Self.alert("a", older)), (6, Self.alert("b", newer))])
            var sets: Set<AlertRide.Riders> = []
            for level in AlertLevel.allCases {
                for after in [nil, 5, 6] {
                    sets.insert(
                        ride.riders(after: after.map { MatchVersion($0) }, now: 110) { $0.alert.isWanted(at: level) })
                }
            }
            #expect(sets.count <= 4 && sets.contains(AlertRide.Riders()))
        }
    }

    @Test func headlinesForWhichThereIsNoRoomAreCounted() throws {
        let long = String(repeating: "x", count: 60)
        let ride = Self.ride((1...6).map { ($0, Self.alert("\($0) \(long)")) })
        let body = try #require(Self.told(ride)?.body)
        #expect(body.count <= AlertRide.bodyMax)
        #expect(body == "b · 5 \(long) · 4 \(long) · and 3 more")
    }

    @Test func keepsEightAtMostAndForgetsWhatIsOld() {
        var ride = Self.ride([10, 4, 2, 3, 1, 4, 5, 6, 7, 8, 9].map { ($0, Self.alert(at: 100 + $0)) })
        #expect(ride.entries.map(\.version.rawValue) == [3, 4, 5, 6, 7, 8, 9, 10])
        let forgot = ride.expire(now: 138)
        #expect(forgot && ride.entries.map(\.version.rawValue) == [8, 9, 10])
        let forgotAgain = ride.expire(now: 138)
        #expect(!forgotAgain)
    }

    @Test(arguments: [true, false])
    func whatIsTakenBackIsNotToldAnyMore(correctionComesFirst: Bool) {
        var ride = AlertRide(freshness: 30)
        let steps: [(inout AlertRide) -> Void] = [
            { $0.published(MatchVersion(4), Self.alert("other", of: ["wicket:S1:p2"])) },
            { $0.published(MatchVersion(5), Self.alert(of: ["wicket:S1:p1"])) },
            {
                $0.published(
                    MatchVersion(6), Self.alert("Correction", .correction, sound: false), retracted: ["wicket:S1:p1"])
            },
        ]
        for step in correctionComesFirst ? steps.reversed() : steps { step(&ride) }
        let told = ride.riders(after: MatchVersion(4), now: 110) { _ in true }
        #expect(ride.newest(of: told) == MatchVersion(6))
        #expect(ride.alert(of: told)?.body == "b", "no word of it")
        #expect(ride.entries.map(\.isRetracted) == [false, true, false])
        #expect(ride.entries.map(\.corrects) == [nil, nil, MatchVersion(5)])
    }

    @Test(arguments: [("wicket:S1:p1", true), ("milestone:S1:p2", false)])
    func ofSeveralEventsTheOneOfTheTitleDecides(key: String, isRetracted: Bool) {
        var ride = AlertRide(freshness: 30)
        ride.published(MatchVersion(5), Self.alert(of: ["wicket:S1:p1", "milestone:S1:p2"]))
        ride.published(MatchVersion(6), nil, retracted: [key])
        #expect(ride.entries.map(\.isRetracted) == [isRetracted])
        #expect((Self.told(ride) == nil) == isRetracted)
    }

    @Test func aLaterBallThatUsesTheKeyAgainIsTold() {
        var ride = AlertRide(freshness: 30)
        ride.published(MatchVersion(5), nil, retracted: ["wicket:S1:p1"])
        ride.published(MatchVersion(6), Self.alert(of: ["wicket:S1:p1"]))
        #expect(Self.told(ride) != nil)
    }
}
