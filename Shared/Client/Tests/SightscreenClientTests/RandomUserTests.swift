import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// A user taps, swipes, travels and switches things at random. When everything has settled, phone and backend agree.
@Suite struct RandomUserTests {
    private static let matches = [Sample.match(1), Sample.match(2), Sample.match(3, .upcoming)]

    private enum Action: CaseIterable {
        case follow, unfollow, offline, online, relaunch, dismiss, rotate, switchOff, switchOn, front, back, push, wait
        case trouble, lag, silence
    }

    @Test(arguments: 1...12) func phoneAndBackendAgreeInTheEnd(seed: UInt64) async throws {
        let phone = try await Phone(Self.matches[0], Self.matches[1], Self.matches[2], seed: seed)
        var random = SeededGenerator(seed: seed)
        try await phone.launch()
        var told: [Action] = []
        for _ in 1...60 {
            guard let action = Action.allCases.randomElement(using: &random) else { continue }
            told.append(action)
            await perform(action, phone, &random)
        }
        await phone.gateway.setOffline(false)
        await phone.kit.setOnline(true)
        await phone.kit.setShowsActivities(true)
        await phone.kit.setForeground(true)
        await phone.kit.setSilentTokenStreams(false)
        // When it is opened after a while, the app asks the backend for the follows.
        phone.clock.advance(seconds: 61)
        await phone.app.enterForeground()
        try await phone.until("phone and backend agree after \(told), seed \(seed)") { await agree(phone) }
        await phone.end()
        #expect(phone.clock.sleeperCount == 0)
        #expect(await phone.kit.listenerCount == 0)
    }

    private func perform(_ action: Action, _ phone: Phone, _ random: inout SeededGenerator) async {
        let match = Self.matches.randomElement(using: &random) ?? Self.matches[0]
        let shown = await phone.shown().randomElement(using: &random)
        switch action {
        // The user does not wait for a call that waits for its next attempt.
        case .follow: _ = Task { [app = phone.app] in try? await app.follow(match) }
        case .unfollow: await phone.app.unfollow(match.id)
        case .offline: await phone.gateway.setOffline(true)
        case .online:
            await phone.gateway.setOffline(false)
            await phone.app.connectionRestored()
        case .relaunch:
            await phone.killApp()
            await phone.kit.setForeground(true)
            await phone.app.start()
        case .dismiss: if let shown { await phone.kit.dismiss(shown.id) }
        case .lag:
            if let shown { await phone.kit.lagList(of: shown.id, seconds: Int.random(in: 1...30, using: &random)) }
        case .silence: await phone.kit.setSilentTokenStreams(Bool.random(using: &random))
        case .rotate: if let shown { await phone.kit.rotateToken(of: shown.id) }
        case .switchOff: await phone.kit.setShowsActivities(false)
        case .switchOn: await phone.kit.setShowsActivities(true)
        case .front:
            await phone.kit.setForeground(true)
            await phone.app.enterForeground()
        case .back:
            await phone.app.enterBackground()
            await phone.kit.setForeground(false)
        case .push:
            // The backend starts an activity for a followed match.
            if await phone.gateway.follows[Sample.user, default: []].contains(match.id), match.status == .live {
                _ = try? await phone.pushStart(match.id, start: "s-\(phone.nextStamp())")
            }
        case .wait: phone.clock.advance(by: .milliseconds(Int.random(in: 1...20_000, using: &random)))
        case .trouble:
            await phone.gateway.trouble(
                ["/follow", "/unfollow", "/activity-token", "/devices"].randomElement(using: &random) ?? "",
                [.answerLost, .transport(.timeout), .refusal(503, "unavailable", retryAfter: 2)].randomElement(
                    using: &random) ?? .answerLost)
        }
    }

    private func agree(_ phone: Phone) async -> Bool {
        let followed = await phone.managers.follows.followedMatchIds()
        guard Set(await phone.gateway.follows[Sample.user, default: []]) == followed,
            await phone.managers.follows.pendingUnfollows().isEmpty
        else { return false }
        for match in Self.matches { if await phone.app.followButton(for: match.id).isPending { return false } }
        let running = await phone.shown().filter(\.isRunning)
        let known = await phone.managers.lifecycle.activities().filter(\.isRunning).map(\.id)
        guard Set(running.map(\.id)) == Set(known), running.allSatisfy({ followed.contains($0.matchID) }) else {
            return false
        }
        // The backend has the token of each match's newest activity.
        let sent = await phone.gateway.calls.filter { $0.status == 200 && $0.path.hasSuffix("/activity-token") }
            .compactMap { $0.body?["activityToken"]?.text }
        return running.allSatisfy { activity in activity.token.map { sent.contains($0.rawValue) } ?? false }
    }
}
