import SightscreenClientTesting
import SightscreenModels
import Synchronization
import TestSupport
import Testing

@testable import SightscreenClient

/// The phone suspends an app in the background. What the app has to tell is told before.
@Suite struct BackgroundTimeTests {
    private static let match = Sample.match()
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"
    private static let push = AppPush(kind: .silent, purpose: .reconcile, matchID: match.id)

    /// Returns a phone that shows an activity of the match, with the app suspended.
    private func asleep() async throws -> (Phone, ActivityID) {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        let id = try await phone.registeredActivity(Self.match.id)
        try await phone.soon("all is sent") { await phone.kit.backgroundTaskCount == 0 }
        await phone.kit.setSuspends(true)
        await phone.kit.setForeground(false)
        phone.clock.advance(seconds: await phone.kit.limits.leavingSeconds)
        #expect(await phone.kit.isSuspended)
        return (phone, id)
    }

    /// Wakes the app by a silent push, as its delegate handles one.
    private func wake(_ phone: Phone) async throws -> Task<Void, Never> {
        let raw = RawPush(
            token: await phone.kit.deviceToken.rawValue,
            headers: ["apns-push-type": "background", "apns-topic": "dev.sightscreen.app"],
            body: try TestPush.reconcile(matchID: Self.match.id).encoded())
        #expect(await phone.kit.receive(raw) == .wakesApp(Self.push))
        return Task { [app = phone.app, kit = phone.kit] in
            await app.receive(Self.push)
            await kit.answered()
        }
    }

    @Test func aSilentPushIsAnsweredWhenItsWorkIsDone() async throws {
        let (phone, _) = try await asleep()
        let before = await phone.gateway.successes("POST /devices").count
        await phone.gateway.trouble("/devices", .held)
        let answer = try await wake(phone)
        try await phone.soon("the report is under way") { await phone.gateway.heldCount == 1 }
        phone.clock.advance(seconds: 10)
        #expect(await !phone.kit.isSuspended)
        await phone.gateway.release()
        await answer.value
        #expect(await phone.gateway.successes("POST /devices").count == before + 1)
        // The app has heard the backend's answer, and has nothing left to do.
        try await phone.soon("the app sleeps") { await phone.kit.isSuspended }
        await phone.end()
    }

    @Test func aSilentPushIsAnsweredAfterTwentySecondsAtTheLatest() async throws {
        let (phone, _) = try await asleep()
        await phone.gateway.trouble("/devices", .held)
        let answered = Mutex(false)
        let answer = try await wake(phone)
        Task {
            await answer.value
            answered.withLock { $0 = true }
        }
        try await phone.soon("the report is under way") { await phone.gateway.heldCount == 1 }
        phone.clock.advance(seconds: 19)
        for _ in 0..<20 { await Task.yield() }
        #expect(!answered.withLock { $0 })
        phone.clock.advance(seconds: 1)
        await answer.value
        await phone.end()
    }

    /// Returns a phone whose user removed the card while the app slept. The app heard of it when it was woken for
    /// something else, and has answered that push; the gateway holds the dismissal.
    private func dismissing() async throws -> Phone {
        let (phone, id) = try await asleep()
        await phone.kit.dismiss(id)
        await phone.gateway.trouble("/activity-dismissed", .held)
        let answer = try await wake(phone)
        try await phone.soon("the dismissal is under way") { await phone.gateway.heldCount == 1 }
        phone.clock.advance(seconds: 20)
        await answer.value
        return phone
    }

    @Test func aDismissalThatTheAppHearsInAWakeIsSentBeforeItSleeps() async throws {
        let phone = try await dismissing()
        #expect(await !phone.kit.isSuspended, "a background task keeps the app awake")
        await phone.gateway.release()
        try await phone.soon("the app sleeps") { await phone.kit.isSuspended }
        #expect(await phone.gateway.successes(Self.dismissedPath).count == 1)
        #expect(await phone.managers.follows.pendingDismissals().isEmpty)
        await phone.end()
    }

