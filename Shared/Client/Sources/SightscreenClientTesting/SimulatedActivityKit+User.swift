import SightscreenClient
public import SightscreenModels

/// The user's side, and the system's moods.
extension SimulatedActivityKit {
    /// The user swipes an activity off the Lock Screen.
    public func dismiss(_ id: ActivityID) async {
        board.remove(id)
        await publish()
    }

    /// The switch in Settings. Off takes away all that is shown.
    public func setShowsActivities(_ allowed: Bool) async {
        guard board.showsActivities != allowed else { return }
        board.showsActivities = allowed
        if !allowed { board.removeAll() }
        enablement.send(allowed)
        await publish()
    }

    /// "More frequent updates" in Settings.
    public func setFrequentPushes(_ allowed: Bool) {
        guard board.takesFrequentPushes != allowed else { return }
        board.takesFrequentPushes = allowed
        frequentPushes.send(allowed)
    }

    public func setForeground(_ inFront: Bool) {
        isInForeground = inFront
        if inFront { isForceQuit = false }
    }

    /// The app's process ends. What it listened to ends; activities stay.
    public func killApp(forceQuit: Bool = false) {
        isForceQuit = forceQuit
        isInForeground = false
        disconnectApp()
    }

    /// The app is deleted and installed again: no activity is left, and all tokens are new.
    public func reinstall() async {
        board.removeAll()
        notifications = []
        _ = offline.take()
        disconnectApp()
        await publish()
        await newAppTokens()
    }

    /// The phone restarts: activities are gone, and nobody tells the app.
    public func restart() async {
        disconnectApp()
        board.removeAll()
        await publish()
    }

    /// The system ends an activity for want of room.
    public func systemEnds(_ id: ActivityID) async {
        board.systemEnds(id, now: clock.now)
        await publish()
    }

    /// The system gives an activity another update token; the old one is dead.
    public func rotateToken(of id: ActivityID) async { await issueToken(id) }

    /// The system repeats the push-to-start token, as it does now and then.
    public func repeatStartToken() { startTokens.send(startToken) }

    /// The system repeats an activity's update token.
    public func repeatToken(of id: ActivityID) {
        if let token = board[id]?.token { streams[id]?.tokens.send(token) }
    }

    /// The system tells of an activity once more.
    public func repeatAppearance(of id: ActivityID) {
        if let activity = board[id]?.activity { appearances.send(activity) }
    }

    /// The system gives the app other tokens.
    public func rotateAppTokens() async { await newAppTokens() }
}
