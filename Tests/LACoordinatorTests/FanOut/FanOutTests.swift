import Reactor
import APNsProtocol
import Activities
import HTTP2
import Messages
import NIOConcurrencyHelpers
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// The engine alone, with an APNs and without a database.
@Suite struct FanOutTests {
    struct Bench {
        let apns: StubAPNs
        let fanOut: FanOutLoops
        let stalls: StallDetector
        let heartbeat: Heartbeat
        let reports: NIOLockedValueBox<[FanOutReport]>
        let matchHolds = MatchHolds()
        let claiming: Task<Void, Never>

        /// - Parameters:
        ///   - isComplete: the phones of its shards are all there.
        ///   - newFor: seconds for which a phone is new.
        ///   - production: where that host is; nil: the stub.
        ///   - claims: what is gained of the shards of a claim, the first being number 1; nil: no answer.
        init(
            threads: Int = 2, connections: Int? = nil, streamsMax: Int = 1_000, isComplete: Bool = true,
            newFor: Int = 30, production: HTTP2Origin? = nil,
            claims: @escaping @Sendable (Int, [Int]) async -> Set<Int>? = { Set($1) }
        ) async throws {
            let credentials = try Credentials()
            apns = try await StubAPNs.start(credentials, streamsMax: streamsMax)
            let stalls = StallDetector()
            self.stalls = stalls
            heartbeat = Heartbeat(stalls) {
                for reading in StallDetector.Reading.allCases { stalls.noteRead(reading, since: stalls.mark()) }
            }
            await heartbeat.start()
            _ = matchHolds.apply(Holds())
            let stream = AsyncStream.makeStream(of: FanOutReport.self)
            let reports = NIOLockedValueBox<[FanOutReport]>([])
            self.reports = reports
            let fanOut = FanOutLoops(
                FanOutLoops.Settings(
                    origins: [.production: production ?? apns.origin, .sandbox: apns.origin],
                    tls: try TLSConfiguration.client(caFile: credentials.certificateFile).makeContext(),
                    bundleID: "dev.sightscreen.app", threads: threads, connections: connections,
                    newFor: newFor),
                matchHolds: matchHolds,
                report: { _, report in
                    reports.withLockedValue { $0.append(report) }
                    stream.continuation.yield(report)
                })
            self.fanOut = fanOut
            claiming = Task {
                var count = 0
                for await report in stream.stream {
                    guard case .claim(let match, let version, let shards) = report else { continue }
                    count += 1
                    guard let gained = await claims(count, shards.keys.map(\.shard)) else { continue }
                    let buckets = Set(gained.map { AlertBucket(shard: $0) })
                    await fanOut.onEach { $0.claimed(match, version, shards, gained: buckets) }
                }
            }
            await fanOut.open()
            await fanOut.onEach { $0.clock = DatabaseClock(seconds: FanOutTests.now) }
            await fanOut.onEach { $0.authorization = ProviderAuthorization(token: "token", serial: 1) }
            for shard in 0..<DeviceRoute.shardCount {
                let trust = ShardTrust(stalls, epoch: 1)
                trust.extend(to: .now + .seconds(600))
                await fanOut.on(shard) { $0.acquire(shard, trust, isComplete: isComplete) }
            }
        }

        func end() async {
            claiming.cancel()
            await fanOut.close()
            await heartbeat.stop()
            await apns.stop()
        }

        func crowd(
            _ count: Int, named name: String = "user", level: AlertLevel = .all,
            in environment: APNsEnvironment = .production
        ) async {
            await fanOut.add(
                (0..<count).map { Self.entry("\(name)\($0)", level: level, in: environment) })
        }

