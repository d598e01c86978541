import APNsProtocol
import Activities
import HTTP2
import NIOConcurrencyHelpers
import SightscreenModels
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// The engine and an APNs that is in trouble: little more than the first pushes leaves, and no phone is forgotten. One
/// after the other: each is as much as a slow machine can do.
@Suite(.serialized) struct FanOutTroubleTests {
    private typealias Bench = FanOutTests.Bench
    private let patience = Duration.seconds(60)

    /// A phone's first push of each version, and all others.
    private static func count(_ pushes: [StubAPNs.Push]) -> (firsts: Int, repetitions: Int) {
        let firsts = Set(pushes.map { "\($0.token) \($0.version)" }).count
        return (firsts, pushes.count - firsts)
    }

    @Test func aBrownOutCostsATenthMoreAtMost() async throws {
        let bench = try await Bench(threads: 1)
        let isTroubled = NIOLockedValueBox(true)
        await bench.apns.answer { push, count in
            // As good as any coin.
            let coin = DeviceRoute(user: UserID(push.token), device: DeviceID("\(count)")).hash % 2
            return isTroubled.withLockedValue { $0 } && coin == 0
                ? StubAPNs.refusal(.serviceUnavailable) : StubAPNs.accepted
        }
        await bench.crowd(1_000)
        let begun = ContinuousClock.now
        for version in 2...4 {
            await bench.fanOut.publish([FanOutTests.update(version)])
            try await eventually("most have been tried", within: patience) {
                await Set(bench.apns.pushes.filter { $0.version == version }.map(\.token)).count > 950
            }
            // That much trouble there is with each.
            try await Task.sleep(for: .seconds(2))
        }
        let (firsts, repetitions) = Self.count(await bench.apns.pushes)
        // A twelfth; two a second are for matches where little is sent; and a slow machine loses a connection now and
        // then, whose pushes go out again. Without a budget it is four fifths.
        let most = firsts * 15 / 100 + 2 * Int((ContinuousClock.now - begun) / .seconds(1)) + 20
        #expect(repetitions <= most, "of \(firsts)")
        #expect(repetitions > firsts / 50, "nobody waits for nothing")
        isTroubled.withLockedValue { $0 = false }
        try await eventually("all have the newest state", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.version == 4 && progress.accepted == 1_000 && progress.isComplete
        }
        await bench.end()
    }

