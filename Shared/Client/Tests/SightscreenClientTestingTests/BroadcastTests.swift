import FoundationEssentials
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// Activities on broadcast channels, and scheduled activities.
@Suite struct BroadcastTests {
    private static let channel = ChannelID("dHN0LXNyY2gtY2hubA==")
    private static let other = ChannelID("YW5vdGhlci1jaGFubg==")
    private static let content = ShownContent(state: Sample.state())

    /// Starts an activity on the channel by push.
    private func started(_ bench: Bench, _ match: MatchID = Sample.match) async throws -> ActivityID {
        let outcome = try await bench.start(Sample.start(match, at: bench.clock.now, on: Self.channel))
        guard case .started(let id) = outcome else { throw StartNotTaken(outcome: outcome) }
        return id
    }

    private func request(
        _ bench: Bench, _ pushType: ActivityPushType, at start: Int? = nil
    ) async throws(ActivityRequestError) -> PhoneActivity {
        let alert = PushAlert(title: "MI v CSK starts soon", body: "IPL")
        return try await bench.kit.request(
            Sample.attributes(start: ""), Self.content, pushType: pushType,
            schedule: start.map { ActivitySchedule(start: $0, alert: alert) })
    }

    @Test func aCardOnAChannelHasNoTokenAndShowsWhatIsPublished() async throws {
        let bench = await Bench()
        let pushed = try await started(bench)
        let requested = try await request(bench, .channel(Self.channel)).id
        bench.clock.advance(seconds: 60)
        await bench.kit.rotateToken(of: pushed)
        #expect(await bench.kit.activities.map(\.token) == [nil, nil])
        #expect(await bench.kit.channels == [Self.channel])
        let update = Sample.update(2, at: bench.clock.now)
        #expect(
            try await bench.publish(update, on: Self.channel)
                == [.updated(pushed, alerted: false), .updated(requested, alerted: false)])
        #expect(await bench.kit.activities.map(\.content.state.version) == [2, 2])
        #expect(try await bench.publish(Sample.update(3, at: bench.clock.now + 1), on: Self.other).isEmpty)
    }

    @Test func whatIsNotLaterThanTheCardIsDropped() async throws {
        let bench = await Bench()
        let id = try await started(bench)
        let at = bench.clock.now
        #expect(try await bench.publish(Sample.update(2, at: at), on: Self.channel) == [.dropped(.oldTimestamp)])
        let alert = PushAlert(title: "WICKET!", body: "MI 88/7")
        #expect(
            try await bench.publish(Sample.update(2, at: at + 1, alert: alert), on: Self.channel, priority: 10)
                == [.updated(id, alerted: true)])
        #expect(try await bench.publish(Sample.update(3, at: at + 1), on: Self.channel) == [.dropped(.oldTimestamp)])
        #expect(
            try await bench.publish(Sample.start(at: at + 2), on: Self.channel) == [.dropped(.wrongEvent)],
            "a broadcast starts nothing")
        #expect(await bench[id]?.content.state.version == 2)
    }

    /// Nothing is kept for a phone that is offline, and delivery is best effort.
    @Test func aPublishCanBeMissed() async throws {
        let bench = await Bench()
        let id = try await started(bench)
        let at = bench.clock.now
        await bench.kit.missBroadcasts(1)
        #expect(try await bench.publish(Sample.update(2, at: at + 1), on: Self.channel) == [.dropped(.missed)])
        await bench.kit.setOnline(false)
        #expect(try await bench.publish(Sample.update(3, at: at + 2), on: Self.channel) == [.dropped(.offline)])
        #expect(await bench.kit.setOnline(true).isEmpty)
        #expect(await bench[id]?.content.state.version == 1)
        #expect(
            try await bench.publish(Sample.update(4, at: at + 3), on: Self.channel) == [.updated(id, alerted: false)])
    }

    @Test func anEndEndsEveryCardOnTheChannel() async throws {
        let bench = await Bench()
        let ids = [try await started(bench), try await started(bench)]
        let token = try await bench.running(Sample.start(MatchID(7), at: bench.clock.now))
        let end = Sample.end(at: bench.clock.now, dismissAt: bench.clock.now + 900)
        #expect(try await bench.publish(end, on: Self.channel) == ids.map { PushOutcome.ended($0) })
        #expect(await bench.kit.activities.map(\.state) == [.ended, .ended, .active])
        #expect(await bench.kit.channels.isEmpty)
        // The end is published again and again, for phones that missed it.
        #expect(
            try await bench.publish(end, on: Self.channel) == [.dropped(.alreadyEnded), .dropped(.alreadyEnded)])
        bench.clock.advance(seconds: 900)
        #expect(await bench.kit.activities().map(\.id) == [token])
    }

    @Test func aForceQuitAppsCardGoesOn() async throws {
        let bench = await Bench()
        let id = try await started(bench)
        await bench.kit.killApp(forceQuit: true)
        let update = Sample.update(2, at: bench.clock.now + 1)
        #expect(try await bench.publish(update, on: Self.channel) == [.updated(id, alerted: false)])
    }

    @Test func aPublishMayBeLargerThanAPushAndHasItsType() async throws {
        let bench = await Bench()
        let id = try await started(bench)
        let body = String(decoding: try Sample.update(2, at: bench.clock.now + 1).encoded(), as: UTF8.self)
        let publish = { (bytes: Int, type: String) in
            let padding = ",\"filler\":\"" + String(repeating: "x", count: bytes - body.utf8.count - 12) + "\"}"
            let padded = Array((body.dropLast() + padding).utf8)
            #expect(padded.count == bytes)
            return await bench.kit.receive(
                BroadcastPush(channel: Self.channel, headers: ["apns-push-type": type], body: padded))
        }
        #expect(await publish(5_121, "liveactivity") == [.dropped(.tooLarge)])
        #expect(await publish(5_120, "alert") == [.dropped(.wrongPushType)])
        #expect(await publish(5_120, "liveactivity") == [.updated(id, alerted: false)])
    }

    @Test func iOS17HasNoChannels() async throws {
        let bench = await Bench(iOSVersion: 17)
        let start = Sample.start(at: bench.clock.now, on: Self.channel)
        #expect(try await bench.start(start) == .dropped(.noChannels))
        await #expect(throws: ActivityRequestError.unsupported) { try await request(bench, .channel(Self.channel)) }
        #expect(await bench.kit.activities.isEmpty)
        _ = try await bench.running()
    }

    @Test func anIdThatIsNoChannelFailsTheRequest() async throws {
        let bench = await Bench()
        await #expect(throws: ActivityRequestError.self) { try await request(bench, .channel(ChannelID("no base64"))) }
        let id = try await started(bench)
        await bench.kit.deleteChannel(Self.channel)
        await #expect(throws: ActivityRequestError.self) { try await request(bench, .channel(Self.channel)) }
        // A card on it stays, and nothing says that it gets no more.
        #expect(await bench.kit.activities.map(\.id) == [id])
    }

    // MARK: - Scheduled activities

    @Test func aScheduledActivityAppearsByItselfAtItsTime() async throws {
        let bench = await Bench(iOSVersion: 26)
        let start = Sample.now + 3_600
        let activity = try await request(bench, .channel(Self.channel), at: start)
        #expect(activity.state == .pending && !activity.isRunning)
        #expect(await bench.kit.screen == PhoneScreen())
        #expect(await bench.kit.activities().map(\.state) == [.pending])
        #expect(await bench.kit.channels.isEmpty)
        // Nothing is shown before, and the app need not run.
        #expect(try await bench.publish(Sample.update(2, at: Sample.now + 60), on: Self.channel).isEmpty)
        await bench.kit.killApp(forceQuit: true)
        try await eventually("the phone waits for it") { bench.clock.untilNext == .seconds(3_600) }
        bench.clock.advance(seconds: 3_600)
        try await eventually("it is there") { await bench.kit.screen.lockScreen.map(\.id) == [activity.id] }
        #expect(await bench[activity.id]?.state == .active)
        #expect(await bench[activity.id]?.lastAlert?.title == "MI v CSK starts soon")
        #expect(await bench.kit.screen.island.expanded == activity.id)
        let update = Sample.update(2, at: bench.clock.now + 1)
        #expect(try await bench.publish(update, on: Self.channel) == [.updated(activity.id, alerted: false)])
        // Its 8 hours begin when it appears.
        bench.clock.advance(seconds: 8 * 3_600 - 1)
        #expect(await bench.kit.activities().map(\.isRunning) == [true])
        bench.clock.advance(seconds: 1)
        #expect(await bench.kit.activities().map(\.state) == [.ended])
    }

    @Test func aScheduledActivityWithATokenGetsItWhenItAppears() async throws {
        let bench = await Bench(iOSVersion: 26)
        let activity = try await request(bench, .token, at: Sample.now + 60)
        bench.clock.advance(seconds: 59)
        #expect(await bench[activity.id]?.token == nil)
        bench.clock.advance(seconds: 1)
        try await bench.token(of: activity.id)
    }

    @Test func aScheduledActivityIsCancelled() async throws {
        let bench = await Bench(iOSVersion: 26)
        let activity = try await request(bench, .channel(Self.channel), at: Sample.now + 60)
        async let states = bench.states(of: activity.id)
        try await eventually("somebody listens") { await bench.kit.listenerCount >= 1 }
        await bench.kit.end(activity.id, .immediate)
        #expect(await states == [.pending, .dismissed])
        bench.clock.advance(seconds: 60)
        #expect(await bench.kit.activities().isEmpty)
    }

    @Test func aScheduledActivityNeedsIOS26AFutureStartAndRoom() async throws {
        let old = await Bench()
        await #expect(throws: ActivityRequestError.unsupported) {
            try await request(old, .token, at: Sample.now + 60)
        }
        var limits = PhoneLimits()
        limits.activitiesMax = 1
        let bench = await Bench(limits, iOSVersion: 26)
        await #expect(throws: ActivityRequestError.self) { try await request(bench, .token, at: Sample.now) }
        let scheduled = try await request(bench, .token, at: Sample.now + 60)
        let running = try await bench.running(Sample.start(at: bench.clock.now))
        bench.clock.advance(seconds: 60)
        #expect(await bench.kit.activities().map(\.id) == [running])
        #expect(await bench[scheduled.id] == nil)
    }
}
