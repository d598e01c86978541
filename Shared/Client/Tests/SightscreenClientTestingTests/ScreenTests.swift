import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// The phone's screen, and the pushes to the app itself.
@Suite struct ScreenTests {
    @Test func theMostRelevantOwnsTheDynamicIsland() async throws {
        let bench = await Bench()
        let first = try await bench.running(Sample.start(MatchID(1), relevance: 20))
        bench.clock.advance(seconds: 10)
        let second = try await bench.running(Sample.start(MatchID(2), relevance: 80))
        bench.clock.advance(seconds: 10)
        let third = try await bench.running(Sample.start(MatchID(3), relevance: 20))
        bench.clock.advance(seconds: 10)
        #expect(await bench.kit.screen.island == DynamicIsland(compact: second, minimal: first, expanded: nil))
        #expect(await bench.kit.screen.lockScreen.map(\.id) == [second, first, third])
        // The first match becomes close.
        let tense = Sample.update(2, at: bench.clock.now, relevance: 95)
        try await bench.send(tense, to: first)
        #expect(await bench.kit.screen.island.compact == first)
        // The relevance stays when an update has none.
        try await bench.send(Sample.update(3, at: bench.clock.now + 1), to: first)
        #expect(await bench.kit.screen.island == DynamicIsland(compact: first, minimal: second, expanded: nil))
        try await bench.send(Sample.end(at: bench.clock.now, dismissAt: bench.clock.now + 900), to: first)
        #expect(await bench.kit.screen.island == DynamicIsland(compact: second, minimal: third, expanded: nil))
        #expect(await bench.kit.screen.lockScreen.count == 3)
    }

    @Test func alertsOpenTheDynamicIslandForAMoment() async throws {
        let bench = await Bench()
        let one = try await bench.running(Sample.start(MatchID(1), relevance: 80))
        let two = try await bench.running(Sample.start(MatchID(2), relevance: 20))
        bench.clock.advance(seconds: 10)
        let alert = PushAlert(title: "WICKET!", body: "MI 88/7", sound: true)
        try await bench.send(Sample.update(2, at: bench.clock.now, alert: alert), to: two)
        #expect(await bench.kit.screen.island == DynamicIsland(compact: one, minimal: two, expanded: two))
        var screens = await bench.kit.screens().makeAsyncIterator()
        #expect(await screens.next()?.island.expanded == two)
        try await eventually("the phone waits for it") {
            bench.clock.untilNext.map { $0 > .seconds(4) && $0 <= .seconds(5) } ?? false
        }
        bench.clock.advance(seconds: 5)
        #expect(await screens.next()?.island.expanded == nil)
    }

    // MARK: - The app itself

    private func push(_ payload: TestPush, _ type: String, _ bench: Bench) async throws -> RawPush {
        RawPush(
            token: await bench.kit.deviceToken.rawValue,
            headers: ["apns-push-type": type, "apns-topic": "dev.sightscreen.app"], body: try payload.encoded())
    }

    @Test func aSilentPushWakesTheAppNowAndThen() async throws {
        let bench = await Bench()
        let silent = try await push(.reconcile(matchID: Sample.match), "background", bench)
        for _ in 1...3 {
            #expect(
                await bench.kit.receive(silent)
                    == .wakesApp(AppPush(kind: .silent, purpose: .reconcile, matchID: Sample.match)))
        }
        #expect(await bench.kit.receive(silent) == .dropped(.notWoken))
        bench.clock.advance(seconds: 3_600)
        await bench.kit.killApp(forceQuit: true)
        #expect(await bench.kit.receive(silent) == .dropped(.notWoken))
        await bench.kit.setForeground(true)
        #expect(
            await bench.kit.receive(silent)
                == .wakesApp(AppPush(kind: .silent, purpose: .reconcile, matchID: Sample.match)))
    }

    @Test func aNotificationIsShownAndSaysWhatToDoWhenItIsTapped() async throws {
        let bench = await Bench()
        let alert = PushAlert(title: "MI v CSK is live", body: "Open to see it on your Lock Screen")
        let visible = try await push(.visible(matchID: Sample.match, alert: alert), "alert", bench)
        #expect(await bench.kit.receive(visible) == .notifies(AppPush(kind: .opened, matchID: Sample.match)))
        #expect(await bench.kit.screen.notifications.map(\.title) == ["MI v CSK is live"])
        var wrong = visible
        wrong.headers["apns-push-type"] = "liveactivity"
        #expect(await bench.kit.receive(wrong) == .dropped(.wrongPushType))
        for _ in 1...30 { _ = await bench.kit.receive(visible) }
        #expect(await bench.kit.screen.notifications.count == 20)
    }

    // MARK: - The clock

    @Test func theClockWakesInOrderAndForgetsWhoWasCancelled() async throws {
        let clock = SimulatedClock(now: 100)
        let early = Task { try await clock.sleep(for: .seconds(1)) }
        let late = Task { try await clock.sleep(for: .seconds(2)) }
        let never = Task { try await clock.sleep(for: .seconds(3)) }
        try await eventually("all sleep") { clock.sleeperCount == 3 }
        clock.advance(by: .milliseconds(1_500))
        try await early.value
        #expect(clock.now == 101)
        #expect(clock.sleeperCount == 2)
        never.cancel()
        await #expect(throws: CancellationError.self) { try await never.value }
        clock.advance(seconds: 1)
        try await late.value
        #expect(clock.sleeperCount == 0)
    }
}
