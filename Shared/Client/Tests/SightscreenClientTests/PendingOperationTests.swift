@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import TestSupport
import Testing

/// The user's last operation holds, whatever happens to the app before the backend has confirmed it.
@Suite(.serialized) struct PendingOperationTests {
    private static let match = Sample.match()
    private static let ravi = UserID("ravi")
    private static let dismissedPath = "POST /matches/1304076/activity-dismissed"
    private static let unfollowPath = "POST /matches/1304076/unfollow"
    private static let followPath = "POST /matches/1304076/follow"

    enum Decision: CaseIterable {
        case follow, unfollow, dismissal

        var follows: Bool { self == .follow }
    }

    /// Returns a phone that shows the match.
    private func showing() async throws -> (Phone, ActivityID) {
        let phone = try await Phone(Self.match)
        await phone.gateway.accept("other", as: Self.ravi)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        return (phone, try await phone.registeredActivity(Self.match.id))
    }

    private func setOffline(_ offline: Bool, _ phone: Phone) async {
        await phone.gateway.setOffline(offline)
        await phone.kit.setOnline(!offline)
    }

    /// Removes the activity as the user does, and waits until the app has seen it.
    private func dismiss(_ id: ActivityID, _ phone: Phone) async throws {
        await phone.kit.dismiss(id)
        try await phone.soon("the app has seen it") {
            await phone.managers.follows.pendingDismissals() == [Self.match.id]
        }
    }

    private func follows(_ phone: Phone) async -> Bool {
        await phone.gateway.follows[Sample.user, default: []].contains(Self.match.id)
    }

    /// Whether nothing is pending, and backend, follow button and Lock Screen are as the user wants them.
    private func isSettled(_ wants: Bool, _ phone: Phone) async -> Bool {
        let button = await phone.app.followButton(for: Self.match.id)
        let isShown = await phone.shown().contains(where: \.isRunning)
        return await follows(phone) == wants && !button.isPending && (button.state != .empty) == wants
            && phone.store.strings(forKey: FollowStore.pendingOperationsKey) == nil && (wants || !isShown)
    }

    private func end(_ phone: Phone) async {
        await phone.end()
        #expect(phone.clock.sleeperCount == 0)
    }

    // MARK: - The app is killed

    @Test(arguments: [Decision.unfollow, .dismissal])
    func aDecisionWithoutANetworkOutlivesTheApp(decision: Decision) async throws {
        let (phone, id) = try await showing()
        await setOffline(true, phone)
        if decision == .unfollow { await phone.app.unfollow(Self.match.id) } else { try await dismiss(id, phone) }
        await phone.killApp()
        await phone.app.start()
        await phone.killApp()
        await setOffline(false, phone)
        #expect(await follows(phone))
        try await phone.launch()
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        let path = decision == .unfollow ? Self.unfollowPath : Self.dismissedPath
        #expect(await phone.gateway.successes(path).count == 1)
        await end(phone)
    }

    /// The app is killed after any of its steps: a write, a call, an answer.
    @Test(arguments: Decision.allCases, 0..<9)
    func aDecisionHoldsIfTheAppIsKilledAtAnyStepAfterIt(decision: Decision, steps: Int) async throws {
        let (phone, id) = try await showing()
        if decision == .follow {
            await phone.app.unfollow(Self.match.id)
            try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        }
        let life = phone.life
        life.end(after: steps, sinceWriting: FollowStore.pendingOperationsKey)
        switch decision {
        case .follow: _ = Task { [app = phone.app] in try? await app.follow(Self.match) }
        case .unfollow: await phone.app.unfollow(Self.match.id)
        case .dismissal: await phone.kit.dismiss(id)
        }
        try await phone.until("the app is dead, or has done it") {
            if life.isOver { return true }
            return await isSettled(decision.follows, phone)
        }
        await phone.killApp()
        await phone.kit.setForeground(true)
        try await phone.launch()
        try await phone.until("the decision holds") { await isSettled(decision.follows, phone) }
        await end(phone)
    }

    /// An activity that is gone may have been ended by a push, by the system or by a restart of the phone.
    @Test func whatLeftTheScreenWhileTheAppWasDeadIsNoDismissal() async throws {
        let (phone, id) = try await showing()
        await phone.killApp()
        await phone.kit.dismiss(id)
        try await phone.launch()
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await end(phone)
    }

    /// The backend finds the token dead before it gets the dismissal, and starts another activity.
    @Test func aStartThatComesBeforeTheReportOfADismissalIsEnded() async throws {
        let (phone, id) = try await showing()
        await setOffline(true, phone)
        try await dismiss(id, phone)
        await phone.killApp()
        // Apple can be reached, and the backend not yet.
        await phone.kit.setOnline(true)
        await phone.gateway.findDeadToken(of: Self.match.id)
        try await phone.pushStart(Self.match.id, start: "s-2")
        await phone.app.start()
        try await phone.soon("it is ended") { await !phone.shown().contains(where: \.isRunning) }
        await setOffline(false, phone)
        await phone.app.connectionRestored()
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-token").count == 1)
        await end(phone)
    }

