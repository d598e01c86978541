public import SightscreenClient

/// The time for which an app off the foreground goes on.
struct BackgroundTime {
    /// Whether the app has a process.
    var hasProcess = true
    /// The end of the time that the system gives by itself, in seconds since 1970.
    var awakeUntil = 0
    /// The end of the time to which background tasks can prolong it.
    var tasksUntil = 0
    /// The expirations of the running background tasks.
    var tasks: [BackgroundTaskID: @Sendable () -> Void] = [:]
    var lastTask = 0
    /// Ends the background tasks in time.
    var expiry: Task<Void, Never>?
    /// The times that the app was woken from suspension.
    var wakes = 0
}

/// An app off the foreground: it runs for a while, and is suspended then.
///
/// A suspended app gets no results from the phone, and hears nothing. At its next wake it hears what it has missed, in
/// order; a slow reader hears only the newest.
/// See https://developer.apple.com/documentation/uikit/managing-your-app-s-life-cycle
extension SimulatedActivityKit: BackgroundTimePort {
    /// Lets the phone suspend the app whenever it is off the foreground, or lets the app run on there.
    public func setSuspends(_ suspends: Bool) {
        if !suspends { tellHeldBack() }
        self.suspends = suspends
        wakeUps.send(())
    }

    public var isSuspended: Bool {
        guard suspends, background.hasProcess, !isInForeground else { return false }
        let now = clock.now
        return now >= background.awakeUntil && (background.tasks.isEmpty || now >= background.tasksUntil)
    }

    /// The number of background tasks that run.
    public var backgroundTaskCount: Int { background.tasks.count }

    /// Takes the app's answer to a silent push, after which the system suspends it.
    public func answered() { background.awakeUntil = min(background.awakeUntil, clock.now) }

    public func begin(_ name: String, expired: @escaping @Sendable () -> Void) -> BackgroundTaskID? {
        guard !isSuspended else { return nil }
        background.lastTask += 1
        let task = BackgroundTaskID(background.lastTask)
        background.tasks[task] = expired
        return task
    }

    public func end(_ task: BackgroundTaskID) { background.tasks[task] = nil }

    // MARK: -

    /// Ends the app's process and its streams.
    func endProcess() {
        isInForeground = false
        background.hasProcess = false
        disconnectApp()
    }

    func moveApp(inFront: Bool) {
        guard inFront != isInForeground else { return }
        if inFront {
            let slept = isSuspended
            isInForeground = true
            background.hasProcess = true
            background.expiry?.cancel()
            resume(slept)
        } else {
            isInForeground = false
            letRun(seconds: limits.leavingSeconds)
        }
    }

    /// Lets the app run in the background for a while, because a push came for it.
    func wakeApp() {
        guard !isInForeground else { return }
        let slept = isSuspended
        background.hasProcess = true
        letRun(seconds: limits.wakeSeconds)
        resume(slept)
    }

    private func letRun(seconds: Int) {
        background.awakeUntil = clock.now + seconds
        background.tasksUntil = clock.now + limits.backgroundSeconds
        background.expiry?.cancel()
        guard suspends else { return }
        background.expiry = Task { [clock, weak self, due = background.tasksUntil] in
            guard (try? await clock.sleep(until: due)) != nil else { return }
            await self?.expireTasks()
        }
    }

    private func expireTasks() {
        let expired = background.tasks
        background.tasks = [:]
        for (_, told) in expired.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { told() }
    }

    private func resume(_ slept: Bool) {
        if slept { background.wakes += 1 }
        tellHeldBack()
        wakeUps.send(())
    }

    /// Tells the app something now, or when it next runs.
    func deliver(_ news: @escaping (isolated SimulatedActivityKit) -> Void) {
        if isSuspended { heldBack.append(news) } else { news(self) }
    }

    func tellHeldBack() {
        let news = heldBack
        heldBack = []
        for one in news { one(self) }
    }

    /// Returns when the app runs, or its process has ended.
    func whenAwake() async {
        guard isSuspended else { return }
        for await _ in wakeUps.values() where !isSuspended { return }
    }
}