    /// Its first 429 after errors of the host, which asked for shorter waits: it waits some seconds, as after any first
    /// one.
    @Test func aPhonesWaitIsTwiceTheLastOneAndNotLonger() async throws {
        let bench = try await Bench(threads: 1)
        let unlucky = Harness.updateToken("user0")
        await bench.apns.answer { push, count in
            guard push.token == unlucky else { return StubAPNs.accepted }
            return switch count {
            case 1...3: StubAPNs.refusal(.internalServerError)
            case 4: StubAPNs.refusal(.tooManyRequests)
            default: StubAPNs.accepted
            }
        }
        await bench.crowd(50)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("it was refused three times") {
            await bench.apns.pushes.count { $0.token == unlucky } == 3
        }
        await bench.fanOut.publish([FanOutTests.update(3)])
        try await eventually("all have the newest state", within: .seconds(15)) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 50
        }
        await bench.end()
    }

    @Test(arguments: [APNsReason.internalServerError, .tooManyRequests])
    func aHostThatTakesNothingIsAskedNowAndThenUntilItDoes(_ reason: APNsReason) async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { _, _ in StubAPNs.refusal(reason) }
        await bench.crowd(1_500)
        await bench.fanOut.publish([FanOutTests.update(2, alert: .wicket)])
        try await eventually("it is stopped", within: patience) {
            await bench.stopped() == 1
        }
        try await eventually("what was under way is answered", within: patience) {
            await bench.fanOut.onEach { $0.inFlight }.reduce(0, +) == 0
        }
        let before = await bench.apns.pushes.count
        #expect(before < 1_000, "all the others did not leave")
        // Half a second, then one, then two between those that ask.
        try await Task.sleep(for: .seconds(3))
        #expect(await bench.apns.pushes.count - before <= 4)
        #expect(await bench.apns.pushes.count > before)
        await bench.apns.answer(nil)
        try await eventually("all have been told", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 1_500
        }
        #expect(await bench.stopped() == 0)
        let told = Dictionary(grouping: await bench.apns.pushes.dropFirst(before), by: \.token)
        #expect(told.count == 1_500)
        await bench.end()
    }

    @Test func nothingLeavesWithATokenThatIsKnownToBeExpired() async throws {
        let bench = try await Bench()
        await bench.apns.answer { push, _ in
            push.authorization == "bearer token" ? StubAPNs.refusal(.expiredProviderToken) : StubAPNs.accepted
        }
        await bench.crowd(1_200)
        // News however slow the machine is.
        await bench.fanOut.publish([FanOutTests.update(2, alert: .wicket, after: -600)])
        try await eventually("another is asked for by both threads", within: patience) { bench.expired().count >= 2 }
        try await eventually("what was under way is answered", within: patience) {
            await bench.fanOut.onEach { $0.inFlight }.reduce(0, +) == 0
        }
        let before = await bench.apns.pushes.count
        #expect(before < 1_000)
        try await Task.sleep(for: .milliseconds(500))
        // On a slow machine each thread may have come to ask whether it is taken by now.
        #expect(await bench.apns.pushes.count <= before + 2)
        await bench.fanOut.onEach { $0.authorization = ProviderAuthorization(token: "other", serial: 2) }
        try await eventually("all have been told", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 1_200
        }
        let pushes = await bench.apns.pushes
        let refused = pushes.prefix { $0.authorization == "bearer token" }
        #expect(refused.count < 1_000)
        #expect(pushes.count == refused.count + 1_200, "those that were refused went out once more, the others once")
        #expect(pushes.allSatisfy { $0.alert == "wicket 2" }, "none of them had been processed")
        #expect(bench.expired().allSatisfy { $0 == 1 })
        let later = pushes.dropFirst(refused.count).map(\.connection)
        #expect(Set(refused.map(\.connection)).isDisjoint(with: later))
        await bench.end()
    }

    /// What was sent before another token was there is answered after it.
    @Test func aLateWordAboutTheTokenBeforeStopsNothing() async throws {
        let bench = try await Bench(threads: 1)
        let valve = Valve(0)
        await bench.apns.answer { push, _ in
            guard push.authorization == "bearer token" else { return StubAPNs.accepted }
            await valve.pass()
            return StubAPNs.refusal(.expiredProviderToken)
        }
        await bench.crowd(500)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("some are under way", within: patience) { await bench.apns.pushes.count > 10 }
        await bench.fanOut.onEach { $0.authorization = ProviderAuthorization(token: "other", serial: 2) }
        await valve.open()
        try await eventually("all have it", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 500
        }
        #expect(bench.expired() == [])
        await bench.end()
    }

    @Test func theOlderTokenIsShownWhereThereWereTooMany() async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { push, _ in
            push.authorization == "bearer newer" ? StubAPNs.refusal(.tooManyProviderTokenUpdates) : StubAPNs.accepted
        }
        await bench.crowd(1_000)
        await bench.fanOut.onEach { $0.authorization = ProviderAuthorization(token: "newer", serial: 2) }
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("the older one is asked for", within: patience) {
            bench.reported { if case .tooManyTokens(2) = $0 { true } else { false } } == 1
        }
        await bench.fanOut.onEach { $0.authorization = ProviderAuthorization(token: "older", serial: 3) }
        try await eventually("all have it", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 1_000
        }
        await bench.end()
    }

    @Test func aConnectionShowsOneTokenOnlyForTwentyMinutes() async throws {
        let bench = try await Bench()
        await bench.crowd(300)
        for (version, token) in [(2, "token"), (3, "second"), (4, "third")] {
            await bench.fanOut.onEach { $0.authorization = ProviderAuthorization(token: token, serial: version - 1) }
            await bench.fanOut.publish([FanOutTests.update(version)])
            try await eventually("all have version \(version)", within: patience) {
                let progress = await bench.fanOut.progress([Harness.match])[0]
                return progress.version == version && progress.accepted == 300
            }
        }
        let shown = Dictionary(grouping: await bench.apns.pushes, by: \.connection)
        #expect(shown.values.allSatisfy { Set($0.map(\.authorization)).count == 1 })
        await bench.end()
    }

    @Test func onePhoneWithTooManyRequestsWaitsAlone() async throws {
        let bench = try await Bench()
        let busy = Harness.updateToken("user7")
        await bench.apns.answer { push, count in
            push.token == busy && count == 1
                ? StubAPNs.refusal(.tooManyRequests, retryAfter: 3_600) : StubAPNs.accepted
        }
        await bench.crowd(500)
        for version in 2...4 {
            await bench.fanOut.publish([FanOutTests.update(version)])
            try await eventually("the others have version \(version)", within: patience) {
                await bench.apns.pushes.count { $0.version == version && $0.token != busy } == 499
            }
        }
        #expect(await bench.apns.pushes(to: busy).map(\.version) == [2])
        try await eventually("all is known", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 499
        }
        await bench.end()
    }

    @Test func aPhoneCountsOnceAndByWhatWasLastSaid() async throws {
        let bench = try await Bench(threads: 1)
        let names = Dictionary(uniqueKeysWithValues: (0..<100).map { (Harness.updateToken("user\($0)"), $0) })
        let works = NIOLockedValueBox(false)
        await bench.apns.answer { push, count in
            switch names[push.token] ?? 0 {
            case 0..<3: StubAPNs.refusal(.unregistered, timestampMs: Int64(FanOutTests.now) * 1_000)
            case 3..<5 where !works.withLockedValue { $0 }:
                StubAPNs.refusal(count == 1 ? .serviceUnavailable : .internalServerError)
            case 5: StubAPNs.refusal(.payloadTooLarge)
            default: StubAPNs.accepted
            }
        }
        await bench.crowd(100)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("two are refused again", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return Self.named(progress) == ["InternalServerError": 2, "PayloadTooLarge": 1, "Unregistered": 3]
                && progress.accepted == 94 && progress.targeted == 100
        }
        works.withLockedValue { $0 = true }
        try await eventually("they are taken after all", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return Self.named(progress) == ["PayloadTooLarge": 1, "Unregistered": 3] && progress.accepted == 96
        }
        await bench.end()
    }

    /// What production takes says nothing of the address of the sandbox.
    @Test func aHostThatCallsAllTokensBadIsNotBelievedThoughAnotherTakesItsOwn() async throws {
        let bench = try await Bench(threads: 1)
        let dead = Harness.updateToken("user7")
        let sandbox = Set((0..<30).map { Harness.updateToken("developer\($0)") })
        await bench.apns.answer { push, _ in
            push.token == dead || sandbox.contains(push.token) ? StubAPNs.refusal(.badDeviceToken) : StubAPNs.accepted
        }
        await bench.crowd(30, named: "developer", in: .sandbox)
        await bench.crowd(1_000)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all are answered", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.accepted == 999 && Self.named(progress) == ["BadDeviceToken": 31]
        }
        // Both hosts' answers are judged together.
        try await eventually("the dead one is retired", within: patience) { bench.dead().contains(dead) }
        #expect(bench.dead() == [dead])
        await bench.end()
    }

    /// A hundred accounts with thirty invented tokens each, beside two hundred phones of which one's token is dead: of
    /// the phones' own only that one is retired, and of the others a hundred at most.
    @Test func inventedTokensKeepNoDeadTokenAlive() async throws {
        let bench = try await Bench(threads: 1)
        let dead = Harness.updateToken("user7")
        await bench.apns.answer { push, _ in
            push.token == dead || !Self.isOfAPhone.contains(push.token)
                ? StubAPNs.refusal(.badDeviceToken) : StubAPNs.accepted
        }
        await bench.crowd(200)
        await bench.fanOut.add(
            (0..<3_000).map { number in
                var entry = FanOutTests.Bench.entry("inventor\(number)")
                entry.key = RosterKey(
                    user: UserID("inventor\(number % 100)"), device: DeviceID("\(number)"), generation: 1)
                entry.delivered = nil
                return entry
            })
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all are answered", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.accepted == 199 && Self.named(progress) == ["BadDeviceToken": 3_001]
        }
        try await eventually("the dead one is retired, and what was invented", within: patience) {
            let retired = bench.dead()
            return retired.contains(dead) && retired.count > 1
        }
        let retired = bench.dead()
        #expect(retired.filter(Self.isOfAPhone.contains) == [dead])
        #expect(retired.count <= 101)
        await bench.end()
    }

    /// Two accounts with thirty phones, whose tokens are another app's, are all that there is to send to for a while.
    @Test func tokensOfAnotherAppStopNoHost() async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { push, _ in
            Self.isOfAPhone.contains(push.token) ? StubAPNs.accepted : StubAPNs.refusal(.deviceTokenNotForTopic)
        }
        await bench.crowd(200)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all have it", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 200
        }
        await bench.fanOut.add(Self.strangers(30, accounts: 2))
        try await eventually("all of the others are refused", within: patience) {
            Self.named(await bench.fanOut.progress([Harness.match])[0]) == ["DeviceTokenNotForTopic": 30]
        }
        await bench.fanOut.publish([FanOutTests.update(3, alert: .wicket)])
        try await eventually("all have been told", within: patience) {
            await bench.apns.pushes.count { $0.alert == "wicket 3" } == 200
        }
        #expect(await bench.stopped() == 0)
        #expect(bench.dead() == [])
        #expect(await bench.apns.pushes.count { !Self.isOfAPhone.contains($0.token) } == 30, "each waits a minute")
        await bench.end()
    }

    /// The topic is wrong for a while, beside tokens of another app, of which there are more than a probe can try.
    @Test func aTopicThatIsWrongStopsTheHostUntilAProvenTokenIsAccepted() async throws {
        let bench = try await Bench(threads: 1)
        let isRight = NIOLockedValueBox(true)
        await bench.apns.answer { push, _ in
            Self.isOfAPhone.contains(push.token) && isRight.withLockedValue { $0 }
                ? StubAPNs.accepted : StubAPNs.refusal(.deviceTokenNotForTopic)
        }
        await bench.crowd(200)
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all have it", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 200
        }
        isRight.withLockedValue { $0 = false }
        await bench.fanOut.add(
            (0..<300).map { number in
                var entry = FanOutTests.Bench.entry("stranger\(number)")
                entry.delivered = nil
                return entry
            })
        await bench.fanOut.publish([FanOutTests.update(3)])
        try await eventually("it is stopped", within: .seconds(10)) {
            await bench.stopped() == 1
        }
        try await eventually("what was under way is answered", within: patience) {
            await bench.fanOut.onEach { $0.inFlight }.reduce(0, +) == 0
        }
        let before = await bench.apns.pushes.count
        isRight.withLockedValue { $0 = true }
        try await eventually("it is resumed", within: .seconds(10)) {
            await bench.stopped() == 0
        }
        let probes = await bench.apns.pushes[before...].prefix(1)
        #expect(probes.allSatisfy { Self.isOfAPhone.contains($0.token) }, "a proven one was asked for")
        await bench.fanOut.publish([FanOutTests.update(4)])
        try await eventually("most have the next state, the others after their wait", within: patience) {
            await bench.fanOut.progress([Harness.match])[0].accepted == 200
        }
        #expect(bench.dead() == [])
        await bench.end()
    }

    /// All that is sent for a while goes to the phones of one account, and APNs has trouble with each.
    @Test(arguments: [APNsReason.tooManyRequests, .internalServerError])
    func theErrorsOfOneAccountStopNoHost(_ reason: APNsReason) async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { push, _ in
            Self.isOfAPhone.contains(push.token) ? StubAPNs.accepted : StubAPNs.refusal(reason)
        }
        await bench.crowd(200)
        await bench.fanOut.add(
            (0..<300).map { number in
                var entry = FanOutTests.Bench.entry("stranger\(number)")
                entry.key = RosterKey(user: UserID("stranger"), device: DeviceID("\(number)"), generation: 1)
                return entry
            })
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all are answered", within: patience) {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.accepted == 200 && Self.named(progress) == [reason.rawValue: 300]
        }
        // Nothing else is sent now. A stop would last for three tenths of a second at least.
        for _ in 0..<20 {
            try await Task.sleep(for: .milliseconds(100))
            #expect(await bench.stopped() == 0)
        }
        await bench.end()
    }

    /// Phones of one account are on all loops, and nothing was ever accepted.
    @Test func anAccountOnSeveralLoopsIsOne() async throws {
        let bench = try await Bench(threads: 3)
        await bench.apns.answer { _, _ in StubAPNs.refusal(.deviceTokenNotForTopic) }
        await bench.fanOut.add(Self.strangers(30, accounts: 1))
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("all are refused", within: patience) {
            Self.named(await bench.fanOut.progress([Harness.match])[0]) == ["DeviceTokenNotForTopic": 30]
        }
        let parts = await bench.fanOut.onEach { $0.measure() }
        #expect(parts.allSatisfy { $0.pools[.production]?.accountsRefused == 1 })
        #expect(parts.reduce(into: FanOutMeasure()) { $0.add($1) }.pools[.production]?.accountsRefused == 1)
        // Phones with proven tokens: what those are answered says more.
        await bench.crowd(1)
        try await eventually("they are tested") {
            await bench.fanOut.onEach { $0.measure() }.reduce(into: FanOutMeasure()) { $0.add($1) }
                .pools[.production]?.accountsRefused == 0
        }
        await bench.end()
    }

    /// Whose app says that it is a development build brings about that the sandbox refuses our key; no alert is made of
    /// it.
    @Test func aKeyThatTheSandboxRefusesIsNoFailureOfPushes() async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { _, _ in StubAPNs.refusal(.badEnvironmentKeyIDInToken) }
        await bench.fanOut.add(Self.strangers(30, accounts: 1, in: .sandbox))
        await bench.fanOut.publish([FanOutTests.update(2)])
        try await eventually("it is refused", within: patience) { await !bench.apns.pushes.isEmpty }
        try await eventually("what was under way is answered", within: patience) {
            await bench.fanOut.onEach { $0.inFlight }.reduce(0, +) == 0
        }
        let outcomes = await bench.fanOut.onEach { $0.takeCounts().pushes.keys.map(\.outcome) }.joined()
        #expect(Set(outcomes) == [PushOutcome.unproven])
        await bench.end()
    }

    /// Alerts are claimed when the host stops, and then the shards are to be handed over: only this process can send
    /// them.
    @Test func claimedAlertsOfClosingShardsAreSentWhenTheHostRecovers() async throws {
        let bench = try await Bench(threads: 1)
        await bench.apns.answer { _, _ in StubAPNs.refusal(.serviceUnavailable) }
        await bench.crowd(200)
        await bench.fanOut.publish([FanOutTests.update(2, alert: .wicket)])
        try await eventually("it is stopped", within: patience) {
            await bench.stopped() == 1
        }
        for shard in 0..<DeviceRoute.shardCount { await bench.fanOut.on(shard) { $0.close(shard) } }
        try await eventually("what was under way is answered", within: patience) {
            await bench.fanOut.onEach { $0.inFlight }.reduce(0, +) == 0
        }
        let before = await bench.apns.pushes.count
        await bench.apns.answer(nil)
        try await eventually("all have been told", within: .seconds(20)) {
            await Set(bench.apns.pushes[before...].filter { $0.alert == "wicket 2" }.map(\.token)).count == 200
        }
        await bench.end()
    }

    private static func strangers(
        _ count: Int, accounts: Int, in environment: APNsEnvironment = .production
    ) -> [RosterEntry] {
        (0..<count).map { number in
            var entry = FanOutTests.Bench.entry("stranger\(number)", in: environment)
            entry.key = RosterKey(
                user: UserID("stranger\(number % accounts)"), device: DeviceID("\(number)"), generation: 1)
            entry.delivered = nil
            return entry
        }
    }

    private static let isOfAPhone = Set((0..<200).map { Harness.updateToken("user\($0)") })

    @Test func connectionsAreThereBeforeThereIsAnythingToSend() async throws {
        let bench = try await Bench(threads: 1)
        await bench.crowd(10)
        // As many as a loop makes when the first one has measured.
        try await eventually("they are open", within: patience) { await bench.apns.connections.count == 2 }
        let first = await bench.apns.connections
        await bench.apns.disconnectAll()
        try await eventually("others are open", within: patience) {
            let connections = await bench.apns.connections
            return connections.count == 2 && Set(connections).isDisjoint(with: first)
        }
        #expect(await bench.apns.pushes.isEmpty)
        await bench.end()
    }

    @Test func aHostToWhichNoConnectionCanBeMadeIsInTrouble() async throws {
        let bench = try await Bench(production: HTTP2Origin(host: "127.0.0.1", port: 1))
        func trouble() async -> HostTrouble? {
            await bench.fanOut.onEach { $0.measure() }.reduce(into: FanOutMeasure()) { $0.add($1) }
                .pools[.production]?.trouble
        }
        #expect(await trouble() == nil, "no phone is to be pushed to")
        await bench.crowd(10)
        try await eventually("two tries have failed", within: patience) { await trouble()?.kind == .unreachable }
        #expect(try #require(await trouble()).host.hasPrefix("127.0.0.1"))
        for shard in 0..<DeviceRoute.shardCount { await bench.fanOut.on(shard) { $0.lose(shard) } }
        try await eventually("no phone is left", within: patience) { await trouble() == nil }
        await bench.end()
    }

    @Test func aRefusalIsReportedOnceAMinuteForEachReason() async throws {
        let bench = try await Bench()
        await bench.apns.answer { push, _ in
            switch push.version {
            case 2: StubAPNs.refusal(.payloadTooLarge)
            case 3, 4: StubAPNs.refusal(.badExpirationDate)
            default: StubAPNs.refusal(.unregistered, timestampMs: Int64.max / 2_000)
            }
        }
        await bench.crowd(300)
        for (version, reason) in [
            (2, "PayloadTooLarge"), (3, "BadExpirationDate"), (4, "BadExpirationDate"), (5, "Unregistered"),
        ] {
            await bench.fanOut.publish([FanOutTests.update(version)])
            try await eventually("all have answered", within: patience) {
                Self.named(await bench.fanOut.progress([Harness.match])[0]) == [reason: 300]
            }
        }
        #expect(bench.refusals() == ["PayloadTooLarge us", "BadExpirationDate us", "Unregistered token"])
        let log = RareReports()
        #expect(log.isDue("a", .unanswered, now: 0) && log.isDue("b", .unanswered, now: 0))
        #expect(!log.isDue("a", .unanswered, now: 59_999_999_999) && log.isDue("a", .unanswered, now: 60_000_000_000))
        await bench.end()
    }

    private static func named(_ progress: VersionProgress) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: progress.failed.filter { $1 > 0 }.map { ($0.name, $1) })
    }
}

extension FanOutTests.Bench {
    fileprivate func reported(_ isMeant: (FanOutReport) -> Bool) -> Int {
        reports.withLockedValue { $0.count(where: isMeant) }
    }

    /// Loops that send the host nothing but a push now and then.
    fileprivate func stopped() async -> Int {
        await fanOut.onEach { $0.measure() }.count { $0.pools[.production]?.stopped != nil }
    }

    fileprivate func dead() -> [String] {
        reports.withLockedValue { reports in
            reports.flatMap { report in
                if case .dead(let tokens) = report { tokens.map(\.token.rawValue) } else { [String]() }
            }
        }
    }

    fileprivate func refusals() -> [String] {
        reports.withLockedValue { reports in
            reports.compactMap { if case .refused(let it) = $0 { "\(it.reason) \(it.subject)" } else { nil } }
        }
    }

    /// Serials of the provider tokens that another was asked for.
    fileprivate func expired() -> [Int] {
        reports.withLockedValue { $0.compactMap { if case .expiredToken(let serial) = $0 { serial } else { nil } } }
    }
}