    /// The backend knows no activity with that id.
    @Test func aDismissalBeforeTheTokenCameIsAnUnfollow() async throws {
        let phone = try await Phone(Self.match)
        try await phone.launch()
        try await phone.app.follow(Self.match)
        await setOffline(true, phone)
        await phone.kit.dismiss(try #require(await phone.shown().first?.id))
        try await phone.soon("the follow button is empty") {
            await phone.app.followButton(for: Self.match.id).state == .empty
        }
        await phone.killApp()
        await setOffline(false, phone)
        try await phone.launch()
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        #expect(await phone.gateway.calls(Self.dismissedPath).isEmpty)
        await end(phone)
    }

    // MARK: - Later operations

    @Test func aLaterFollowTakesThePlaceOfADismissal() async throws {
        let (phone, id) = try await showing()
        await setOffline(true, phone)
        try await dismiss(id, phone)
        try await phone.soon("it was tried") { await phone.gateway.calls(Self.dismissedPath).count == 1 }
        await setOffline(false, phone)
        try await phone.app.follow(Self.match)
        await phone.app.connectionRestored()
        try await phone.until("it is followed") { await isSettled(true, phone) }
        #expect(await phone.gateway.successes(Self.dismissedPath).isEmpty)
        #expect(await phone.shown().count == 1)
        await end(phone)
    }

    /// The follow waits, because the backend goes by the order in which calls arrive.
    @Test func aFollowWaitsForADismissalThatIsUnderWay() async throws {
        let (phone, id) = try await showing()
        await phone.gateway.trouble("/activity-dismissed", .held)
        try await dismiss(id, phone)
        try await phone.soon("it is under way") { await phone.gateway.heldCount == 1 }
        let app = phone.app
        async let follow = app.follow(Self.match)
        try await phone.soon("the follow is tapped") { await phone.app.followButton(for: Self.match.id).isPending }
        #expect(await phone.gateway.calls(Self.followPath).count == 1)
        await phone.gateway.release()
        _ = try await follow
        try await phone.until("it is followed") { await isSettled(true, phone) }
        await end(phone)
    }

    @Test func aDismissalWaitsForAFollowThatIsUnderWay() async throws {
        let (phone, id) = try await showing()
        await phone.gateway.trouble("/follow", .held)
        let app = phone.app
        async let follow = app.follow(Self.match)
        try await phone.soon("the call is under way") { await phone.gateway.heldCount == 1 }
        try await dismiss(id, phone)
        await phone.gateway.release()
        _ = try await follow
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        await end(phone)
    }

    /// The follow button and the pending operations are as they were before the tap.
    @Test(arguments: [Decision.unfollow, .dismissal])
    func aFollowThatFailsLeavesTheDecisionBeforeIt(decision: Decision) async throws {
        let (phone, id) = try await showing()
        await setOffline(true, phone)
        if decision == .unfollow { await phone.app.unfollow(Self.match.id) } else { try await dismiss(id, phone) }
        await #expect(throws: APIError.transport(.offline)) { try await phone.app.follow(Self.match) }
        await setOffline(false, phone)
        await phone.app.connectionRestored()
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        await end(phone)
    }

    // MARK: - Another user

    @Test(arguments: [Decision.unfollow, .dismissal])
    func whatWasNotHeardAtSignOutWaitsForItsUser(decision: Decision) async throws {
        let (phone, id) = try await showing()
        await phone.gateway.setFollows([Self.match.id], of: Self.ravi)
        await setOffline(true, phone)
        if decision == .unfollow { await phone.app.unfollow(Self.match.id) } else { try await dismiss(id, phone) }
        await phone.app.signOut()
        await phone.session.signOut()
        await setOffline(false, phone)
        await phone.session.signIn(Self.ravi, token: "other")
        try await phone.launch()
        #expect(await phone.app.followButton(for: Self.match.id) == FollowButton(.filled))
        await phone.killApp()
        try await phone.launch()
        await phone.app.signOut()
        #expect(await phone.gateway.follows[Self.ravi] == [Self.match.id])
        #expect(await phone.gateway.calls.filter { $0.user == Self.ravi && $0.line == Self.unfollowPath }.isEmpty)
        #expect(await follows(phone))
        await phone.session.signIn(Sample.user, token: "good")
        try await phone.launch()
        try await phone.until("it is unfollowed") { await isSettled(false, phone) }
        await end(phone)
    }

    @Test(arguments: [Decision.unfollow, .dismissal])
    func aSignOutSendsWhatWaits(decision: Decision) async throws {
        let (phone, id) = try await showing()
        let path = decision == .unfollow ? Self.unfollowPath : Self.dismissedPath
        await setOffline(true, phone)
        if decision == .unfollow { await phone.app.unfollow(Self.match.id) } else { try await dismiss(id, phone) }
        try await phone.soon("it was tried") { await phone.gateway.calls(path).count == 1 }
        await setOffline(false, phone)
        await phone.app.signOut()
        #expect(await phone.gateway.successes(path).count == 1)
        #expect(await !follows(phone))
        #expect(phone.store.strings(forKey: FollowStore.pendingOperationsKey) == nil)
        await end(phone)
    }

    /// The app has not seen the dismissal yet.
    @Test func aDismissalJustBeforeASignOutCounts() async throws {
        let (phone, id) = try await showing()
        await phone.kit.dismiss(id)
        await phone.app.signOut()
        #expect(await !follows(phone))
        await end(phone)
    }

    @Test func aSignOutDoesNotWaitForABackendThatIsSilent() async throws {
        let (phone, _) = try await showing()
        await phone.gateway.trouble("/unfollow", .held)
        await phone.app.unfollow(Self.match.id)
        try await phone.soon("it is under way") { await phone.gateway.heldCount == 1 }
        let (app, gateway, started) = (phone.app, phone.gateway, phone.clock.now)
        let signOut = Task { await app.signOut() }
        try await phone.until("the phone is forgotten, or the call was given up") {
            // A cancelled transport returns.
            if phone.clock.now >= started + 3 { await gateway.release() }
            return await gateway.devices.isEmpty
        }
        await signOut.value
        #expect(phone.clock.now <= started + 10)
        await end(phone)
    }

    // MARK: - At random

    /// With one user and one match, the last operation that could be sent holds in the end.
    @Test(arguments: 190...201) func theLastDecisionHolds(seed: UInt64) async throws {
        let (phone, _) = try await showing()
        var random = TestSupport.SeededGenerator(seed: seed)
        var wants = true
        var isOffline = false
        var told: [String] = []
        for _ in 1...20 {
            let action = Int.random(in: 0..<8, using: &random)
            // The next pending operation that is written must be the new one.
            let isQuiet = phone.store.strings(forKey: FollowStore.pendingOperationsKey) == nil
            let dies = Bool.random(using: &random) && isQuiet
            let steps = Int.random(in: 0..<8, using: &random)
            told.append("\(action)\(dies ? ", dies after \(steps)" : "")")
            let shown = await phone.shown().first { $0.isRunning }?.id
            switch action {
            case 0:
                // Without a network the follow button goes back.
                if isOffline {
                    _ = try? await phone.app.follow(Self.match)
                    continue
                }
                wants = true
                if dies { phone.life.end(after: steps, sinceWriting: FollowStore.pendingOperationsKey) }
                try await follow(phone)
                if dies { try await dying(wants, phone) }
            case 1:
                wants = false
                if dies { phone.life.end(after: steps, sinceWriting: FollowStore.pendingOperationsKey) }
                await phone.app.unfollow(Self.match.id)
                if dies { try await dying(wants, phone) }
            case 2:
                guard let shown else { continue }
                await phone.kit.dismiss(shown)
                try await phone.soon("the app has seen it") {
                    let kept = phone.store.strings(forKey: FollowStore.pendingOperationsKey) ?? []
                    if kept.contains(where: { $0.contains(shown.rawValue) }) { return true }
                    // The dismissal of an activity that the backend does not know is an unfollow.
                    if await phone.app.followButton(for: Self.match.id).state == .empty { return true }
                    return await phone.gateway.successes(Self.dismissedPath).contains {
                        $0.body?["activityId"]?.text == shown.rawValue
                    }
                }
                wants = false
            case 3, 4:
                isOffline.toggle()
                await setOffline(isOffline, phone)
                if !isOffline { await phone.app.connectionRestored() }
            case 5: phone.clock.advance(by: .milliseconds(Int.random(in: 1...20_000, using: &random)))
            case 6:
                await phone.app.signOut()
                if Bool.random(using: &random) {
                    await phone.session.signIn(Self.ravi, token: "other")
                    await phone.app.start()
                    await phone.app.signOut()
                }
                await phone.session.signIn(Sample.user, token: "good")
                await phone.app.start()
            default: try await relaunch(phone)
            }
        }
        await setOffline(false, phone)
        try await relaunch(phone)
        let wanted = wants
        try await phone.until("it is \(wanted ? "followed" : "unfollowed") after \(told), seed \(seed)") {
            await isSettled(wanted, phone)
        }
        #expect(await phone.gateway.calls.filter { $0.user == Self.ravi && $0.path.contains("1304076") }.isEmpty)
        await end(phone)
    }

    private func relaunch(_ phone: Phone) async throws {
        await phone.killApp()
        await phone.kit.setForeground(true)
        await phone.app.start()
    }

    /// Waits until the app has settled or its process is over.
    private func dying(_ wants: Bool, _ phone: Phone) async throws {
        try await phone.until("the app is dead, or has done it") {
            if phone.life.isOver { return true }
            return await isSettled(wants, phone)
        }
        try await relaunch(phone)
    }

    /// Follows the match, and waits for the answer or the end of the process.
    private func follow(_ phone: Phone) async throws {
        let before = await phone.gateway.calls(Self.followPath).count
        _ = Task { [app = phone.app] in try? await app.follow(Self.match) }
        try await phone.until("it is answered, or the app is dead") {
            if phone.life.isOver { return true }
            let wasSent = await phone.gateway.calls(Self.followPath).count > before
            let isPending = await phone.app.followButton(for: Self.match.id).isPending
            return wasSent && !isPending
        }
    }
}
