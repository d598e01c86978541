import SightscreenClient
@testable import SightscreenClientTesting
import SightscreenModels
import Synchronization
import TestSupport
import Testing

/// An app off the foreground runs for a while, and no code of it runs then until the next wake. Apple's page on the
/// app's life cycle says so; the seconds are those of `PhoneLimits`.
@Suite struct SuspensionTests {
    private static let silentPush = AppPush(kind: .silent, purpose: .reconcile, matchID: Sample.match)

    /// Returns a phone that suspends its app, which is in the foreground.
    private func bench() async -> Bench {
        let bench = await Bench()
        await bench.kit.setSuspends(true)
        return bench
    }

    /// Takes the app to the background, until it is suspended.
    private func leave(_ bench: Bench) async {
        await bench.kit.setForeground(false)
        bench.clock.advance(seconds: await bench.kit.limits.leavingSeconds)
        #expect(await bench.kit.isSuspended)
    }

    private func wake(_ bench: Bench) async throws {
        let push = RawPush(
            token: await bench.kit.deviceToken.rawValue,
            headers: ["apns-push-type": "background", "apns-topic": "dev.sightscreen.app"],
            body: try TestPush.reconcile(matchID: Sample.match).encoded())
        #expect(await bench.kit.receive(push) == .wakesApp(Self.silentPush))
    }

    @Test func streamsThatSpeakAgainBeginWithTheTokensOfNow() async {
        let bench = await Bench()
        await bench.kit.setSilentTokenStreams(true)
        await bench.kit.rotateAppTokens()
        await bench.kit.setSilentTokenStreams(false)
        var tokens = await bench.kit.pushToStartTokenUpdates().makeAsyncIterator()
        #expect(await tokens.next() == bench.kit.startToken)
    }

    @Test func anAppThatLeavesRunsForAMoment() async throws {
        let bench = await bench()
        await bench.kit.setForeground(false)
        #expect(await !bench.kit.isSuspended)
        bench.clock.advance(seconds: 4)
        #expect(await !bench.kit.isSuspended)
        bench.clock.advance(seconds: 1)
        #expect(await bench.kit.isSuspended)
        await bench.kit.setForeground(true)
        #expect(await !bench.kit.isSuspended)
        await bench.kit.switchOff()
    }

    @Test func aSilentPushWakesTheAppForThirtySecondsOrUntilItAnswers() async throws {
        let bench = await bench()
        await leave(bench)
        try await wake(bench)
        bench.clock.advance(seconds: 29)
        #expect(await !bench.kit.isSuspended)
        bench.clock.advance(seconds: 1)
        #expect(await bench.kit.isSuspended)
        try await wake(bench)
        #expect(await !bench.kit.isSuspended)
        await bench.kit.answered()
        #expect(await bench.kit.isSuspended)
        await bench.kit.switchOff()
    }

    @Test func aStartByPushWakesTheAppAndAnUpdateDoesNot() async throws {
        let bench = await bench()
        await leave(bench)
        let id = try await bench.running()
        #expect(await !bench.kit.isSuspended)
        bench.clock.advance(seconds: 30)
        #expect(await bench.kit.isSuspended)
        try await bench.send(Sample.update(2, at: bench.clock.now + 1), to: id)
        #expect(await bench[id]?.content.state.version == 2)
        #expect(await bench.kit.isSuspended)
        await bench.kit.switchOff()
    }

