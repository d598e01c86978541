import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
/// Actions of the phone's user.
extension SimulatedIPhone {
    func perform(_ action: LabAction) async throws {
        switch action.action {
        case .follow: await follow(try match(action), action.alerts)
        case .unfollow: await unfollow(try match(action))
        case .dismiss: try await dismiss(action.matchId)
        case .offline: await goOffline()
        case .online: await goOnline()
        case .openApp: await openApp()
        case .killApp:
            guard app != nil else { throw LabRefusal("the app is not running") }
            note(.user, "Swipes the app away")
            await endApp()
        case .grantPermission, .denyPermission: await permit(action.action == .grantPermission)
        case .grantFrequentPushes, .denyFrequentPushes:
            allowsFrequentPushes = action.action == .grantFrequentPushes
            note(.user, "\(allowsFrequentPushes ? "Allows" : "Forbids") more frequent updates")
            await kit.setFrequentPushes(allowsFrequentPushes)
        case .leaveApp:
            guard isInFront else { throw LabRefusal("the app is not in the foreground") }
            note(.user, "Leaves the app")
            await leaveApp()
        case .restart:
            note(.user, "Restarts the phone")
            await restart()
        case .lagList:
            guard let activity = shown(of: action.matchId) else {
                throw LabRefusal("there is no such Live Activity on it")
            }
            note(.system, "The list lacks the activity")
            await kit.lagList(of: activity, seconds: 2)
        case .silenceTokens:
            note(.system, "The streams of tokens fall silent")
            await kit.setSilentTokenStreams(true)
        case .losePublish:
            note(.system, "The next publish is lost")
            await kit.missBroadcasts(1)
        case .reinstall: reinstall()
        case .switchUser: try await switchUser(to: action.user)
        }
        changed()
    }

    private func match(_ action: LabAction) throws -> MatchID {
        guard let match = action.matchId else { throw LabRefusal("there is no match to \(action.action.rawValue)") }
        return match
    }

    // MARK: - The follow button

    private func follow(_ match: MatchID, _ alerts: AlertLevel?) async {
        note(.user, "\(alerts?.wish ?? "Taps the follow button")\(ofMatch(match))")
        await tapFollowButton(of: match) { phone in await phone.followNow(match, alerts) }
    }

    /// Opens the app where it is not open, and puts it away again once the last tapped follow button is handled: an app
    /// in the background may not request an activity.
    private func tapFollowButton(
        of match: MatchID, _ work: @escaping @Sendable (SimulatedIPhone) async -> Void
    ) async {
        followsInFlight += 1
        if !isInFront { isOpenForFollow = true }
        await launch(inFront: true)
        show(match)
        enqueue { phone in
            // An app that was swiped away meanwhile stays closed; one that a push has launched since is in the
            // background.
            await phone.openForFollow()
            await work(phone)
            await phone.finishFollow()
        }
    }

    private func followNow(_ match: MatchID, _ alerts: AlertLevel?) async {
        guard let app else { return }
        // The app has to run before its follow button exists.
        await app.bootstrap.start()
        if await app.obstacle != nil { return await noteObstacle(of: app) }
        do throws(APIError) {
            try await app.service.follow(try await shared.matches.item(match), teamID: nil, alerts: alerts)
            if let alerts { alertLevels[match] = alerts }
        } catch {
            guard error != .superseded else { return }
            note(.app, "The follow\(ofMatch(match)) failed: \(error.words)")
        }
    }

    private func unfollow(_ match: MatchID) async {
        note(.user, "Taps the follow button\(ofMatch(match)) again")
        alertLevels[match] = nil
        await tapFollowButton(of: match) { phone in
            await phone.app?.bootstrap.start()
            await phone.app?.service.unfollow(match)
        }
    }

    private func dismiss(_ match: MatchID?) async throws {
        guard let activity = shown(of: match) else { throw LabRefusal("there is no such Live Activity on it") }
        note(.user, "Swipes the activity away")
        if let match { alertLevels[match] = nil }
        await kit.dismiss(activity)
    }

    // MARK: - The network

    private func goOffline() async {
        guard isOnline else { return }
        isOnline = false
        note(.user, "Flight mode")
        app?.network.setOnline(false)
        _ = await kit.setOnline(false)
    }

    private func goOnline() async {
        guard !isOnline else { return }
        isOnline = true
        onlineSinceMs = Shared.nowMs
        note(.user, "Online again")
        app?.network.setOnline(true)
        for outcome in await kit.setOnline(true) { await took(outcome) }
        enqueue { phone in
            await phone.app?.service.connectionRestored()
            await phone.app?.bootstrap.retry()
        }
    }

    // MARK: - The app

    private func openApp() async {
        note(.user, "Opens the app")
        let tapped = untapped
        untapped = nil
        isOpenForFollow = false
        await launch(inFront: true)
        if let tapped { enqueue { phone in await phone.app?.service.receive(tapped) } }
    }

    private func permit(_ allowed: Bool) async {
        allowsActivities = allowed
        note(.user, "\(allowed ? "Allows" : "Forbids") Live Activities")
        await kit.setShowsActivities(allowed)
    }

    private func reinstall() {
        note(.user, "Deletes the app and installs it again")
        // What the app does ends with it. One that sleeps would do it at its next wake.
        forgetOperations()
        enqueue { phone in await phone.installAnew() }
    }

    private func switchUser(to name: String?) async throws {
        let name = name ?? owner.guest(after: user)
        guard PhoneOwner.isName(name) else {
            throw LabRefusal("a user's name has letters, digits and hyphens, 64 at most")
        }
        note(.user, "Signs out, and in as \(name)")
        user = name
        isOpenForFollow = false
        await launch(inFront: true)
        // The sign-in waits for the operations of the user before.
        enqueue { phone in await phone.signIn(name) }
    }

    private func signIn(_ name: String) async {
        guard let app else { return }
        followButtons = [:]
        alertLevels = [:]
        do throws(AuthError) { try await app.signIn(name) } catch { note(.app, "Cannot sign in: \(error)") }
    }
}

extension AlertLevel {
    /// The sentence for a person who reads the phone's log.
    fileprivate var wish: String {
        switch self {
        case .all: "Wants all alerts"
        case .key: "Wants alerts of key moments only"
        case .none: "Wants no alerts"
        case .other: "Wants alerts of an unknown level"
        }
    }
}

extension APIError {
    /// The sentence for a person who reads the phone's log.
    var words: String {
        switch self {
        case .transport(.offline): "no network"
        case .transport(.timeout): "no answer"
        case .transport(.cancelled): "the app was closed"
        case .transport(.broken(let reason)): reason
        case .signedOut: "nobody is signed in"
        case .refused(let status, let document, _): document?.detail ?? "refused with \(status)"
        case .unreadable: "an answer that is not understood"
        case .superseded: "another tap came after it"
        }
    }
}
