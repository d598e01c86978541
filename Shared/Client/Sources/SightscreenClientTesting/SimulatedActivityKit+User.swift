import SightscreenClient
public import SightscreenModels

/// The user's actions, and the system's own.
extension SimulatedActivityKit {
    /// Removes an activity from the Lock Screen, as the user does.
    public func dismiss(_ id: ActivityID) async {
        board.remove(id)
        await publish()
    }

    /// Sets the switch for Live Activities in Settings. Switching it off removes all activities.
    public func setShowsActivities(_ allowed: Bool) async {
        guard board.showsActivities != allowed else { return }
        board.showsActivities = allowed
        if !allowed { board.removeAll() }
        deliver { $0.enablement.send(allowed) }
        await publish()
    }

    /// Sets the switch for more frequent updates in Settings.
    public func setFrequentPushes(_ allowed: Bool) {
        guard board.takesFrequentPushes != allowed else { return }
        board.takesFrequentPushes = allowed
        deliver { $0.frequentPushes.send(allowed) }
    }

    /// Brings the app to the foreground, or takes it away from there.
    public func setForeground(_ inFront: Bool) {
        if inFront { isForceQuit = false }
        moveApp(inFront: inFront)
    }

    /// Ends the app's process and its streams. Activities stay.
    public func killApp(forceQuit: Bool = false) {
        isForceQuit = forceQuit
        endProcess()
    }

    /// Deletes the app and installs it again: all activities are removed, and all tokens are new.
    public func reinstall() async {
        board.removeAll()
        notifications = []
        _ = offline.take()
        disconnectApp()
        await publish()
        await newAppTokens()
    }

    /// Restarts the phone: all activities are removed, and the app is not told. The app runs again when it is opened, or
    /// woken by a push, also after a force quit: "the user must relaunch your app or restart the device",
    /// https://developer.apple.com/documentation/uikit/uiapplicationdelegate/application(_:didreceiveremotenotification:fetchcompletionhandler:)
    /// That no activity outlives a restart is observed.
    public func restart() async {
        // A restart takes longer than a second: it is later than anything that the phone has sent.
        bootedAt = clock.now + 1
        isForceQuit = false
        endProcess()
        board.removeAll()
        await publish()
    }

    /// Ends an activity as the system does for lack of room.
    public func systemEnds(_ id: ActivityID) async {
        board.systemEnds(id, now: clock.now)
        await publish()
    }

    /// Lets the system's list lack an activity that is there, for this many seconds. A process that was given it can
    /// still use it.
    public func lagList(of id: ActivityID, seconds: Int) { unlisted[id] = clock.now + seconds }

    /// Gives an activity another update token. The old one is dead.
    public func rotateToken(of id: ActivityID) async { await issueToken(id) }

    /// Repeats the push-to-start token, as the system does now and then.
    public func repeatStartToken() { sendStartToken() }

    /// Repeats an activity's update token, as the system may.
    public func repeatToken(of id: ActivityID) {
        guard let token = board[id]?.token, !hasSilentTokenStreams, let tokens = streams[id]?.tokens else { return }
        deliver { _ in tokens.send(token) }
    }

    /// Reports an activity to the app once more.
    public func repeatAppearance(of id: ActivityID) {
        guard let activity = board[id]?.activity else { return }
        if appearances.readerCount > 0 { given[id] = activity }
        deliver { $0.appearances.send(activity) }
    }

    /// Lets no activity get an update token any more, or gives those that lack one their token. Observed
    /// on phones.
    public func setWithholdsTokens(_ withholds: Bool) async {
        withholdsTokens = withholds
        guard !withholds else { return }
        for activity in board.activities where activity.token == nil && activity.isRunning {
            await issueToken(activity.id)
        }
    }

    /// Silences the streams of tokens, or lets them speak again: only the properties have the tokens meanwhile.
    public func setSilentTokenStreams(_ silent: Bool) {
        hasSilentTokenStreams = silent
        guard !silent else { return }
        // They go on with the tokens of now, not with those of before.
        if !startToken.rawValue.isEmpty, startTokens.latest != startToken { sendStartToken() }
        for (id, streams) in streams {
            guard let token = board[id]?.token, streams.tokens.latest != token else { continue }
            deliver { _ in streams.tokens.send(token) }
        }
    }

    /// Silences the streams of contents, as for an app that sleeps, or lets them speak again.
    public func setSilentContentStreams(_ silent: Bool) { hasSilentContentStreams = silent }

    /// Gives the app new tokens.
    public func rotateAppTokens() async { await newAppTokens() }
}
