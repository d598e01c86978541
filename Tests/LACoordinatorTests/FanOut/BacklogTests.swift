import APNsProtocol
import Activities
import HTTP2
import Messages
import Reactor
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// What the loops say of phones and channels that are behind.
@Suite struct BacklogTests {
    typealias Bench = FanOutTests.Bench

    /// A version that was committed so many seconds ago.
    private static func update(_ version: Int, secondsAgo: Int) -> MatchUpdate {
        var update = FanOutTests.update(version)
        update.committedAtMs = Int64(FanOutTests.now - Double(secondsAgo)) * 1_000
        return update
    }

    private func backlog(_ bench: Bench) async -> MatchBacklog {
        await bench.fanOut.backlogs()[Harness.match] ?? MatchBacklog()
    }

    /// How long the match has been behind, in seconds; nil when it is not.
    private func lag(_ bench: Bench) async -> Double? {
        await backlog(bench).behindSince.map { Double(MonotonicTime.now - $0) / 1e9 }
    }

    private func isUpToDate(_ bench: Bench) async -> Bool { await lag(bench) == nil }

    @Test func withAnAPNsThatAnswersNothingTheLagGrowsAlthoughVersionsCome() async throws {
        let bench = try await Bench(newFor: 0)
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 200)])
        try await eventually("all have version 2") { await isUpToDate(bench) }
        let valve = Valve(0)
        await bench.apns.answer(through: valve)
        for (version, age) in [(3, 90), (4, 60), (5, 30), (6, 0)] {
            await bench.fanOut.publish([Self.update(version, secondsAgo: age)])
            #expect(await bench.fanOut.progress([Harness.match])[0].version == version)
            #expect(try #require(await lag(bench)) >= 90)
        }
        // APNs took version 2 a moment ago; half a minute later nothing was accepted for as long.
        let measure = await bench.fanOut.onEach { $0.measure() }.reduce(into: FanOutMeasure()) { $0.add($1) }
        let later = MonotonicTime.now + 30_000_000_000
        #expect(measure.lag(at: later) >= 120_000_000_000)
        #expect((30_000_000_000..<60_000_000_000).contains(measure.backlogs[Harness.match]?.stuck(at: later) ?? 0))
        await valve.open()
        try await eventually("all have the newest") { await isUpToDate(bench) }
        await bench.end()
    }

    /// A development build whose pushes are taken says nothing about the phones that get none.
    @Test func whatTheSandboxTakesIsNoComfort() async throws {
        let bench = try await Bench(threads: 1, newFor: 0)
        await bench.crowd(300)
        await bench.crowd(1, named: "dev", in: .sandbox)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 200)])
        try await eventually("all have version 2") { await bench.fanOut.progress([Harness.match])[0].accepted == 301 }
        let development = Harness.updateToken("dev0")
        await bench.apns.answer { push, _ in push.token == development ? StubAPNs.accepted : .silence }
        let begin = MonotonicTime.now
        await bench.fanOut.publish([Self.update(3, secondsAgo: 90)])
        try await eventually("one has version 3") { await bench.fanOut.progress([Harness.match])[0].accepted == 1 }
        #expect(await backlog(bench).stuck(at: begin + 30_000_000_000) >= 30_000_000_000)
        await bench.end()
    }

    @Test(arguments: [(3, false), (4, true)])
    func oneInAHundredMayLackAVersion(_ silent: Int, isBehind: Bool) async throws {
        let bench = try await Bench(newFor: 0)
        let tokens = Set((0..<silent).map { Harness.updateToken("user\($0)") })
        await bench.apns.answer { push, _ in tokens.contains(push.token) ? .silence : StubAPNs.accepted }
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 90)])
        try await eventually("the others have it") {
            await bench.fanOut.progress([Harness.match])[0].accepted == 300 - silent
        }
        #expect(await (lag(bench) ?? 0 >= 90) == isBehind)
        await bench.end()
    }

    /// The answer is about each phone alone, or about APNs.
    @Test(arguments: [
        (APNsReason.tooManyRequests, true), (.badDeviceToken, true), (.serviceUnavailable, false),
        (.payloadTooLarge, false),
    ])
    func phonesThatBackOffForTheirOwnAnswerAreLeftOut(_ reason: APNsReason, isLeftOut: Bool) async throws {
        let bench = try await Bench(threads: 1, newFor: 0)
        let tokens = Set((0..<10).map { Harness.updateToken("user\($0)") })
        await bench.apns.answer { push, _ in
            tokens.contains(push.token) ? StubAPNs.refusal(reason) : StubAPNs.accepted
        }
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 90)])
        try await eventually("all are answered") {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.accepted == 290 && progress.failed.values.reduce(0, +) == 10
        }
        let backlog = await backlog(bench)
        // A bad token may be retired by now.
        #expect(isLeftOut ? (8...10).contains(backlog.leftOut.backingOff) : backlog.leftOut.backingOff == 0)
        #expect((backlog.behindSince == nil) == isLeftOut)
        #expect(backlog.phones == (isLeftOut ? 290 : 300))
        #expect(!backlog.isRefused)
        await bench.end()
    }

    @Test func aHostThatWantsAllLeftAloneExcusesFew() async throws {
        let bench = try await Bench(threads: 1, newFor: 0)
        await bench.apns.answer { _, _ in StubAPNs.refusal(.tooManyRequests) }
        await bench.crowd(1_000)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 90)])
        try await eventually("the host is stopped") {
            await bench.fanOut.onEach { $0.takeCounts() }.contains { $0.stopped[.production] == 1 }
        }
        #expect(try #require(await lag(bench)) >= 90)
        await bench.end()
    }

    @Test func phonesUnderAHoldAreLeftOutAndAChannelIsNot() async throws {
        let bench = try await Bench(newFor: 0)
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 200)])
        try await eventually("all have version 2") { await isUpToDate(bench) }
        _ = bench.matchHolds.apply(Holds(matches: [Harness.match: .pushes]))
        await bench.fanOut.publish([Self.update(3, secondsAgo: 90)])
        var backlog = await backlog(bench)
        #expect(backlog.behindSince == nil && backlog.leftOut.held == 300)
        await open(bench, listeners: 300)
        await bench.fanOut.publish([Self.update(4, secondsAgo: 60)])
        backlog = await self.backlog(bench)
        #expect(backlog.behindSince != nil && backlog.stuck(at: MonotonicTime.now + 60_000_000_000) == 0)
        _ = bench.matchHolds.apply(Holds())
        try await eventually("it is lifted") { await isUpToDate(bench) }
        #expect(await self.backlog(bench).leftOut == MatchBacklog.LeftOut())
        await bench.end()
    }

    @Test func phonesWithFewUpdatesAreLeftOut() async throws {
        let bench = try await Bench(newFor: 0)
        var entries = (0..<40).map { Bench.entry("user\($0)") }
        for index in 0..<10 { entries[index].infrequent = entries[index].key }
        await bench.fanOut.add(entries)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 90)])
        try await eventually("all have version 2") { await bench.apns.pushes.count == 40 }
        await bench.fanOut.publish([Self.update(3, secondsAgo: 60)])
        try await eventually("30 have version 3") { await bench.fanOut.progress([Harness.match])[0].accepted == 30 }
        var backlog = await backlog(bench)
        #expect(backlog.behindSince == nil && backlog.phones == 30 && backlog.leftOut.infrequent == 10)
        // They switch it on again.
        await bench.apns.answer { _, _ in .silence }
        for index in 0..<10 { entries[index].infrequent = nil }
        await bench.fanOut.add(entries)
        backlog = await self.backlog(bench)
        #expect(backlog.phones == 40 && backlog.leftOut.infrequent == 0)
        #expect(try #require(await lag(bench)) >= 60)
        await bench.end()
    }

    @Test func newPhonesAreLeftOutForHalfAMinute() async throws {
        let bench = try await Bench(threads: 1)
        await bench.fanOut.publish([Self.update(2, secondsAgo: 3_000)])
        await bench.apns.answer { _, _ in .silence }
        await bench.fanOut.add(
            (0..<5).map { number in
                var entry = Bench.entry("user\(number)")
                (entry.tokenAt, entry.delivered, entry.isNew) = (FanOutTests.now - 2, nil, true)
                return entry
            })
        var backlog = await backlog(bench)
        #expect(backlog.behindSince == nil && backlog.leftOut.new == 5 && backlog.phones == 0)
        await bench.fanOut.onEach { $0.clock = DatabaseClock(seconds: FanOutTests.now + 300) }
        backlog = await self.backlog(bench)
        #expect(backlog.leftOut.new == 0 && backlog.phones == 5)
        // Not since the version, which is from before they were there.
        #expect((40..<400).contains(try #require(await lag(bench))))
        await bench.end()
    }

    /// A coordinator that takes phones over has half a minute to bring them up to date.
    @Test func phonesThatWereTakenOverAreNew() async throws {
        let bench = try await Bench()
        await bench.fanOut.publish([Self.update(2, secondsAgo: 3_000)])
        await bench.apns.answer { _, _ in .silence }
        await bench.crowd(300)
        let backlog = await backlog(bench)
        #expect(backlog.behindSince == nil && backlog.leftOut.new == 300)
        await bench.fanOut.onEach { $0.clock = DatabaseClock(seconds: FanOutTests.now + 300) }
        #expect(try #require(await lag(bench)) >= 3_000)
        await bench.end()
    }

    @Test func aChannelThatRestsIsBehindSinceTheFirstVersionItLacks() async throws {
        let bench = try await Bench()
        await bench.fanOut.publish([Self.update(2, secondsAgo: 200)])
        await open(bench, listeners: 300)
        try await eventually("version 2 is published") { await isUpToDate(bench) }
        await bench.apns.answer { _, _ in StubAPNs.refusal(.tooManyRequests, retryAfter: 1) }
        for (version, age) in [(3, 90), (4, 1)] {
            await bench.fanOut.publish([Self.update(version, secondsAgo: age)])
            #expect(try #require(await lag(bench)) >= 90)
        }
        try await eventually("it rests") { await backlog(bench).channels.first?.isThrottled == true }
        let resting = await backlog(bench)
        let end = try #require(resting.channels.first).restsUntil
        #expect(resting.stuck(at: end) == 0, "what rests is not stuck")
        #expect(resting.stuck(at: end + 30_000_000_000) == 30_000_000_000)
        let progress = await bench.fanOut.progress([Harness.match])[0]
        #expect(progress.version == 4 && progress.targeted == 300, "its listeners are meant")
        try await eventually("the rest is over") { MonotonicTime.now > end }
        let measure = await bench.fanOut.onEach { $0.measure() }.reduce(into: FanOutMeasure()) { $0.add($1) }
        #expect(measure.channels[AudienceClass(.all)]?.resting == 1, "APNs has taken nothing since")
        #expect(measure.phones == 300)
        #expect(measure.lag(of: AudienceClass(.all), at: MonotonicTime.now) >= 90_000_000_000)
        #expect(measure.lag(of: AudienceClass(.key), at: MonotonicTime.now) == 0)
        await bench.end()
    }

    private func open(_ bench: Bench, listeners: Int) async {
        let key = ChannelKey(
            match: Harness.match, environment: .production, audience: AudienceClass(.all), generation: 1)
        let entry = ChannelEntry(
            key: key, id: ChannelID("Y2hhbm5lbA=="), shard: 7, perMinute: 12, restsUntil: 0, listeners: listeners)
        await bench.fanOut.on(7) { $0.update([entry], of: [7]) }
    }
}
