import Activities
import Sightscreen
import Testing

@Suite struct ActivityConvergenceTests {
    @Test func skipsStampsThatAreNoLongerNewest() {
        var activity = ActivityConvergence()
        #expect(activity.published(Stamp(4)) == .send(Stamp(4)))
        #expect(activity.published(Stamp(5)) == .wait)
        #expect(activity.published(Stamp(6)) == .wait)
        #expect(activity.answered(Stamp(4), .accepted) == .send(Stamp(6)))
        #expect(activity.answered(Stamp(6), .accepted) == .wait)
        #expect(activity.isSettled)
    }

    @Test func repeatsTheNewestStateUntilItIsTaken() {
        var activity = ActivityConvergence()
        #expect(activity.published(Stamp(4)) == .send(Stamp(4)))
        #expect(activity.answered(Stamp(4), .notDelivered) == .send(Stamp(4)))
        #expect(activity.published(Stamp(7)) == .wait)
        #expect(activity.answered(Stamp(4), .notDelivered) == .send(Stamp(7)))
        #expect(!activity.isSettled)
    }

    @Test func sendsNothingToADeadToken() {
        var activity = ActivityConvergence()
        #expect(activity.published(Stamp(4)) == .send(Stamp(4)))
        #expect(activity.answered(Stamp(4), .tokenIsDead) == .retire)
        #expect(activity.published(Stamp(5)) == .retire)
    }

    @Test(arguments: [(3, false), (4, false), (5, true)])
    func sendsOnlyWhatIsLaterThanWhatIsShown(stamp: Int, sends: Bool) {
        var activity = ActivityConvergence(delivered: Stamp(4))
        #expect(activity.published(Stamp(stamp)) == (sends ? .send(Stamp(stamp)) : .wait))
    }

    @Test func ignoresAnOlderStampThanTheNewest() {
        var activity = ActivityConvergence(delivered: Stamp(4))
        #expect(activity.published(Stamp(9)) == .send(Stamp(9)))
        #expect(activity.published(Stamp(8)) == .wait)
        #expect(activity.answered(Stamp(9), .accepted) == .wait)
    }
}

@Suite struct AlertRideTests {
    static func alert(at eventAt: Int) -> MatchAlert {
        MatchAlert(title: "Wicket", body: "b", kind: .wicket, value: nil, sound: true, eventAt: eventAt)
    }

    @Test func carriesASkippedAlertWhileItIsFresh() {
        var ride = AlertRide(freshness: 30)
        ride.published(MatchVersion(5), Self.alert(at: 100))
        #expect(ride.ride(after: nil, now: 130) { _ in true }?.version == MatchVersion(5))
        #expect(ride.ride(after: nil, now: 131) { _ in true } == nil)
        #expect(ride.ride(after: MatchVersion(5), now: 110) { _ in true } == nil)
    }

    @Test func tellsTheNewestAndNoOlderOneAfterIt() {
        var ride = AlertRide(freshness: 30)
        ride.published(MatchVersion(5), Self.alert(at: 100))
        ride.published(MatchVersion(6), Self.alert(at: 101))
        #expect(ride.ride(after: nil, now: 110) { _ in true }?.version == MatchVersion(6))
        #expect(ride.ride(after: MatchVersion(6), now: 110) { _ in true } == nil)
        #expect(ride.ride(after: nil, now: 110) { $0.version == MatchVersion(5) }?.version == MatchVersion(5))
    }

    @Test func keepsThreeAtMostAndForgetsWhatIsOld() {
        var ride = AlertRide(freshness: 30)
        for version in [4, 2, 3, 1, 4] { ride.published(MatchVersion(version), Self.alert(at: 100 + version)) }
        #expect(ride.entries.map(\.version.rawValue) == [2, 3, 4])
        ride.expire(now: 133)
        #expect(ride.entries.map(\.version.rawValue) == [3, 4])
    }
}

@Suite struct StampRuleTests {
    @Test(arguments: [
        (100, nil as Int?, 110, true), (100, nil, 111, false), (100, 97, 105, true), (100, 98, 105, false),
        (112, nil, 110, true),
    ])
    func asksForAFreshStamp(stamp: Int, tokenAt: Int?, now: Int, isUsable: Bool) {
        #expect(StampRule.isUsable(Stamp(stamp), tokenAt: tokenAt, now: now) == isUsable)
    }
}