        static func entry(
            _ name: String, token: String? = nil, level: AlertLevel = .all,
            in environment: APNsEnvironment = .production
        ) -> RosterEntry {
            let (user, device) = (UserID(name), DeviceID("phone"))
            return RosterEntry(
                key: RosterKey(user: user, device: device, generation: 1), match: Harness.match,
                shard: DeviceRoute(user: user, device: device).shard, environment: environment,
                token: UpdateToken(token ?? Harness.updateToken(name)), tokenAt: FanOutTests.now - 3_600,
                delivered: Stamp(1), isNew: false, level: level)
        }

        /// The shards of the claims that were asked for.
        func claims() -> [[AlertBucket: Int64]] {
            reports.withLockedValue { reports in
                reports.compactMap { report in if case .claim(_, _, let shards) = report { shards } else { nil } }
            }
        }

        /// The versions whose alerts were asked for.
        func claimed() -> [StampedVersion] {
            reports.withLockedValue { reports in
                reports.compactMap { report in if case .claim(_, let version, _) = report { version } else { nil } }
            }
        }

        func lostAlerts() -> Int {
            reports.withLockedValue { reports in
                reports.reduce(0) { sum, report in if case .lostAlerts(let count) = report { sum + count } else { sum }
                }
            }
        }
    }

    static let now = 1_800_000_000.0

    static func update(
        _ version: Int, alert kind: EventKind? = nil, sound: Bool? = nil, after seconds: Int = 0
    ) -> MatchUpdate {
        MatchUpdate(
            matchID: Harness.match, version: MatchVersion(version), stamp: Stamp(Int(now) + version),
            contentState: Harness.state(version), priority: kind == nil ? 5 : 10,
            alert: kind.map {
                MatchAlert(
                    title: "\($0.rawValue) \(version)", body: "b", kind: $0, value: nil,
                    sound: sound ?? ($0 == .wicket), eventAt: Int(now) - seconds)
            }, relevance: 50)
    }

    @Test func everyPhoneGetsAnAlertOnceAndTheNewestState() async throws {
        let bench = try await Bench()
        await bench.crowd(2_000)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all are told") { await bench.apns.pushes.count >= 2_000 }
        await bench.fanOut.publish([Self.update(3)])
        try await eventually("all have the next ball") {
            await Set(bench.apns.pushes.filter { $0.version == 3 }.map(\.token)).count == 2_000
        }
        let pushes = await bench.apns.pushes
        let alerts = pushes.filter { $0.alert != nil }
        #expect(pushes.count == 4_000)
        #expect(alerts.count == 2_000 && Set(alerts.map(\.token)).count == 2_000)
        #expect(alerts.allSatisfy { $0.version == 2 && $0.priority == 10 })
        #expect(pushes.allSatisfy { $0.alert != nil || $0.priority == 5 })
        try await eventually("all is known") {
            let progress = await bench.fanOut.progress([Harness.match])[0]
            return progress.version == 3 && progress.targeted == 2_000 && progress.accepted == 2_000
        }
        await bench.end()
    }

    /// A renewal: the old activity was told the wicket before it was known that a new one has its place.
    @Test func theNextActivityOnAPhoneDoesNotTellWhatTheOneBeforeDid() async throws {
        let bench = try await Bench()
        await bench.crowd(200)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all are told") { await bench.apns.pushes.count >= 200 }
        var (places, entries): ([RosterPlace], [RosterEntry]) = ([], [])
        for number in 0..<200 {
            let (user, device) = (UserID("user\(number)"), DeviceID("phone"))
            let shard = DeviceRoute(user: user, device: device).shard
            let place = RosterPlace(
                ActivityKey(matchID: Harness.match, userID: user, deviceID: device, generation: 1), shard: shard)
            places.append(place)
            entries.append(
                RosterEntry(
                    key: RosterKey(user: user, device: device, generation: 2), phone: place.phone, match: Harness.match,
                    shard: shard, environment: .production, token: UpdateToken("0e\(number % 10)\(number / 10 + 10)"),
                    tokenAt: Self.now - 1, delivered: nil, isNew: true, level: .all))
        }
        _ = await bench.fanOut.remove(places)
        await bench.fanOut.add(entries)
        try await eventually("the new ones have the state") { await bench.apns.pushes.count >= 400 }
        #expect(await bench.apns.pushes.count { $0.alert != nil } == 200)
        await bench.fanOut.publish([Self.update(3, alert: .wicket)])
        try await eventually("the next wicket is told") {
            await bench.apns.pushes.count { $0.alert != nil } == 400
        }
        await bench.end()
    }