    @Test func anUnfollowIsSentThoughTheUserLeavesTheApp() async throws {
        let (phone, _) = try await asleep()
        await phone.kit.setForeground(true)
        await phone.gateway.trouble("/unfollow", .held)
        await phone.app.unfollow(Self.match.id)
        try await phone.soon("the unfollow is under way") { await phone.gateway.heldCount == 1 }
        await phone.kit.setForeground(false)
        phone.clock.advance(seconds: 25)
        #expect(await !phone.kit.isSuspended)
        await phone.gateway.release()
        try await phone.soon("the app sleeps") { await phone.kit.isSuspended }
        #expect(await phone.managers.follows.pendingUnfollows().isEmpty)
        await phone.end()
    }

    /// Without its token the backend could not update the card before the next contact.
    @Test(arguments: [false, true])
    func aTokenThatComesWhenTheUserHasLeftIsSentBeforeTheAppSleeps(streamsAreSilent: Bool) async throws {
        var limits = PhoneLimits()
        limits.tokenDelayMs = 10_000...10_000
        let phone = try await Phone(Self.match, limits: limits)
        try await phone.launch()
        await phone.kit.setSuspends(true)
        await phone.kit.setSilentTokenStreams(streamsAreSilent)
        try await phone.app.follow(Self.match)
        try await phone.soon("the app waits for the token") { await phone.kit.backgroundTaskCount > 0 }
        await phone.kit.setForeground(false)
        try await phone.until("the gateway has the token") {
            await phone.gateway.activities[Self.match.id]?.token != nil
        }
        #expect(phone.clock.now < Sample.now + 30)
        try await phone.soon("the app sleeps") { await phone.kit.isSuspended }
        await phone.end()
    }

    /// The system would end an app that goes on after its time.
    @Test func whatIsNotSentInTimeIsSentAtTheNextContact() async throws {
        let phone = try await dismissing()
        phone.clock.advance(seconds: 10)
        try await phone.soon("the background task is over") { await phone.kit.backgroundTaskCount == 0 }
        #expect(await phone.kit.isSuspended)
        // The answer comes too late for an app that sleeps.
        await phone.gateway.release()
        try await phone.soon("the gateway has answered") {
            await phone.gateway.successes(Self.dismissedPath).count == 1
        }
        #expect(await !phone.managers.follows.pendingDismissals().isEmpty)
        await phone.kit.setForeground(true)
        await phone.app.enterForeground()
        try await phone.until("it is sent again") { await phone.managers.follows.pendingDismissals().isEmpty }
        #expect(await phone.gateway.successes(Self.dismissedPath).count == 2)
        await phone.end()
    }

    // MARK: - One outbox

    /// Delivers when it is told to.
    private actor Receiver {
        private var waiting: [CheckedContinuation<Void, Never>] = []
        var count: Int { waiting.count }

        func take() async -> Outbox<String, String>.Outcome {
            await withCheckedContinuation { waiting.append($0) }
            return .delivered
        }

        func release() {
            for one in waiting { one.resume() }
            waiting = []
        }
    }

    @Test func oneBackgroundTaskLastsUntilTheOutboxIsEmpty() async throws {
        let (receiver, time) = (Receiver(), FakeBackgroundTime())
        let outbox = Outbox<String, String>(clock: SimulatedClock(now: 0), background: time) { _, _ in
            await receiver.take()
        }
        await outbox.retryNow()
        #expect(await time.begun == 0)
        await outbox.put("a", in: "one")
        await outbox.put("b", in: "two")
        try await eventually("both are under way") { await receiver.count == 2 }
        try await eventually("a task runs") { await time.running.count == 1 }
        await receiver.release()
        try await eventually("it has ended") { await time.running.isEmpty }
        await outbox.emptied()
        #expect(await time.begun == 1)
        await outbox.put("c", in: "one")
        try await eventually("another runs") { await time.begun == 2 }
        await time.expire()
        try await eventually("a value that comes later has a task of its own") {
            await outbox.put("d", in: "two")
            return await time.begun == 3
        }
        try await eventually("both are under way") { await receiver.count == 2 }
        await receiver.release()
        try await eventually("the rest is sent") {
            await receiver.release()
            return await outbox.waiting.isEmpty
        }
        try await eventually("no task is left") { await time.running.isEmpty }
        await outbox.stop()
    }
}
