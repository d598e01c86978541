import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// Starts by push and by the app.
@Suite struct StartTests {
    @Test func aStartMakesAnActivityAndTheTokenFiresTwice() async throws {
        let bench = await Bench()
        let token = await bench.kit.startToken
        var tokens = await bench.kit.pushToStartTokenUpdates().makeAsyncIterator()
        var updates = await bench.kit.activityUpdates().makeAsyncIterator()
        #expect(await tokens.next() == token)
        guard case .started(let id) = try await bench.start() else {
            Issue.record("the start was not taken")
            return
        }
        #expect(await tokens.next() == token)
        #expect(await updates.next()?.id == id)
        let activity = try #require(await bench[id])
        #expect(activity.activity.attributes == Sample.attributes())
        #expect(activity.timestamp == Sample.now)
        #expect(activity.lastAlert?.title == "MI v CSK")
    }

    @Test func aPhoneTakesTenStartsInAShortTime() async throws {
        var limits = PhoneLimits()
        limits.activitiesMax = 100
        let bench = await Bench(limits)
        for _ in 1...10 {
            guard case .started = try await bench.start() else {
                Issue.record("a start was not taken")
                return
            }
        }
        #expect(try await bench.start() == .dropped(.startBudgetExceeded))
        // One comes back in 144 minutes; the one that was dropped is paid for first.
        bench.clock.advance(seconds: 144 * 60 + 1)
        #expect(try await bench.start() == .dropped(.startBudgetExceeded))
        bench.clock.advance(seconds: 2 * 144 * 60 + 1)
        guard case .started = try await bench.start() else {
            Issue.record("the budget does not come back")
            return
        }
        #expect(try await bench.start() == .dropped(.startBudgetExceeded))
    }

    @Test(arguments: [
        ("\"alert\":{", "\"alarm\":{", PushDrop.missingAlert),
        ("\"attributes-type\":\"LiveActivityAttributes\"", "\"attributes-type\":\"Other\"", .wrongAttributesType),
        ("\"attributes\":{", "\"attribute\":{", .notDecodable),
        ("\"startsAt\":1799996400", "\"startsAt\":\"soon\"", .notDecodable),
        ("\"matchId\":\"1304076\"", "\"matchId\":1304076", .notDecodable),
        ("\"content-state\"", "\"contentState\"", .notDecodable), ("\"timestamp\"", "\"time\"", .notDecodable),
        ("\"event\":\"start\"", "\"event\":\"begin\"", .notDecodable),
        ("\"event\":\"start\"", "\"event\":\"update\"", .wrongEvent),
        ("\"version\":1", "\"version\":\"1\"", .notDecodable),
    ])
    func aBrokenStartIsDroppedInSilence(found: String, written: String, reason: PushDrop) async throws {
        let bench = await Bench()
        var push = try Bench.push(Sample.start(), to: await bench.kit.startToken.rawValue)
        let good = String(decoding: push.body, as: UTF8.self)
        let broken = good.replacing(found, with: written)
        #expect(broken != good)
        push.body = Array(broken.utf8)
        #expect(await bench.kit.receive(push) == .dropped(reason))
        #expect(await bench.kit.activities.isEmpty)
    }

    /// An unknown key or value does no harm.
    @Test func aStartFromANewerBackendIsShown() async throws {
        let bench = await Bench()
        var push = try Bench.push(Sample.start(), to: await bench.kit.startToken.rawValue)
        let newer = String(decoding: push.body, as: UTF8.self)
            .replacing("\"matchDisplayState\":\"live\"", with: "\"matchDisplayState\":\"superSub\",\"new\":[1]")
        push.body = Array(newer.utf8)
        guard case .started(let id) = await bench.kit.receive(push) else {
            Issue.record("the start was not taken")
            return
        }
        #expect(await bench[id]?.content.state.matchDisplayState == .other)
    }

    @Test func aTokenComesLateAndIsKnownToAppleFirst() async throws {
        let bench = await Bench()
        guard case .started(let id) = try await bench.start() else { return }
        #expect(await bench[id]?.token == nil)
        try await eventually("the system is at it") { bench.clock.sleeperCount > 0 }
        bench.clock.advance(by: .milliseconds(299))
        #expect(await bench[id]?.token == nil)
        let token = try await bench.token(of: id)
        #expect(await bench.ledger.living[token] == .update)
        #expect(await bench.ledger.shown[token] == Stamp(Sample.now))
        var tokens = await bench.kit.pushTokenUpdates(of: id).makeAsyncIterator()
        #expect(await tokens.next() == UpdateToken(token))
        await bench.kit.rotateToken(of: id)
        let rotated = try #require(await tokens.next())
        #expect(rotated.rawValue != token)
        #expect(await bench.ledger.dead.contains(token))
        let old = try Bench.push(Sample.update(2, at: Sample.now + 60), to: token)
        #expect(await bench.kit.receive(old) == .dropped(.unknownToken))
    }

    @Test func theAppStartsOneOnlyInFrontAndAllowed() async throws {
        let bench = await Bench()
        let content = ShownContent(state: Sample.state())
        let activity = try await bench.kit.request(Sample.attributes(start: ""), content)
        #expect(activity.startID == nil)
        #expect(await bench[activity.id]?.timestamp == Sample.now)
        await bench.kit.setForeground(false)
        await #expect(throws: ActivityRequestError.notInForeground) {
            try await bench.kit.request(Sample.attributes(start: ""), content)
        }
        await bench.kit.setForeground(true)
        let long = Sample.attributes(start: String(repeating: "x", count: 4_096))
        await #expect(throws: ActivityRequestError.tooLarge) { try await bench.kit.request(long, content) }
        for _ in 2...5 { _ = try await bench.kit.request(Sample.attributes(start: ""), content) }
        await #expect(throws: ActivityRequestError.tooMany) {
            try await bench.kit.request(Sample.attributes(start: ""), content)
        }
        #expect(try await bench.start() == .dropped(.tooManyActivities))
        await bench.kit.setShowsActivities(false)
        await #expect(throws: ActivityRequestError.denied) {
            try await bench.kit.request(Sample.attributes(start: ""), content)
        }
    }

    @Test func withoutPermissionNothingIsShown() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        async let states = bench.states(of: id)
        var enablement = await bench.kit.activityEnablementUpdates().makeAsyncIterator()
        #expect(await enablement.next() == true)
        try await eventually("somebody listens") { await bench.kit.listenerCount >= 2 }
        await bench.kit.setShowsActivities(false)
        #expect(await enablement.next() == false)
        #expect(await states.last == .dismissed)
        #expect(await bench.kit.activities.isEmpty)
        #expect(await !bench.kit.areActivitiesEnabled())
        #expect(try await bench.start() == .dropped(.notPermitted))
        await bench.kit.setShowsActivities(true)
        guard case .started = try await bench.start() else {
            Issue.record("the start was not taken")
            return
        }
    }

    @Test func theSameSeedGivesTheSamePhone() async throws {
        var tokens: [String] = []
        for seed in [7, 7, 8] as [UInt64] {
            let bench = await Bench(seed: seed)
            let id = try await bench.running()
            tokens.append("\(await bench.kit.startToken.rawValue) \(id) \(try await bench.token(of: id))")
        }
        #expect(tokens[0] == tokens[1])
        #expect(tokens[0] != tokens[2])
    }
}