    @Test func aStateIsRepeatedToThoseWhoGotItWithAnAlert() async throws {
        let bench = try await Bench()
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all are told") { await bench.apns.pushes.count == 300 }
        await bench.crowd(100, named: "quiet", level: .none)
        try await eventually("the others have the state") { await bench.apns.pushes.count == 400 }
        var again = Self.update(2)
        again.stamp = Stamp(again.stamp.rawValue + 60)
        await bench.fanOut.publish([again], repeatsQuietly: true)
        try await eventually("it is repeated") { await bench.apns.pushes.count == 700 }
        #expect(await bench.apns.pushes.suffix(300).allSatisfy { $0.alert == nil && $0.priority == 5 })
        try await eventually("all show the later stamp") {
            let settled = await bench.fanOut.onEach { $0.settled() }.flatMap { $0 }
            return !settled.isEmpty && settled.allSatisfy { $0.progress.stamp == again.stamp }
        }
        // What came without an alert is good for longer.
        var ball = Self.update(3)
        ball.stamp = Stamp(again.stamp.rawValue + 5)
        await bench.fanOut.publish([ball])
        try await eventually("all have the next ball") { await bench.apns.pushes.count == 1_100 }
        ball.stamp = Stamp(ball.stamp.rawValue + 5)
        await bench.fanOut.publish([ball], repeatsQuietly: true)
        try await eventually("nothing is left to send") { await bench.fanOut.progress([Harness.match])[0].isComplete }
        #expect(await bench.apns.pushes.count == 1_100)
        await bench.end()
    }

    @Test func whatIsOvertakenIsSkippedAndItsAlertIsMerged() async throws {
        let bench = try await Bench(streamsMax: 10)
        let valve = Valve(40)
        await bench.apns.answer(through: valve)
        await bench.crowd(1_000)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("some are under way") { await bench.apns.pushes.count >= 40 }
        for version in 3...20 { await bench.fanOut.publish([Self.update(version)]) }
        await valve.open()
        try await eventually("all have the newest") {
            await Set(bench.apns.pushes.filter { $0.version == 20 }.map(\.token)).count == 1_000
        }
        let pushes = await bench.apns.pushes
        #expect(pushes.count < 1_200, "what was skipped never left")
        let told = Dictionary(grouping: pushes.filter { $0.alert != nil }, by: \.token)
        #expect(told.count == 1_000 && told.values.allSatisfy { $0.count == 1 })
        await bench.end()
    }

