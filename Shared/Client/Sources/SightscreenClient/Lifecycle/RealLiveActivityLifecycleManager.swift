public import SightscreenModels

/// Keeps every activity of the phone in one map, with the tasks that observe it. A task that is not kept stops
/// observing without notice.
public actor RealLiveActivityLifecycleManager: LiveActivityLifecycleManager {
    /// The interval at which a running app checks for stale activities.
    public static let staleCheckInterval = Duration.seconds(60)
    /// The time for which the system's list must lack an activity that the list may only have missed for a moment.
    public static let absenceLimit = Duration.seconds(3)
    /// The time that the system may take to report an activity that has left the screen.
    private static let lastWordsLimit = Duration.seconds(1)

    private let activityKit: any ActivityKitPort
    private let clock: any ClientClock
    private var handler: @Sendable (LifecycleEvent) async -> Void = { _ in }
    private var map = ActivityMap()
    private var observers: [ActivityID: [Task<Void, Never>]] = [:]
    private var systemObservers: [Task<Void, Never>] = []
    /// The scenes in the foreground. A restart of the manager leaves them there.
    private var scenes: Set<AppScene> = []
    private var staleChecks: Task<Void, Never>?
    private var nextLook: Task<Void, Never>?
    /// The requests under way. The list may have their activities before the app is given them.
    private var requests = 0
    private var isStarted = false

    public init(activityKit: any ActivityKitPort, clock: any ClientClock) {
        self.activityKit = activityKit
        self.clock = clock
    }

    public func start(_ handler: @escaping @Sendable (LifecycleEvent) async -> Void) async {
        guard !isStarted else { return }
        isStarted = true
        self.handler = handler
        // The app subscribes before it lists: an activity that starts in between is seen twice and taken once.
        let updates = await activityKit.activityUpdates()
        for activity in await activityKit.activities() { await take(activity) { .restored($0) } }
        await checkForStaleActivities()
        guard isStarted else { return }
        systemObservers = [
            Task { [weak self] in
                for await activity in updates { await self?.adoptPushStartedActivity(activity) }
            },
            Task { [activityKit, weak self] in
                for await _ in await activityKit.activityEnablementUpdates() { await self?.permissionChanged() }
            },
            Task { [activityKit, weak self] in
                for await _ in await activityKit.frequentPushEnablementUpdates() { await self?.permissionChanged() }
            },
        ]
    }

    // MARK: - Beginnings

    @discardableResult
    public func create(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity {
        let activity: PhoneActivity
        do throws(ActivityRequestError) { activity = try await request(attributes, content, schedule) } catch {
            var attributes = attributes
            switch error {
            case .tooLarge where attributes.homeLogo != nil || attributes.awayLogo != nil:
                (attributes.homeLogo, attributes.awayLogo) = (nil, nil)
            // The system has no error of its own for an id that is no channel.
            case .other where attributes.channelId != nil && schedule == nil: attributes.channelId = nil
            default: throw error
            }
            activity = try await request(attributes, content, schedule)
        }
        await take(activity) { .created($0) }
        return activity
    }

    private func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, _ schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity {
        requests += 1
        defer { requests -= 1 }
        return try await activityKit.request(
            attributes, content, pushType: ActivityPushType(attributes), schedule: schedule)
    }

    /// Adopts an activity that appeared. The system reports the app's own activities, too, and may report one twice.
    func adoptPushStartedActivity(_ activity: PhoneActivity) async {
        await take(activity) { $0.startID == nil ? .created($0) : .adopted($0) }
    }

    private func take(_ activity: PhoneActivity, _ event: (PhoneActivity) -> LifecycleEvent) async {
        guard isStarted, activity.state != .dismissed, map.insert(activity, now: clock.now) else { return }
        let id = activity.id
        observers[id] = [
            Task { [activityKit, weak self] in
                for await content in await activityKit.contentUpdates(of: id) { await self?.shows(content, id) }
            },
            Task { [activityKit, weak self] in
                for await state in await activityKit.activityStateUpdates(of: id) { await self?.becomes(state, id) }
            },
        ]
        await handler(event(activity))
    }

    // MARK: - Changes

    private func shows(_ content: ShownContent, _ id: ActivityID) async {
        if let activity = map.show(content, on: id, now: clock.now) { await handler(.changed(activity)) }
    }

    private func becomes(_ state: PhoneActivityState, _ id: ActivityID) async {
        guard let before = map.set(state, of: id, now: clock.now) else { return }
        if before == .pending, !state.isRunning { return await cancelled(id) }
        // An end has content of its own, which comes by another stream. The handler needs it with the end.
        if state == .ended, let now = await activityKit.activity(id) {
            await shows(now.content, id)
        }
        guard let entry = map[id] else { return }
        switch state {
        case .active, .stale:
            await handler(before == .pending ? .created(entry.activity) : .changed(entry.activity))
        case .pending: break
        case .ended: await handler(.ended(entry.activity, cause(of: entry)))
        case .dismissed: await removedFromScreen(entry, before: before)
        }
    }

    private func cause(of entry: ActivityMap.Entry) -> EndCause {
        entry.endedByApp ?? .outside(age: clock.now - entry.seenAt)
    }

    private func removedFromScreen(_ entry: ActivityMap.Entry, before: PhoneActivityState) async {
        let id = entry.activity.id
        let rule = DismissalRule(
            endedByApp: entry.endedByApp != nil, hadEnded: !before.isRunning, age: clock.now - entry.seenAt,
            showsActivities: await activityKit.areActivitiesEnabled())
        guard map.remove(id) != nil else { return }
        if before.isRunning { await handler(.ended(entry.activity, rule.isByUser ? .user : cause(of: entry))) }
        await handler(.gone(entry.activity))
        stopObserving(id)
    }

    private func cancelled(_ id: ActivityID) async {
        guard let entry = map.remove(id) else { return }
        await handler(.cancelled(entry.activity))
        stopObserving(id)
    }

    /// Cancels the observers of an activity. They are cancelled last, because one of them runs the code that calls
    /// this, and `endAll` waits for it.
    private func stopObserving(_ id: ActivityID) {
        for observer in observers.removeValue(forKey: id) ?? [] { observer.cancel() }
    }

    // MARK: - Ends

    public func end(_ match: MatchID) async { for activity in map[match] { await end(activity.id) } }

    public func end(_ activity: ActivityID) async { await end(activity, because: .app) }

    public func endAll() async {
        // These observers belong to activities that have left the map and are still being reported.
        var gone = observers.filter { map[$0.key] == nil }.flatMap { $0.value.suffix(1) }
        for activity in map.activities {
            if await !isOnThePhone(activity.id) { gone += observers[activity.id]?.suffix(1) ?? [] }
            await end(activity.id)
        }
        // An activity that the user has just removed counts as a dismissal, too.
        guard !gone.isEmpty else { return }
        _ = await finished(within: Self.lastWordsLimit, clock) { [gone] in for observer in gone { await observer.value }
        }
    }

    public func endStaleActivities() async {
        for id in map.staleActivities(now: clock.now) {
            // An app that slept may not have been told yet what the activity shows.
            if let content = await activityKit.activity(id)?.content { await shows(content, id) }
            if map.staleActivities(now: clock.now).contains(id) { await end(id, because: .stale) }
        }
    }

    /// The activity itself is asked, because the list may lack it for a moment.
    private func isOnThePhone(_ id: ActivityID) async -> Bool {
        await activityKit.activity(id).map { $0.state != .dismissed } ?? false
    }

    private func end(_ id: ActivityID, because cause: EndCause) async {
        guard map[id] != nil else { return }
        // The user removed the activity first, and the system is about to report it. That stays a dismissal.
        guard await isOnThePhone(id) else { return }
        // The cause is recorded first, because the system may report the end before the call returns.
        guard map.end(id, because: cause) else { return }
        await activityKit.end(id, .immediate)
    }

    // MARK: - The system's list

    public func lookAtList() async {
        guard isStarted else { return }
        let listed = await activityKit.activities()
        for activity in listed where requests == 0 || activity.startID != nil { await take(activity) { .restored($0) } }
        map.compare(with: listed.map(\.id), now: clock.now)
        let limit = Int(Self.absenceLimit.components.seconds)
        for entry in map.missing where clock.now - (entry.missingSince ?? clock.now) >= limit { await missed(entry) }
        guard isStarted, nextLook == nil, !map.missing.isEmpty else { return }
        nextLook = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: Self.absenceLimit)) != nil else { return }
            await self?.lookAgain()
        }
    }

    private func lookAgain() async {
        nextLook = nil
        await lookAtList()
    }

    /// Handles an activity that the list has lacked twice. What the activity says itself counts more.
    private func missed(_ entry: ActivityMap.Entry) async {
        let id = entry.activity.id
        if let state = await activityKit.activity(id)?.state, !state.isRunning, state != entry.activity.state {
            return await becomes(state, id)
        }
        guard map.remove(id) != nil else { return }
        await handler(.absent(entry.activity))
        stopObserving(id)
    }

    // MARK: - The app

    public func enterForeground(_ scene: AppScene) async {
        scenes.insert(scene)
        await lookAtList()
        await checkForStaleActivities()
    }

    public func enterBackground(_ scene: AppScene) {
        scenes.remove(scene)
        guard scenes.isEmpty else { return }
        staleChecks?.cancel()
        staleChecks = nil
    }

    /// Ends the stale activities now, and every minute while the app is in the foreground.
    private func checkForStaleActivities() async {
        if isStarted, staleChecks == nil, !scenes.isEmpty {
            staleChecks = Task { [clock, weak self] in
                while (try? await clock.sleep(for: Self.staleCheckInterval)) != nil { await self?.endStaleActivities() }
            }
        }
        await endStaleActivities()
    }

    public func activities() -> [PhoneActivity] { map.activities }

    public func permission() async -> ActivityPermission {
        ActivityPermission(
            showsActivities: await activityKit.areActivitiesEnabled(),
            allowsFrequentPushes: await activityKit.frequentPushesEnabled())
    }

    private func permissionChanged() async { await handler(.permissionChanged(await permission())) }

    public func stop() async {
        let ending = observers.values.flatMap(\.self) + systemObservers + [staleChecks, nextLook].compactMap { $0 }
        observers = [:]
        systemObservers = []
        staleChecks = nil
        nextLook = nil
        isStarted = false
        for task in ending { task.cancel() }
        for task in ending { await task.value }
        map = ActivityMap()
    }
}
