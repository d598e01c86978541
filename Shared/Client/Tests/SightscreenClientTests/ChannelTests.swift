import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// Activities that listen to a broadcast channel.
@Suite struct ChannelTests {
    private static let match = Sample.match()
    private static let channel = ChannelID("dHN0LXNyY2gtY2hubA==")
    private static let other = ChannelID("YW5vdGhlci1jaGFubg==")
    private static let reportPath = "POST /matches/1304076/activity"
    private static let tokenPath = "POST /matches/1304076/activity-token"

    /// Returns a phone whose user follows the match, with the app running. The match has a channel.
    private func following(on channel: ChannelID? = channel, iOSVersion: Int = 18) async throws -> Phone {
        let phone = try await Phone(Self.match, iOSVersion: iOSVersion)
        await phone.gateway.setFollows([Self.match.id], of: Sample.user)
        await phone.gateway.setChannel(channel.map { BroadcastChannel(id: $0) }, of: Self.match.id)
        try await phone.launch()
        return phone
    }

    /// Returns the report of an activity, once the gateway has it.
    private func report(_ phone: Phone, of id: ActivityID) async throws -> ActivityReport {
        try await phone.until("it is reported") { await phone.gateway.reports.contains { $0.activityId == id } }
        return try #require(await phone.gateway.reports.last { $0.activityId == id })
    }

    @Test(arguments: [(17, false), (18, true), (26, true)])
    func aPhoneSaysWhetherItHasChannels(iOSVersion: Int, broadcast: Bool) async throws {
        let phone = try await Phone(Self.match, iOSVersion: iOSVersion)
        try await phone.launch()
        #expect(await phone.gateway.devices[Sample.device]?.broadcast == broadcast)
        await phone.end()
    }

    // MARK: - Starts