    /// A coordinator that stood still reads what was committed meanwhile all at once.
    @Test func ofTwoAlertsThatWaitNoneIsLost() async throws {
        let bench = try await Bench()
        for level in AlertLevel.allCases { await bench.crowd(100, named: level.rawValue, level: level) }
        await bench.fanOut.publish([
            Self.update(2, alert: .wicket, sound: true), Self.update(3), Self.update(4, alert: .maidenOver),
            Self.update(5),
        ])
        try await eventually("all have the newest") { await bench.apns.pushes.count { $0.version == 5 } == 300 }
        let told = Dictionary(grouping: await bench.apns.pushes) { "\($0.alert ?? "-"): \($0.alertBody ?? "-")" }
        #expect(
            told.mapValues(\.count) == ["maidenOver 4: b · wicket 2": 100, "wicket 2: b": 100, "-: -": 100])
        #expect(told["maidenOver 4: b · wicket 2"]?.allSatisfy { $0.sound == "default" && $0.priority == 10 } == true)
        #expect(Set(bench.claimed().map(\.number)) == [MatchVersion(2), MatchVersion(4)], "each is claimed")
        // Neither is told again.
        await bench.fanOut.publish([Self.update(6)])
        try await eventually("all have the next one") { await bench.apns.pushes.count { $0.version == 6 } == 300 }
        #expect(await bench.apns.pushes.count { $0.alert != nil } == 200)
        await bench.end()
    }

    @Test(arguments: [(EventKind.milestone, true), (.matchResult, true), (.wicket, false)])
    func theSoundIsWhatTheAlertSays(kind: EventKind, sound: Bool) async throws {
        let bench = try await Bench()
        await bench.crowd(1)
        await bench.fanOut.publish([Self.update(2, alert: kind, sound: sound)])
        try await eventually("it is told") { await bench.apns.pushes.count == 1 }
        #expect(await bench.apns.pushes.first?.sound == (sound ? "default" : nil))
        await bench.end()
    }

    @Test func ofTwoAlertsOnlyTheClaimedOneIsSent() async throws {
        // The first claim is of the newer one.
        let bench = try await Bench(threads: 1, claims: { number, shards in number == 1 ? [] : Set(shards) })
        await bench.crowd(100)
        await bench.fanOut.publish([Self.update(2, alert: .wicket), Self.update(3, alert: .milestone)])
        try await eventually("all have the newest") { await bench.apns.pushes.count { $0.version == 3 } == 100 }
        #expect(await bench.apns.pushes.allSatisfy { $0.alert == "wicket 2" && $0.alertBody == "b" })
        await bench.end()
    }

    @Test func aRetractedWicketIsNotSentLateNorIsItsCorrection() async throws {
        let bench = try await Bench(streamsMax: 10)
        let valve = Valve(40)
        await bench.apns.answer(through: valve)
        await bench.crowd(500)
        var wicket = Self.update(2, alert: .wicket)
        wicket.alert?.eventKeys = ["wicket:S1:p7"]
        await bench.fanOut.publish([wicket])
        try await eventually("some are told") { await bench.apns.pushes.count >= 40 }
        var correction = Self.update(3, alert: .correction)
        correction.retracted = ["wicket:S1:p7"]
        await bench.fanOut.publish([correction])
        await valve.open()
        try await eventually("all have the newest") {
            await Set(bench.apns.pushes.filter { $0.version == 3 }.map(\.token)).count == 500
        }
        let pushes = await bench.apns.pushes
        let told = Set(pushes.filter { $0.alert == "wicket 2" }.map(\.token))
        #expect(told.count < 500)
        #expect(Set(pushes.filter { $0.alert == "correction 3" }.map(\.token)) == told)
        await bench.end()
    }

    @Test func aBreakIsWhatItsVersionSaysAndNotTheWordsOnTheCard() async throws {
        let bench = try await Bench()
        await bench.crowd(1)
        for (version, state, status, isBreak, isKnown) in [
            (2, MatchDisplayState.live, "Super over", false as Bool?, false), (3, .live, "Lunch", true, true),
            (4, .live, "Lunch", nil, false), (5, .inningsBreak, "Innings break", nil, true),
        ] {
            var update = Self.update(version)
            update.contentState.matchDisplayState = state
            update.contentState.expanded.status = status
            update.isBreak = isBreak
            await bench.fanOut.publish([update])
            try await eventually("version \(version) is there") {
                await bench.apns.pushes.last?.version == version
            }
            let push = try #require(await bench.apns.pushes.last)
            #expect(push.staleAt == push.timestamp + (isKnown ? 1_800 : 600))
            #expect(push.expiration == push.timestamp + (isKnown ? 7_200 : 900))
        }
        await bench.end()
    }

    @Test func eachPushHasAnIDOfItsOwn() async throws {
        let bench = try await Bench()
        await bench.crowd(500)
        await bench.fanOut.publish([Self.update(2)])
        try await eventually("all have it") { await bench.apns.pushes.count == 500 }
        await bench.fanOut.publish([Self.update(3, alert: .wicket)])
        try await eventually("all are told") { await bench.apns.pushes.count == 1_000 }
        let pushes = await bench.apns.pushes
        #expect(Set(pushes.compactMap(\.id)).count == 1_000)
        #expect(pushes.allSatisfy { $0.verdict.status == 200 }, "APNs takes each of them")
        await bench.end()
    }

    /// Stamps run ahead of the clock when much happens: one that is later than the phone's own clock can be used at
    /// once.
    @Test(arguments: [false, true])
    func aFirstStateWaitsForNoStampWhenTheNewestIsLaterThanItsToken(isTaken: Bool) async throws {
        let bench = try await Bench()
        var update = Self.update(2)
        update.stamp = Stamp(Int(Self.now) + (isTaken ? -5 : 1))
        await bench.fanOut.publish([update])
        if isTaken {
            let fresh = FreshStamp(stamp: Stamp(Int(Self.now) + 1), version: MatchVersion(2), at: Self.now + 0.2)
            await bench.fanOut.onEach { $0.takeFresh(fresh, of: Harness.match) }
        }
        var entry = Bench.entry("asha")
        (entry.tokenAt, entry.delivered, entry.isNew) = (Self.now + 0.4, nil, true)
        await bench.fanOut.add([entry])
        try await eventually("the state is there") { await bench.apns.pushes.count == 1 }
        let push = try #require(await bench.apns.pushes.first)
        #expect(push.timestamp == Int(Self.now) + 1 && push.priority == 10)
        #expect(!bench.reports.withLockedValue { $0.contains { if case .stamp = $0 { true } else { false } } })
        await bench.end()
    }

    /// A lease that could not be renewed for a moment is lost and acquired again, with the same epoch.
    @Test func anAlertThatIsGainedWhileItsShardIsAcquiredAgainIsSent() async throws {
        let bench = try await Bench(claims: { _, _ in nil })
        let phone = Bench.entry("asha")
        await bench.fanOut.add([phone])
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("it is claimed") { bench.claims().count == 1 }
        let asked = bench.claims()[0]
        await bench.fanOut.on(phone.shard) { $0.lose(phone.shard) }
        await bench.fanOut.onEach { $0.claimed(phone.match, Self.update(2).committed, asked, gained: Set(asked.keys)) }
        let trust = ShardTrust(bench.stalls, epoch: 1)
        trust.extend(to: .now + .seconds(600))
        await bench.fanOut.on(phone.shard) { $0.acquire(phone.shard, trust, isComplete: false) }
        await bench.fanOut.add([phone])
        await bench.fanOut.onEach { $0.complete([phone.shard]) }
        try await eventually("the phone is told") { await bench.apns.pushes.map(\.alert) == ["wicket 2"] }
        await bench.end()
    }

    @Test func anAlertThatAnotherHasClaimedIsNotSentAndIsCounted() async throws {
        let bench = try await Bench(claims: { _, _ in [] })
        await bench.crowd(300)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all have the state") { await bench.apns.pushes.count == 300 }
        #expect(await bench.apns.pushes.allSatisfy { $0.alert == nil && $0.priority == 5 })
        try await eventually("they are counted") { bench.lostAlerts() == 300 }
        await bench.end()
    }

    @Test func aClaimWithoutAnAnswerCostsItsOwnPhonesTheAlertAndNobodyTheState() async throws {
        let bench = try await Bench(threads: 1, claims: { number, shards in number == 1 ? nil : Set(shards) })
        await bench.crowd(1_500)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all have the state") { await bench.apns.pushes.count == 1_500 }
        let claims = bench.claims()
        try #require(claims.count > 1)
        #expect(claims.count == 2, "what was left was claimed in one go")
        let late = Set(claims[0].keys)
        let untold = await bench.apns.pushes.filter { $0.alert == nil }
        #expect(!untold.isEmpty && untold.allSatisfy { $0.priority == 5 })
        try await eventually("they are counted") { bench.lostAlerts() == untold.count }
        // The answer, after all.
        await bench.fanOut.onEach { $0.claimed(Harness.match, Self.update(2).committed, claims[0], gained: late) }
        await bench.fanOut.publish([Self.update(3)])
        try await eventually("all have the next ball") { await bench.apns.pushes.count { $0.version == 3 } == 1_500 }
        #expect(await bench.apns.pushes.count { $0.alert != nil } == 1_500 - untold.count, "nobody is told late")
        await bench.end()
    }

    /// Two alerts are fresh, as when a shard has just been taken over, and the end comes when one of them is claimed:
    /// no other process can send that one.
    @Test(arguments: [true, false])
    func aClaimedAlertIsSentAtTheEndThoughAnotherIsNot(_ endsWhileAClaimIsUnderWay: Bool) async throws {
        let valve = Valve(endsWhileAClaimIsUnderWay ? 0 : 1)
        let bench = try await Bench(
            threads: 1,
            claims: { _, shards in
                await valve.pass()
                return Set(shards)
            })
        await bench.crowd(100)
        await bench.fanOut.publish([Self.update(2, alert: .milestone), Self.update(3, alert: .wicket)])
        try await eventually("alerts are claimed") { bench.claims().count == (endsWhileAClaimIsUnderWay ? 1 : 2) }
        await bench.fanOut.onEach { $0.finish(within: .seconds(5)) }
        await valve.open()
        try await eventually("all are told") { await bench.apns.pushes.count { $0.alert == "wicket 3" } == 100 }
        try await eventually("nothing is left to do") { await !bench.fanOut.onEach { $0.isBusy }.contains(true) }
        #expect(bench.claims().count == (endsWhileAClaimIsUnderWay ? 1 : 2), "nothing is claimed at the end")
        #expect(await bench.apns.pushes.allSatisfy { $0.alert != nil })
        await bench.end()
    }

    /// They are passed over when the others are alerted, and come with the states, of which none goes at the end.
    @Test func aPhoneWithAPushInFlightGetsTheAlertAtTheEndToo() async throws {
        let bench = try await Bench(threads: 1)
        let valve = Valve(0)
        await bench.apns.answer(through: valve)
        await bench.crowd(50)
        await bench.fanOut.publish([Self.update(2)])
        try await eventually("a state is under way to all") { await bench.apns.pushes.count == 50 }
        await bench.fanOut.publish([Self.update(3, alert: .wicket)])
        try await eventually("the alert is claimed") { bench.claims().count == 1 }
        await bench.fanOut.onEach { $0.finish(within: .seconds(5)) }
        await valve.open()
        try await eventually("all are told") { await bench.apns.pushes.count { $0.alert == "wicket 3" } == 50 }
        try await eventually("nothing is left to do") { await !bench.fanOut.onEach { $0.isBusy }.contains(true) }
        #expect(await bench.apns.pushes.count == 100)
        await bench.end()
    }

    @Test func afterASlowAnswerTheOthersDoNotWaitForOneEach() async throws {
        let bench = try await Bench(
            threads: 1,
            claims: { _, shards in
                try? await Task.sleep(for: .milliseconds(900))
                return Set(shards)
            })
        await bench.crowd(2_500)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("all are told") { await bench.apns.pushes.count { $0.alert != nil } == 2_500 }
        #expect(bench.claims().count == 2)
        await bench.end()
    }

    /// A standby knows the match and its alert; a claim for the first few phones of a shard would be one for all of
    /// them.
    @Test func nothingIsClaimedForAShardThatIsStillBeingRead() async throws {
        let bench = try await Bench(isComplete: false)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        await bench.crowd(100)
        await bench.crowd(2_400)
        await bench.fanOut.onEach { $0.complete(Array(0..<DeviceRoute.shardCount)) }
        try await eventually("all are told") { await bench.apns.pushes.count >= 2_400 }
        let pushes = await bench.apns.pushes
        #expect(pushes.count == 2_400 && pushes.allSatisfy { $0.alert != nil })
        var sizes: [Int: Int] = [:]
        for number in 0..<2_400 {
            sizes[DeviceRoute(user: UserID("user\(number)"), device: DeviceID("phone")).shard, default: 0] += 1
        }
        for report in bench.reports.withLockedValue({ $0 }) {
            guard case .claim(_, _, let shards) = report else { continue }
            #expect(shards.keys.reduce(0) { $0 + sizes[$1.shard, default: 0] } <= 1_000)
        }
        await bench.end()
    }

    @Test func noAlertIsLateOrAgainstTheFollowsLevel() async throws {
        let bench = try await Bench()
        await bench.crowd(100)
        await bench.fanOut.publish([Self.update(2, alert: .wicket, after: 31)])
        try await eventually("all have the state") { await bench.apns.pushes.count == 100 }
        await bench.crowd(100, level: .none)
        await bench.fanOut.publish([Self.update(3, alert: .wicket)])
        try await eventually("all have the next one") { await bench.apns.pushes.count == 200 }
        #expect(await bench.apns.pushes.allSatisfy { $0.alert == nil })
        await bench.end()
    }

    @Test func anAlertOvertakesOrdinaryBallsOfOtherMatches() async throws {
        let bench = try await Bench(threads: 1, streamsMax: 5)
        let valve = Valve(20)
        await bench.apns.answer(through: valve)
        await bench.crowd(500)
        var other = Self.update(2, alert: .wicket)
        other.matchID = MatchID(7)
        await bench.fanOut.add([Self.zoe(tokenAt: Self.now - 3_600, delivered: Stamp(1))])
        await bench.fanOut.publish([Self.update(2)])
        try await eventually("the ball is on its way") { await bench.apns.pushes.count >= 20 }
        await bench.fanOut.publish([other])
        try await Task.sleep(for: .milliseconds(200))
        await valve.open()
        try await eventually("all is there") { await bench.apns.pushes.count == 501 }
        let place = try #require(await bench.apns.pushes.firstIndex { $0.alert != nil })
        #expect(place < 100, "it waited behind \(place) others")
        await bench.end()
    }

    @Test func aFirstStateDoesNotWaitForAllAlertsOfABigMatch() async throws {
        let bench = try await Bench(threads: 1, streamsMax: 5)
        let valve = Valve(20)
        await bench.apns.answer(through: valve)
        await bench.crowd(1_500)
        await bench.fanOut.publish([Self.update(2, alert: .wicket)])
        try await eventually("the alert is on its way") { await bench.apns.pushes.count >= 20 }
        var other = Self.update(2)
        other.matchID = MatchID(7)
        await bench.fanOut.publish([other])
        await bench.fanOut.add([Self.zoe(tokenAt: Self.now - 5, delivered: nil)])
        await valve.open()
        try await eventually("all is there") { await bench.apns.pushes.count == 1_501 }
        let place = try #require(await bench.apns.pushes.firstIndex { $0.alert == nil })
        #expect(place < 700, "it waited behind \(place) others")
        await bench.end()
    }

    /// A phone of another match.
    private static func zoe(tokenAt: Double, delivered: Stamp?) -> RosterEntry {
        let (user, device) = (UserID("zoe"), DeviceID("phone"))
        return RosterEntry(
            key: RosterKey(user: user, device: device, generation: 1), match: MatchID(7),
            shard: DeviceRoute(user: user, device: device).shard, environment: .production,
            token: UpdateToken(Harness.updateToken("zoe")), tokenAt: tokenAt, delivered: delivered,
            isNew: delivered == nil, level: .all)
    }
}