    @Test func aSuspendedAppHearsTheNewestAtItsNextWake() async throws {
        let bench = await bench()
        let id = try await bench.running()
        var contents = await bench.kit.contentUpdates(of: id).makeAsyncIterator()
        var states = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await contents.next()?.state.version == 1)
        #expect(await states.next() == .active)
        await leave(bench)
        for version in 2...4 { try await bench.send(Sample.update(version, at: bench.clock.now + version), to: id) }
        await bench.kit.dismiss(id)
        let heard = Mutex(false)
        let reader = Task { [contents] in
            var contents = contents
            var versions: [Int] = []
            while let content = await contents.next() {
                heard.withLock { $0 = true }
                versions.append(content.state.version)
            }
            return versions
        }
        for _ in 0..<20 { await Task.yield() }
        #expect(!heard.withLock { $0 })
        try await wake(bench)
        #expect(await reader.value.last == 4)
        #expect(await states.next() == .dismissed)
        #expect(await states.next() == nil)
        await bench.kit.switchOff()
    }

    @Test func aSuspendedAppGetsNoResultBeforeItsNextWake() async throws {
        let bench = await bench()
        await leave(bench)
        let answered = Mutex(false)
        let kit = bench.kit
        let call = Task {
            let allowed = await kit.areActivitiesEnabled()
            answered.withLock { $0 = true }
            return allowed
        }
        try await eventually("the app asks") { await kit.wakeUps.readerCount == 1 }
        #expect(!answered.withLock { $0 })
        await bench.kit.setShowsActivities(false)
        try await wake(bench)
        #expect(await !call.value)
        await bench.kit.switchOff()
    }

    @Test func aCallThatIsUnderWayWhenTheAppIsSuspendedGetsNoAnswer() async throws {
        let bench = await bench()
        let server = SlowServer()
        let transport = SimulatedTransport(server, on: bench.kit)
        let call = Task { try await transport.send(APIRequest(method: "GET", path: "/")) }
        try await eventually("the server has the request") { await server.isAsked }
        await leave(bench)
        await server.answer()
        try await eventually("the app waits for its wake") { await bench.kit.wakeUps.readerCount == 1 }
        await bench.kit.setForeground(true)
        let result = await call.result
        #expect(throws: TransportError.broken("the app was suspended")) { try result.get() }
        await bench.kit.switchOff()
    }

    @Test func backgroundTasksProlongTheTimeAndExpire() async throws {
        let bench = await bench()
        let expired = Mutex(0)
        let kit = bench.kit
        let first = try #require(await kit.begin("first") { expired.withLock { $0 += 1 } })
        await kit.setForeground(false)
        bench.clock.advance(seconds: 20)
        #expect(await !kit.isSuspended)
        await kit.end(first)
        #expect(await kit.isSuspended)
        #expect(await kit.begin("too late") {} == nil)
        try await wake(bench)
        _ = try #require(await kit.begin("second") { expired.withLock { $0 += 1 } })
        await kit.answered()
        #expect(await !kit.isSuspended)
        bench.clock.advance(seconds: 30)
        #expect(await kit.isSuspended)
        try await eventually("the second task has expired") { await kit.backgroundTaskCount == 0 }
        #expect(expired.withLock { $0 } == 1)
        await kit.switchOff()
        #expect(bench.clock.sleeperCount == 0)
    }

    // MARK: - An app that does not run

    /// Observed: no activity outlives a restart, and nothing is told to the app.
    @Test func aRestartTakesEveryActivityAndTellsNothing() async throws {
        let bench = await bench()
        let id = try await bench.running()
        let token = try await bench.token(of: id)
        #expect(await bench.kit.bootedAt == Sample.now)
        var states = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await states.next() == .active)
        bench.clock.advance(seconds: 60)
        await bench.kit.killApp(forceQuit: true)
        await bench.kit.restart()
        #expect(await states.next() == nil)
        #expect(await bench.kit.activities.isEmpty)
        #expect(await bench.ledger.dead.contains(token))
        #expect(await bench.kit.bootedAt == bench.clock.now + 1)
        #expect(await !bench.kit.isForceQuit)
        // The next process finds none, and was given none.
        await bench.kit.setForeground(true)
        #expect(await bench.kit.activities().isEmpty)
        #expect(await bench.kit.activity(id) == nil)
        await bench.kit.switchOff()
    }

    /// ActivityKit tells only what happens while a process of the app observes it.
    @Test func aDismissalWhileTheAppDoesNotRunIsNotTold() async throws {
        let bench = await bench()
        let id = try await bench.running()
        _ = await bench.kit.activities()
        await bench.kit.killApp(forceQuit: true)
        await bench.kit.dismiss(id)
        await bench.kit.setForeground(true)
        #expect(await bench.kit.activities().isEmpty)
        #expect(await bench.kit.activity(id) == nil)
        var states = await bench.kit.activityStateUpdates(of: id).makeAsyncIterator()
        #expect(await states.next() == nil)
        await bench.kit.switchOff()
    }

    /// Observed on Apple's forum (thread 741939): a token may not come for hours, or at all.
    @Test func aTokenMayNeverCome() async throws {
        let bench = await bench()
        await bench.kit.setWithholdsTokens(true)
        guard case .started(let id) = try await bench.start() else {
            Issue.record("no activity")
            return
        }
        bench.clock.advance(seconds: 3_600)
        #expect(await bench[id]?.token == nil)
        await bench.kit.setForeground(true)
        #expect(await bench.kit.pushToken(of: id) == nil)
        await bench.kit.setWithholdsTokens(false)
        #expect(await bench[id]?.token != nil)
        await bench.kit.switchOff()
    }
}

/// A server that answers when it is told to.
private actor SlowServer: APITransport {
    private var request: CheckedContinuation<Void, Never>?

    var isAsked: Bool { request != nil }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        await withCheckedContinuation { self.request = $0 }
        return APIResponse(status: 200)
    }

    func answer() { request?.resume() }
}
