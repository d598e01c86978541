import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// Activities that the app schedules for the start of a match (iOS 26).
@Suite struct ScheduledCardTests {
    private static let match = Sample.match(42, .upcoming)
    private static let start = Sample.now + 7_200
    private static let channel = BroadcastChannel(id: ChannelID("dHN0LXNyY2gtY2hubA=="), startsAt: start)

    /// Returns a phone whose user has just followed the match.
    private func followed(iOSVersion: Int = 26) async throws -> Phone {
        let phone = try await Phone(Self.match, iOSVersion: iOSVersion)
        await phone.gateway.setChannel(Self.channel, of: Self.match.id)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        return phone
    }

    private func listed(_ phone: Phone) async -> [RunningActivity] {
        await phone.gateway.devices[Sample.device]?.activities ?? []
    }

    @Test func aFollowSchedulesTheCardWhichAppearsByItself() async throws {
        let phone = try await followed()
        let card = try #require(await phone.shown().first)
        #expect(card.state == .pending && card.startedAt == Self.start && card.channel == Self.channel.id)
        #expect(card.content.state.matchDisplayState == .scheduled)
        #expect(card.content.staleAt == Self.start + 1_800)
        #expect(card.content.state.expanded.title == "MI v CSK")
        // The backend starts none by push.
        try await phone.until("it is listed") { await listed(phone).map(\.pending) == [true] }
        #expect(await listed(phone).map(\.state) == [.pending])
        #expect(await listed(phone).map(\.channel) == [Self.channel.id])
        #expect(await phone.gateway.reports.isEmpty)
        phone.clock.advance(seconds: Self.start - phone.clock.now)
        try await phone.soon("it is there") { await phone.shown().first?.state == .active }
        try await phone.until("it is reported") { await phone.gateway.reports.map(\.activityId) == [card.id] }
        // The half hour without news begins when it appears.
        await phone.app.enterForeground()
        #expect(await phone.shown().map(\.isRunning) == [true])
        try await phone.broadcast(Sample.state(version: 2), on: Self.channel.id)
        #expect(await phone.shown().first?.content.state.version == 2)
        await phone.end()
    }

    @Test func aScheduledCardHasTheGatewaysRelevance() async throws {
        var match = Self.match
        match.displayState = Sample.state(.scheduled)
        match.relevance = 35
        let phone = try await Phone(match, iOSVersion: 26)
        await phone.gateway.setChannel(Self.channel, of: match.id)
        try await phone.launch()
        try await phone.app.follow(match)
        let first = try #require(await phone.shown().first)
        #expect(first.state == .pending && first.content.relevance == 35)
        // It is scheduled anew with what the gateway then says of the match.
        let changed = BroadcastChannel(id: Self.channel.id, startsAt: Self.start + 1_800)
        match.relevance = 40
        await phone.gateway.play(match)
        await phone.gateway.setChannel(changed, of: match.id)
        await phone.app.enterForeground()
        try await phone.soon("it is scheduled anew") { await phone.shown().map(\.content.relevance) == [40] }
        await phone.end()
    }

    /// The app does not run when the match begins.
    @Test func aCardThatHasAppearedIsFoundAtTheNextLaunch() async throws {
        let phone = try await followed()
        let id = try #require(await phone.shown().first?.id)
        await phone.killApp()
        try await phone.launch()
        #expect(await phone.managers.lifecycle.activities().map(\.state) == [.pending])
        #expect(await phone.gateway.reports.isEmpty)
        await phone.killApp()
        phone.clock.advance(seconds: Self.start + 60 - phone.clock.now)
        try await phone.launch()
        try await phone.until("it is reported") { await phone.gateway.reports.map(\.activityId) == [id] }
        await phone.end()
    }

    @Test(arguments: [18, 17])
    func anOlderIOSSchedulesNothing(iOSVersion: Int) async throws {
        let phone = try await followed(iOSVersion: iOSVersion)
        #expect(await phone.shown().isEmpty)
        await phone.end()
    }

    @Test func withoutAChannelOrAStartNothingIsScheduled() async throws {
        for channel in [nil, BroadcastChannel(id: Self.channel.id)] {
            let phone = try await Phone(Self.match, iOSVersion: 26)
            await phone.gateway.setChannel(channel, of: Self.match.id)
            try await phone.launch()
            try await phone.app.follow(Self.match)
            #expect(await phone.shown().isEmpty)
            await phone.end()
        }
    }

    @Test(arguments: [
        BroadcastChannel(id: channel.id, startsAt: start + 1_800),
        BroadcastChannel(id: ChannelID("YW5vdGhlci1jaGFubg=="), startsAt: start),
    ])
    func aChangeSchedulesItAnew(changed: BroadcastChannel) async throws {
        let phone = try await followed()
        let old = try #require(await phone.shown().first?.id)
        await phone.app.enterForeground()
        #expect(await phone.shown().map(\.id) == [old], "nothing has changed")
        await phone.gateway.setChannel(changed, of: Self.match.id)
        await phone.app.enterForeground()
        try await phone.soon("one is scheduled") { await phone.shown().count == 1 }
        let new = try #require(await phone.shown().first)
        #expect(new.id != old && new.state == .pending)
        #expect(new.startedAt == changed.startsAt && new.channel == changed.id)
        try await phone.until("it is listed alone") { await listed(phone).map(\.activityId) == [new.id] }
        #expect(await phone.gateway.calls("POST /matches/42/activity-dismissed").isEmpty)
        await phone.end()
    }

    @Test func aMatchThatLosesItsChannelIsStartedByPush() async throws {
        let phone = try await followed()
        await phone.gateway.setChannel(nil, of: Self.match.id)
        await phone.app.enterForeground()
        try await phone.soon("it is cancelled") { await phone.shown().isEmpty }
        try await phone.until("the gateway knows") {
            await phone.gateway.devices[Sample.device]?.activities == []
        }
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.end()
    }

    @Test func anUnfollowCancelsIt() async throws {
        let phone = try await followed()
        await phone.app.unfollow(Self.match.id)
        #expect(await phone.shown().isEmpty)
        try await phone.soon("nothing is left") { await phone.managers.lifecycle.activities().isEmpty }
        #expect(await phone.app.followButton(for: Self.match.id).state == .empty)
        await phone.end()
    }

    @Test func aMatchThatBeganEarlyIsShownAtOnce() async throws {
        let phone = try await followed()
        await phone.gateway.play(Sample.match(42, .live))
        await phone.app.enterForeground()
        try await phone.soon("it is there alone") { await phone.shown().map(\.state) == [.active] }
        #expect(await phone.shown().first?.channel == Self.channel.id)
        await phone.end()
    }

    @Test func aStartByPushCancelsIt() async throws {
        let phone = try await followed()
        let id = try await phone.pushStart(Self.match.id, on: Self.channel.id)
        try await phone.soon("it is there alone") { await phone.shown().map(\.id) == [id] }
        await phone.end()
    }
}
