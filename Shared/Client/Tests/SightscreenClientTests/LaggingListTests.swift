import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The system's list of activities may lack one that is there. That is no dismissal.
@Suite struct LaggingListTests {
    private static let match = Sample.match()
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"

    /// Returns a phone that shows an activity of the match, with the app running.
    private func showing() async throws -> (Phone, ActivityID) {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        return (phone, try await phone.registeredActivity(Self.match.id))
    }

    /// Returns the activities of each report since the first ones.
    private func reports(_ phone: Phone, after count: Int) async -> [[String?]] {
        await phone.gateway.successes("POST /devices").dropFirst(count).map { call in
            (call.body?["activities"]?.elements ?? []).map { $0["activityId"]?.text }
        }
    }

    @Test func anUnfollowEndsACardThatTheListLacks() async throws {
        let (phone, id) = try await showing()
        await phone.kit.lagList(of: id, seconds: 60)
        await phone.app.unfollow(Self.match.id)
        #expect(await phone.shown().isEmpty)
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await phone.end()
    }

    @Test func aLaunchReportsACardThatTheListLacksForAMoment() async throws {
        let (phone, id) = try await showing()
        await phone.killApp()
        let before = await phone.gateway.successes("POST /devices").count
        await phone.kit.lagList(of: id, seconds: 2)
        await phone.app.start()
        try await phone.until("the phone is reported") { await !reports(phone, after: before).isEmpty }
        #expect(await reports(phone, after: before) == [[id.rawValue]])
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id])
        // It is observed as if the first look had found it.
        try await phone.until("its token is sent") {
            await phone.managers.tokens.lastSentToken(for: Self.match.id) != nil
        }
        await phone.kit.dismiss(id)
        try await phone.soon("the dismissal is reported") {
            await phone.gateway.successes(Self.dismissedPath).count == 1
        }
        await phone.end()
    }

    @Test func aPushThatWakesTheAppIsAnsweredWithWhatTheSecondLookFinds() async throws {
        let (phone, id) = try await showing()
        await phone.killApp()
        let before = await phone.gateway.successes("POST /devices").count
        await phone.kit.lagList(of: id, seconds: 2)
        let app = phone.app
        async let answered: Void = app.receive(AppPush(kind: .silent, purpose: .reconcile, matchID: Self.match.id))
        try await phone.until("the phone is reported") { await !reports(phone, after: before).isEmpty }
        await answered
        #expect(await reports(phone, after: before).allSatisfy { $0 == [id.rawValue] })
        await phone.end()
    }

    /// The backend then decides by its own knowledge and the phone's boot time.
    @Test func aCardThatTheListLacksTwiceIsAbsentAndNotDismissed() async throws {
        let (phone, id) = try await showing()
        let before = await phone.gateway.successes("POST /devices").count
        await phone.kit.lagList(of: id, seconds: 30)
        await phone.app.enterForeground()
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id], "the first look decides nothing")
        try await phone.until("its absence is reported") { await reports(phone, after: before).last == [] }
        #expect(await phone.gateway.devices[Sample.device]?.bootedAt == Sample.profile.bootedAt)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filledWithWarning, showsAgain: true))
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        #expect(await phone.gateway.calls("POST /matches/1304076/unfollow").isEmpty)
        // It was there all the time.
        phone.clock.advance(seconds: 30)
        await phone.app.enterForeground()
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id])
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
        #expect(phone.clock.sleeperCount == 0)
    }

    @Test func aCardThatIsBackAtTheSecondLookIsThere() async throws {
        let (phone, id) = try await showing()
        let before = await phone.gateway.successes("POST /devices").count
        await phone.kit.lagList(of: id, seconds: 2)
        await phone.app.enterForeground()
        phone.clock.advance(by: RealLiveActivityLifecycleManager.absenceLimit)
        try await phone.soon("the second look is over") { phone.clock.sleeperCount(within: .seconds(3)) == 0 }
        #expect(await phone.managers.lifecycle.activities().map(\.id) == [id])
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        #expect(await reports(phone, after: before).allSatisfy { $0 == [id.rawValue] })
        await phone.end()
    }

    @Test func theSystemsObjectsAreKept() {
        let known = KnownActivities<String>()
        let id = ActivityID("a")
        #expect(known.find(id) == nil)
        known.keep("older", as: id)
        known.keep("newer", as: id)
        #expect(known.find(id) == "newer")
        for number in 1..<KnownActivities<String>.countMax { known.keep("other", as: ActivityID("\(number)")) }
        #expect(known.find(id) == "newer")
        known.keep("one more", as: ActivityID("b"))
        #expect(known.find(id) == nil)
    }
}
