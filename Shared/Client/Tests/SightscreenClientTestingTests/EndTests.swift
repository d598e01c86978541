import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The ends of activities, and the times at which they leave the screen.
@Suite struct EndTests {
    private static let hour = 3_600

    @Test func anEndShowsItsContentUntilTheDismissalDate() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        async let states = bench.states(of: id)
        try await eventually("somebody listens") { await bench.kit.listenerCount >= 1 }
        let at = bench.clock.now
        // An end is accepted with any timestamp.
        #expect(try await bench.send(Sample.end(at: Sample.now - 60, dismissAt: at + 900), to: id) == .ended(id))
        #expect(await bench[id]?.content.state.version == 99)
        #expect(await bench[id]?.state == .ended)
        #expect(await bench.kit.screen.island == DynamicIsland())
        #expect(try await bench.send(Sample.update(2, at: at + 60), to: id) == .dropped(.alreadyEnded))
        bench.clock.advance(seconds: 899)
        #expect(await bench.kit.activities().count == 1)
        bench.clock.advance(seconds: 1)
        #expect(await bench.kit.activities().isEmpty)
        #expect(await states == [.active, .ended, .dismissed])
    }

    @Test func aPastDismissalDateRemovesAtOnce() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        try await bench.send(Sample.end(at: bench.clock.now, dismissAt: bench.clock.now - 1), to: id)
        #expect(await bench.kit.activities.isEmpty)
        #expect(await bench.ledger.dead.contains(token))
        let late = try Bench.push(Sample.update(2, at: bench.clock.now + 1), to: token)
        #expect(await bench.kit.receive(late) == .dropped(.unknownToken))
    }

    /// An activity stays for 4 hours without a dismissal date, and with one that is further ahead.
    @Test(arguments: [Int?.none, 9 * 3_600])
    func nothingStaysLongerThanFourHours(dismissAfter: Int?) async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        var body = String(
            decoding: try Sample.end(at: bench.clock.now, dismissAt: bench.clock.now + (dismissAfter ?? 1)).encoded(),
            as: UTF8.self)
        if dismissAfter == nil { body = body.replacing("\"dismissal-date\"", with: "\"other\"") }
        let push = RawPush(token: token, headers: ["apns-push-type": "liveactivity"], body: Array(body.utf8))
        #expect(await bench.kit.receive(push) == .ended(id))
        let at = bench.clock.now
        bench.clock.advance(seconds: 4 * Self.hour - 1)
        #expect(await bench.kit.activities().map(\.state) == [.ended])
        bench.clock.advance(seconds: at + 4 * Self.hour - bench.clock.now)
        #expect(await bench.kit.activities().isEmpty)
    }

    @Test func anEndWithoutContentKeepsWhatIsShown() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        let body = "{\"aps\":{\"timestamp\":\(bench.clock.now),\"event\":\"end\"}}"
        let push = RawPush(token: token, headers: ["apns-push-type": "liveactivity"], body: Array(body.utf8))
        #expect(await bench.kit.receive(push) == .ended(id))
        #expect(await bench[id]?.content.state == Sample.state())
    }

    @Test func theSystemEndsAnActivityAfterEightHours() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        async let states = bench.states(of: id)
        try await eventually("somebody listens") { await bench.kit.listenerCount >= 1 }
        bench.clock.advance(seconds: Sample.now + 8 * Self.hour - 1 - bench.clock.now)
        #expect(await bench.kit.activities().map(\.isRunning) == [true])
        bench.clock.advance(seconds: 1)
        #expect(await bench.kit.activities().map(\.state) == [.ended])
        #expect(try await bench.send(Sample.update(2, at: bench.clock.now), to: id) == .dropped(.alreadyEnded))
        bench.clock.advance(seconds: 4 * Self.hour)
        #expect(await bench.kit.activities().isEmpty)
        #expect(await states == [.active, .ended, .dismissed])
    }

    @Test func timeDoesItsWorkByItself() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        // The alert of the start no longer keeps the island open.
        bench.clock.advance(seconds: 10)
        async let states = bench.states(of: id)
        try await eventually("the phone waits for it") {
            bench.clock.untilNext.map { $0 > .seconds(7 * Self.hour) } ?? false
        }
        bench.clock.advance(seconds: 8 * Self.hour)
        try await eventually("the phone waits for it") {
            bench.clock.untilNext.map { $0 > .seconds(3 * Self.hour) } ?? false
        }
        bench.clock.advance(seconds: 4 * Self.hour)
        #expect(await states.suffix(2) == [.ended, .dismissed])
    }

    @Test func theUserRemovesOne() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        _ = await bench.kit.activities()
        async let states = bench.states(of: id)
        try await eventually("somebody listens") { await bench.kit.listenerCount >= 1 }
        await bench.kit.dismiss(id)
        #expect(await states == [.active, .dismissed])
        #expect(await bench.ledger.dead.contains(token))
        // An app that was given the activity gets the same state later.
        #expect(await bench.states(of: id) == [.dismissed])
    }

    @Test func appleHearsOfATokensEndWhenThePhoneIsOnline() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        await bench.kit.setOnline(false)
        await bench.kit.dismiss(id)
        #expect(await !bench.ledger.dead.contains(token))
        await bench.kit.setOnline(true)
        #expect(await bench.ledger.dead.contains(token))
    }

    @Test func theAppEndsOneAndTakesOneAwayThatIsOver() async throws {
        let bench = await Bench()
        let (one, two) = (try await bench.running(), try await bench.running())
        await bench.kit.end(one, .immediate)
        #expect(await bench.kit.activities.map(\.id) == [two])
        await bench.kit.end(two, .at(bench.clock.now + 600))
        #expect(await bench.kit.activities.map(\.state) == [.ended])
        await bench.kit.end(two, .immediate)
        #expect(await bench.kit.activities.isEmpty)
        await bench.kit.end(two, .immediate)
    }

    @Test func theSystemEndsOneForWantOfRoom() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        await bench.kit.systemEnds(id)
        #expect(await bench[id]?.state == .ended)
    }

    @Test func aNewInstallationHasNothingAndNewTokens() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        let old = [
            await bench.kit.startToken.rawValue, await bench.kit.deviceToken.rawValue, try await bench.token(of: id),
        ]
        await bench.kit.reinstall()
        #expect(await bench.kit.activities.isEmpty)
        #expect(await bench.ledger.dead == Set(old))
        #expect(await bench.ledger.living.count == 2)
        #expect(await bench.kit.listenerCount == 0)
    }

    /// A killed app's streams end, and its activities live on.
    @Test func aKilledAppHearsNothing() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        var tokens = await bench.kit.pushToStartTokenUpdates().makeAsyncIterator()
        #expect(await tokens.next() != nil)
        await bench.kit.killApp()
        #expect(await tokens.next() == nil)
        #expect(try await bench.send(Sample.update(2, at: bench.clock.now + 1), to: id) == .updated(id, alerted: false))
        var contents = await bench.kit.contentUpdates(of: id).makeAsyncIterator()
        #expect(await contents.next()?.state.version == 2)
    }

    @Test func aPhoneThatIsSwitchedOffLeavesNothingBehind() async throws {
        let bench = await Bench()
        _ = try await bench.running()
        try await eventually("the phone waits for something") { bench.clock.sleeperCount > 0 }
        await bench.kit.switchOff()
        #expect(bench.clock.sleeperCount == 0)
    }

    /// The system's list may lack an activity that is there. Only what the activity says itself is its state.
    @Test func anActivityThatTheListLacksIsNotDismissed() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        _ = await bench.kit.activities()
        await bench.kit.lagList(of: id, seconds: 10)
        #expect(await bench.kit.activities().isEmpty)
        #expect(await bench.kit.activity(id)?.state == .active)
        var states = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await states.next() == .active)
        bench.clock.advance(seconds: 10)
        #expect(await bench.kit.activities().map(\.id) == [id])
        await bench.kit.dismiss(id)
        #expect(await states.next() == .dismissed)
        #expect(await bench.kit.activity(id)?.state == .dismissed)
        var late = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await late.next() == .dismissed)
    }

    @Test func anUnknownActivityHasNoState() async throws {
        let bench = await Bench()
        let id = try await bench.running()
        _ = await bench.kit.activities()
        await bench.kit.lagList(of: id, seconds: 10)
        // The next process of the app was not given it.
        await bench.kit.killApp()
        #expect(await bench.kit.activity(id) == nil)
        var states = await bench.kit.activityStateUpdates(of: ActivityID("another")).makeAsyncIterator()
        #expect(await states.next() == nil)
    }
}
