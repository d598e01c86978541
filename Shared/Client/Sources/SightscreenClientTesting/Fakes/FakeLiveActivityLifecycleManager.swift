public import SightscreenClient
public import SightscreenModels

/// A `LiveActivityLifecycleManager` in memory, for previews and tests of code that uses one.
public actor FakeLiveActivityLifecycleManager: LiveActivityLifecycleManager {
    private var shown: [PhoneActivity] = []
    private var allowed: ActivityPermission
    private var refusal: ActivityRequestError?
    private var handler: @Sendable (LifecycleEvent) async -> Void = { _ in }
    private var made = 0
    private var scenes: Set<AppScene> = []

    public init(
        _ activities: [PhoneActivity] = [],
        permission: ActivityPermission = ActivityPermission(showsActivities: true, allowsFrequentPushes: true)
    ) {
        shown = activities
        allowed = permission
    }

    /// Sends an event to the handler.
    public func tell(_ event: LifecycleEvent) async {
        if case .permissionChanged(let permission) = event { allowed = permission }
        if case .adopted(let activity) = event { shown.append(activity) }
        await handler(event)
    }

    /// Sets the error that `create` throws from now on; nil for none.
    public func refuse(_ error: ActivityRequestError?) { refusal = error }

    public func start(_ handler: @escaping @Sendable (LifecycleEvent) async -> Void) async {
        self.handler = handler
        for activity in shown { await handler(.restored(activity)) }
    }

    @discardableResult
    public func create(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity {
        if let refusal { throw refusal }
        made += 1
        let activity = PhoneActivity(
            id: ActivityID("fake-\(made)"), attributes: attributes, content: content,
            state: schedule == nil ? .active : .pending)
        shown.append(activity)
        await handler(.created(activity))
        return activity
    }

    public func end(_ match: MatchID) async {
        for activity in shown where activity.matchID == match { await end(activity.id) }
    }

    public func end(_ activity: ActivityID) async {
        guard let index = shown.firstIndex(where: { $0.id == activity }) else { return }
        var ended = shown.remove(at: index)
        if ended.state == .pending { return await handler(.cancelled(ended)) }
        ended.state = .dismissed
        await handler(.ended(ended, .app))
        await handler(.gone(ended))
    }

    public func endAll() async { for activity in shown { await end(activity.id) } }

    public func endStaleActivities() {}

    public func lookAtList() {}

    public var isInForeground: Bool { !scenes.isEmpty }

    public func enterForeground(_ scene: AppScene) { scenes.insert(scene) }

    public func enterBackground(_ scene: AppScene) { scenes.remove(scene) }

    public func activities() -> [PhoneActivity] { shown }

    public func permission() -> ActivityPermission { allowed }

    public func stop() {}
}
