import Reactor
import APNsProtocol
import Activities
import Messages
import Postgres
import ServiceKit
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut
@testable import LACoordinator

/// Phones whose users have switched frequent updates off.
@Suite struct FewUpdatesTests {
    private static func phones(_ names: [String], match: MatchID = Harness.match, areFew: Bool) -> [RosterEntry] {
        names.map { name in
            let (user, device) = (UserID(name), DeviceID("phone"))
            return RosterEntry(
                key: RosterKey(user: user, device: device, generation: Int(match.rawValue)), match: match,
                shard: DeviceRoute(user: user, device: device).shard, environment: .production,
                token: UpdateToken(Harness.updateToken("\(name)\(match)")), tokenAt: FanOutTests.now - 3_600,
                delivered: Stamp(1), isNew: false, level: .all,
                infrequent: areFew ? RosterKey(user: user, device: device, generation: 0) : nil)
        }
    }

    private static func few(_ count: Int) -> [String] { (0..<count).map { "few\($0)" } }
    private static func many(_ count: Int) -> [String] { (0..<count).map { "many\($0)" } }

    private static func update(_ version: Int, overs: String) -> MatchUpdate {
        var update = FanOutTests.update(version)
        update.contentState.compactTrailing.overs = overs
        return update
    }

    @Test func theyGetEachOverAndBreakAndOtherwiseTheNewestOfEachMinute() async throws {
        let bench = try await FanOutTests.Bench()
        let tokens = Set(Self.phones(Self.few(30), areFew: true).map(\.token.rawValue))
        await bench.fanOut.add(Self.phones(Self.few(30), areFew: true) + Self.phones(Self.many(30), areFew: false))
        func counts(_ version: Int) async -> [Int] {
            let tokensOf = Set(await bench.apns.pushes.filter { $0.version == version }.map(\.token))
            return [tokensOf.intersection(tokens).count, tokensOf.subtracting(tokens).count]
        }
        for version in 2...6 {
            await bench.fanOut.publish([Self.update(version, overs: "7.\(version - 1)")])
            try await eventually("the others have version \(version)") { await counts(version)[1] == 30 }
            try await eventually("all is known") { await bench.fanOut.progress([Harness.match])[0].isComplete }
            #expect(await counts(version)[0] == (version == 2 ? 30 : 0))
            let progress = await bench.fanOut.progress([Harness.match])[0]
            #expect(progress.targeted == (version == 2 ? 60 : 30) && progress.accepted == progress.targeted)
        }
        await bench.fanOut.onEach { $0.clock = DatabaseClock(seconds: FanOutTests.now + 63) }
        try await eventually("a minute is over") { await counts(6) == [30, 30] }
        try await eventually("all is known") { await bench.fanOut.progress([Harness.match])[0].accepted == 60 }
        #expect(await bench.fanOut.progress([Harness.match])[0].targeted == 60)

        await bench.fanOut.publish([Self.update(70, overs: "8.0")])
        try await eventually("the over has ended") { await counts(70) == [30, 30] }
        var rain = Self.update(71, overs: "8.0")
        rain.contentState.matchDisplayState = .suspended
        await bench.fanOut.publish([rain])
        try await eventually("it rains") { await counts(71) == [30, 30] }
        #expect(await bench.apns.pushes.allSatisfy { $0.priority == 5 })
        await bench.end()
    }

    @Test func fifteenAlertsInAnHourComeAtOnceOverAllMatches() async throws {
        let bench = try await FanOutTests.Bench()
        let other = MatchID(7)
        let entries = [Harness.match, other].map { Self.phones(Self.few(3) + ["more"], match: $0, areFew: true) }
        await bench.fanOut.add(entries.flatMap { $0.dropLast() })
        await bench.fanOut.add(entries.flatMap { Self.phones(["more"], match: $0[0].match, areFew: false) })
        func wicket(_ version: Int, in match: MatchID, at seconds: Int = 0) async throws -> [Int] {
            var update = FanOutTests.update(version, alert: .wicket, after: -seconds)
            update.matchID = match
            await bench.fanOut.publish([update])
            try await eventually("all are told of \(version)") {
                await bench.apns.pushes.count { $0.alert == "wicket \(version)" } == 4
            }
            return await bench.apns.pushes.filter { $0.alert == "wicket \(version)" }.map(\.priority).sorted()
        }
        for version in 2..<17 {
            #expect(try await wicket(version, in: version % 2 == 0 ? Harness.match : other) == [10, 10, 10, 10])
        }
        #expect(try await wicket(17, in: other) == [5, 5, 5, 10])
        #expect(try await wicket(18, in: Harness.match) == [5, 5, 5, 10])
        await bench.fanOut.onEach { $0.clock = DatabaseClock(seconds: FanOutTests.now + 300) }
        #expect(try await wicket(318, in: other, at: 300) == [10, 10, 10, 10], "one has come back")
        #expect(try await wicket(319, in: Harness.match, at: 300) == [5, 5, 5, 10])
        await bench.end()
    }

