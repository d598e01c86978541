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
        enablement.send(allowed)
        await publish()
    }

    /// Sets the switch for more frequent updates in Settings.
    public func setFrequentPushes(_ allowed: Bool) {
        guard board.takesFrequentPushes != allowed else { return }
        board.takesFrequentPushes = allowed
        frequentPushes.send(allowed)
    }

    public func setForeground(_ inFront: Bool) {
        isInForeground = inFront
        if inFront { isForceQuit = false }
    }

    /// Ends the app's process and its streams. Activities stay.
    public func killApp(forceQuit: Bool = false) {
        isForceQuit = forceQuit
        isInForeground = false
        disconnectApp()
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

    /// Restarts the phone: all activities are removed, and the app is not told.
    public func restart() async {
        disconnectApp()
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
        if let token = board[id]?.token, !hasSilentTokenStreams { streams[id]?.tokens.send(token) }
    }

    /// Reports an activity to the app once more.
    public func repeatAppearance(of id: ActivityID) {
        guard let activity = board[id]?.activity else { return }
        if appearances.readerCount > 0 { given[id] = activity }
        appearances.send(activity)
    }

    /// Silences the streams of tokens, or lets them speak again: only the properties have the tokens meanwhile.
    public func setSilentTokenStreams(_ silent: Bool) { hasSilentTokenStreams = silent }

    /// Silences the streams of contents, as for an app that sleeps, or lets them speak again.
    public func setSilentContentStreams(_ silent: Bool) { hasSilentContentStreams = silent }

    /// Gives the app new tokens.
    public func rotateAppTokens() async { await newAppTokens() }
}