    @Test func aFollowRequestsAnActivityOnTheChannelAndReportsIt() async throws {
        let phone = try await following()
        try await phone.app.follow(Self.match)
        let shown = try #require(await phone.shown().first)
        #expect(shown.channel == Self.channel)
        #expect(shown.activity.channel == Self.channel)
        let report = try await report(phone, of: shown.id)
        #expect(
            report
                == ActivityReport(
                    activityId: shown.id, channelId: Self.channel, deviceId: Sample.device, startId: nil))
        // A publish of the same second is not later than the content of the request.
        phone.clock.advance(seconds: 1)
        #expect(
            try await phone.broadcast(Sample.state(version: 2, score: "91/6"), on: Self.channel)
                == [.updated(shown.id, alerted: false)])
        try await phone.soon("the score is there") {
            await phone.managers.lifecycle.activities().first?.content.state.version == 2
        }
        #expect(await phone.gateway.calls(Self.tokenPath).isEmpty)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func aChannelThatIsNoneGivesAToken() async throws {
        let phone = try await following()
        await phone.kit.deleteChannel(Self.channel)
        try await phone.app.follow(Self.match)
        let shown = try #require(await phone.shown().first)
        #expect(shown.channel == nil && shown.activity.channel == nil)
        #expect(try await phone.registeredActivity(Self.match.id) == shown.id)
        #expect(await phone.gateway.reports.isEmpty)
        await phone.end()
    }

    @Test func iOS17KnowsNoChannel() async throws {
        let phone = try await following(iOSVersion: 17)
        #expect(try await phone.app.follow(Self.match).channel == nil)
        #expect(try await phone.registeredActivity(Self.match.id) == (await phone.shown().first?.id))
        await phone.end()
    }

    @Test func aCardThatAPushStartedOnAChannelIsReportedWhenTheAppRuns() async throws {
        let phone = try await following()
        await phone.killApp()
        let id = try await phone.pushStart(Self.match.id, start: "s-7f3a", on: Self.channel)
        await phone.gateway.setOffline(true)
        await phone.app.start()
        try await phone.until("it was tried") { await !phone.gateway.calls("POST /devices").isEmpty }
        #expect(await phone.gateway.reports.isEmpty)
        // Nothing waits for the report.
        try await phone.broadcast(Sample.state(version: 2), on: Self.channel)
        #expect(await phone.shown().map(\.content.state.version) == [2])
        await phone.gateway.setOffline(false)
        let report = try await report(phone, of: id)
        #expect(report.startId == StartID("s-7f3a") && report.channelId == Self.channel)
        let listed = try #require(await phone.gateway.devices[Sample.device]?.activities)
        #expect(listed.map(\.channel) == [Self.channel])
        #expect(listed.map(\.pending) == [nil])
        #expect(await phone.gateway.calls(Self.tokenPath).isEmpty)
        await phone.end()
    }

    @Test func aRefusedReportChangesNothing() async throws {
        let phone = try await following()
        await phone.gateway.trouble("/activity", .refusal(400, "invalid-request"))
        let id = try await phone.pushStart(Self.match.id, on: Self.channel)
        try await phone.until("it was tried") { await phone.gateway.calls(Self.reportPath).count == 1 }
        #expect(await phone.shown().map(\.id) == [id])
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    // MARK: - Ends

    @Test func theAnswerToTheReportEndsTheCard() async throws {
        let phone = try await following()
        await phone.gateway.endReported(of: Self.match.id)
        let id = try await phone.pushStart(Self.match.id, on: Self.channel)
        _ = try await report(phone, of: id)
        try await phone.soon("it is ended") { await phone.shown().isEmpty }
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-dismissed").isEmpty)
        await phone.end()
    }

    /// On a channel no push can end the card of one phone.
    @Test func theAppEndsItsOwnCards() async throws {
        for way in ["unfollow", "elsewhere", "reconcile", "sign-out", "deletion"] {
            let phone = try await following()
            let id = try await phone.pushStart(Self.match.id, on: Self.channel)
            _ = try await report(phone, of: id)
            switch way {
            case "unfollow":
                await phone.gateway.setOffline(true)
                await phone.app.unfollow(Self.match.id)
            case "elsewhere":
                await phone.gateway.setFollows([], of: Sample.user)
                try await phone.app.syncFollows()
            case "reconcile":
                await phone.gateway.judgeCards(end: [id])
                phone.clock.advance(seconds: 60)
                await phone.app.enterForeground()
                try await phone.soon("it is ended") { await phone.shown().isEmpty }
            case "sign-out": await phone.app.signOut()
            default:
                await phone.gateway.trouble("/user", .held)
                let app = phone.app
                async let deletion: Void = app.deleteAccount()
                try await phone.soon("the call is under way") { await phone.gateway.heldCount == 1 }
                // The backend could not end it any more.
                #expect(await phone.shown().isEmpty)
                await phone.gateway.release()
                try await deletion
                #expect(await phone.gateway.successes("DELETE /user").count == 1)
                #expect(phone.store.strings(forKey: "followedMatchIds") == nil)
            }
            #expect(await phone.shown().isEmpty, "\(way)")
            await phone.end()
        }
    }

    @Test func anAccountThatIsNotDeletedStays() async throws {
        let phone = try await following()
        await phone.gateway.setOffline(true)
        await #expect(throws: APIError.transport(.offline)) { try await phone.app.deleteAccount() }
        #expect(await phone.managers.follows.followedMatchIds() == [Self.match.id])
        await phone.end()
    }

    @Test func aDismissalOfAReportedCardIsReported() async throws {
        let phone = try await following()
        try await phone.app.follow(Self.match)
        let id = try #require(await phone.shown().first?.id)
        _ = try await report(phone, of: id)
        try await phone.soon("the answer is there") { await phone.managers.tokens.isReported(id) }
        await phone.kit.dismiss(id)
        try await phone.soon("the gateway was told") {
            await phone.gateway.successes("POST /matches/1304076/activity-dismissed").count == 1
        }
        await phone.end()
    }

    @Test func anEndOnTheChannelIsNoDismissal() async throws {
        let phone = try await following()
        let id = try await phone.pushStart(Self.match.id, on: Self.channel)
        _ = try await report(phone, of: id)
        let body = """
            {"aps":{"timestamp":\(phone.clock.now),"event":"end","dismissal-date":\(phone.clock.now + 900)}}
            """
        let end = BroadcastPush(
            channel: Self.channel, headers: ["apns-push-type": "liveactivity"], body: Array(body.utf8))
        #expect(await phone.kit.receive(end) == [.ended(id)])
        phone.clock.advance(seconds: 900)
        try await phone.soon("it has left the screen") { await phone.managers.lifecycle.activities().isEmpty }
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-dismissed").isEmpty)
        await phone.end()
    }

    // MARK: - Two cards of one match

    @Test func theNewerCardEndsTheOlderOneOnAChannel() async throws {
        let phone = try await following()
        let old = try await phone.pushStart(Self.match.id, on: Self.channel)
        _ = try await report(phone, of: old)
        let new = try await phone.pushStart(Self.match.id, start: "s-2", on: Self.other)
        try await phone.soon("the older is ended") { await phone.shown().map(\.id) == [new] }
        #expect(try await report(phone, of: new).startId == StartID("s-2"))
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-dismissed").isEmpty)
        await phone.end()
    }

    /// The backend ends it by its token.
    @Test func anOlderCardWithATokenIsLeftToTheBackend() async throws {
        let phone = try await following()
        let old = try await phone.pushStart(Self.match.id)
        _ = try await phone.registeredActivity(Self.match.id)
        let new = try await phone.pushStart(Self.match.id, start: "s-2", on: Self.channel)
        _ = try await report(phone, of: new)
        #expect(await phone.shown().map(\.id) == [old, new])
        await phone.end()
    }

    /// ActivityKit does not say which is older; the backend does.
    @Test func twoCardsThatAreFoundAreLeftToTheBackend() async throws {
        let phone = try await following()
        await phone.killApp()
        let old = try await phone.pushStart(Self.match.id, on: Self.channel)
        let new = try await phone.pushStart(Self.match.id, start: "s-2", on: Self.channel)
        await phone.app.start()
        _ = try await report(phone, of: new)
        #expect(await phone.shown().map(\.id) == [old, new])
        await phone.gateway.judgeCards(end: [old])
        phone.clock.advance(seconds: 60)
        await phone.app.enterForeground()
        try await phone.soon("the older is ended") { await phone.shown().map(\.id) == [new] }
        await phone.end()
    }

    // MARK: - Another channel

    /// A change of the alert level names another channel, or none.
    @Test(arguments: [other, nil] as [ChannelID?])
    func aCardMovesInTheForeground(to channel: ChannelID?) async throws {
        let phone = try await following()
        try await phone.app.follow(Self.match, teamID: "6", alerts: nil)
        let old = try #require(await phone.shown().first?.id)
        _ = try await report(phone, of: old)
        await phone.gateway.setChannel(channel.map { BroadcastChannel(id: $0) }, of: Self.match.id)
        try await phone.app.follow(Self.match, teamID: nil, alerts: .key)
        try await phone.soon("one card is there") { await phone.shown().count == 1 }
        let new = try #require(await phone.shown().first)
        #expect(new.id != old && new.channel == channel)
        #expect(new.activity.attributes.followedTeamId == "6")
        if channel == nil {
            #expect(try await phone.registeredActivity(Self.match.id) == new.id)
        } else {
            _ = try await report(phone, of: new.id)
        }
        let follow = try #require(await phone.gateway.successes("POST /matches/1304076/follow").last?.body)
        #expect(follow["startsLocally"]?.flag == true && follow["alerts"]?.text == "key")
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func aCardThatCannotMoveStays() async throws {
        var limits = PhoneLimits()
        limits.activitiesMax = 1
        let phone = try await Phone(Self.match, limits: limits)
        await phone.gateway.setChannel(BroadcastChannel(id: Self.channel), of: Self.match.id)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        await phone.gateway.setChannel(BroadcastChannel(id: Self.other), of: Self.match.id)
        try await phone.app.follow(Self.match, teamID: nil, alerts: .key)
        #expect(await phone.shown().map(\.channel) == [Self.channel])
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func aCardWithATokenAndACardOnItsChannelStay() async throws {
        for channel in [nil, Self.channel] {
            let phone = try await following(on: channel)
            try await phone.app.follow(Self.match)
            let card = try #require(await phone.shown().first?.id)
            await phone.gateway.setChannel(BroadcastChannel(id: Self.channel), of: Self.match.id)
            try await phone.app.follow(Self.match, teamID: nil, alerts: .key)
            #expect(await phone.shown().map(\.id) == [card])
            await phone.end()
        }
    }
}