    @Test func aSilentUpdateOfPriorityTenIsRoutineForThem() async throws {
        let bench = try await FanOutTests.Bench()
        await bench.fanOut.add(Self.phones(Self.few(5), areFew: true) + Self.phones(Self.many(5), areFew: false))
        var update = FanOutTests.update(2)
        update.priority = 10
        await bench.fanOut.publish([update])
        try await eventually("all have it") { await bench.apns.pushes.count == 10 }
        #expect(await bench.apns.pushes.map(\.priority).sorted() == [5, 5, 5, 5, 5, 10, 10, 10, 10, 10])
        await bench.end()
    }

    /// Phones that take frequent updates: one budget for all of a match, beside which its alerts have room.
    @Test func silentUpdatesOfPriorityTenAreLimitedForTheOthersToo() throws {
        let match = LoopMatch(
            id: Harness.match, hold: MatchHold(.none), rules: .init(bundleID: "app", freshness: 30, keepAlive: 1_200))
        let cohort = TokenCohort(
            number: 0, match: match, environment: .production, shard: 0, trust: ShardTrust(StallDetector(), epoch: 1))
        var phone = Self.phones(["asha"], areFew: false)[0]
        phone.level = AlertLevel.none
        let slot = try #require(cohort.add(phone))
        func priority(_ version: Int, at seconds: Int, alert: EventKind? = nil) -> APNsPriority? {
            var update = FanOutTests.update(version, alert: alert)
            update.stamp = Stamp(Int(FanOutTests.now) + seconds)
            update.priority = 10
            _ = match.publish(update, repeatsQuietly: false)
            guard
                case .push(let variant) = match.need(cohort.row(slot), .init(), of: cohort, now: update.stamp.rawValue)
            else {
                return nil
            }
            return variant.priority
        }
        // A ball every 40 s, each of three versions, for an hour and more.
        let priorities = (0..<300).map { priority($0 + 2, at: $0 / 3 * 40 + $0 % 3) }
        let first = priorities[..<270]
        #expect(first.count { $0 == .immediate } == LoopMatch.silentVersionsPerHour, "in an hour")
        #expect(first.last == .routine)
        #expect(priorities[270...].contains(.immediate), "an hour later a few have come back")
        #expect(priority(400, at: 9_000) == .immediate)
        #expect(priority(401, at: 9_010, alert: .wicket) == .immediate, "whose follow wants no alert")
    }

    @Test func aFirstStateLeavesThemRoomForAlerts() {
        let phone = RosterKey(user: UserID("asha"), device: DeviceID("phone"), generation: 0)
        var budget = ImmediateBudget()
        for number in 0..<ImmediateBudget.perHour {
            let hasRoomForStates = number < ImmediateBudget.perHour - ImmediateBudget.forAlerts
            #expect(
                budget.hasRoom(phone, leaving: ImmediateBudget.forAlerts, now: 1_000_000) == hasRoomForStates)
            #expect(budget.hasRoom(phone, now: 1_000_000))
            budget.spend(phone, now: 1_000_000)
        }
    }

    @Test func theBudgetComesBackInAnHour() {
        let phone = RosterKey(user: UserID("asha"), device: DeviceID("phone"), generation: 0)
        var budget = ImmediateBudget()
        for _ in 0..<15 {
            #expect(budget.hasRoom(phone, now: 1_000_000))
            budget.spend(phone, now: 1_000_000)
        }
        #expect(!budget.hasRoom(phone, now: 1_000_000))
        #expect(!budget.hasRoom(phone, now: 1_000_239))
        #expect(budget.hasRoom(phone, now: 1_000_240))
        let another = RosterKey(user: UserID("ben"), device: DeviceID("phone"), generation: 0)
        #expect(budget.hasRoom(another, now: 1_000_000))
        #expect(budget.hasRoom(nil, now: 1_000_000))
        budget.forget(now: 1_003_599)
        #expect(!budget.hasRoom(phone, now: 1_000_000))
        budget.forget(now: 1_003_600)
        #expect(budget.hasRoom(phone, now: 1_000_000))
    }

    @Test func theSwitchIsObeyedWhileAMatchIsOn() async throws {
        try await Harness.with { harness in
            try await harness.coordinate { coordinator in
                for user in ["asha", "ben"] { try await harness.join(user) }
                try await harness.pool.execute(
                    "UPDATE devices SET frequent_pushes_enabled = false WHERE user_id = 'asha'")
                var newest = 0
                try await eventually("asha gets few") {
                    let update = try await harness.commit()
                    newest = update.version.rawValue
                    await coordinator.matchUpdated(MatchUpdated(update: update))
                    try await eventually("ben has the version") { await harness.updates("ben").last?.version == newest }
                    return await harness.updates("asha").last.map { $0.version < newest } ?? false
                }
                try await harness.pool.execute(
                    "UPDATE devices SET frequent_pushes_enabled = true WHERE user_id = 'asha'")
                try await eventually("asha gets all") { await harness.updates("asha").last?.version == newest }
            }
        }
    }
}
