public import APNsProtocol
import Messages
public import Sightscreen

/// Holds every activity of the phone in one map, with the tasks that observe it: a task that nobody keeps stops
/// observing without a word.
public actor RealLiveActivityLifecycleManager: LiveActivityLifecycleManager {
    /// How often a running app looks for stale activities.
    public static let staleCheckInterval = Duration.seconds(60)

    private struct Dismissal: Sendable {
        var match: MatchID
        var report: ActivityDismissedRequest
    }

    private let activityKit: any ActivityKitPort
    private let api: SightscreenAPI
    private let device: DeviceID
    private let clock: any ClientClock
    private let jitter: @Sendable () -> Double
    private var handler: @Sendable (LifecycleEvent) async -> Void = { _ in }
    private var map = ActivityMap()
    private var observers: [ActivityID: [Task<Void, Never>]] = [:]
    private var systemObservers: [Task<Void, Never>] = []
    private var staleChecks: Task<Void, Never>?
    private var outbox: Outbox<ActivityID, Dismissal>?

    /// - Parameter device: `identifierForVendor`.
    public init(
        activityKit: any ActivityKitPort, api: SightscreenAPI, device: DeviceID, clock: any ClientClock,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.activityKit = activityKit
        self.api = api
        self.device = device
        self.clock = clock
        self.jitter = jitter
    }

    public func start(_ handler: @escaping @Sendable (LifecycleEvent) async -> Void) async {
        guard outbox == nil else { return }
        self.handler = handler
        outbox = Outbox(clock: clock, jitter: jitter) { [weak self] activity, dismissal in
            await self?.deliver(dismissal) ?? .taken
        }
        // First listen, then look: what starts in between is seen twice and taken once.
        let updates = await activityKit.activityUpdates()
        for activity in await activityKit.activities() { await take(activity) { .restored($0) } }
        await endStaleActivities()
        guard outbox != nil else { return }
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

    public func create(
        _ attributes: LiveActivityAttributes, _ content: ShownContent
    ) async throws(ActivityRequestError) -> PhoneActivity {
        let activity = try await activityKit.request(attributes, content)
        await take(activity) { .created($0) }
        return activity
    }

    /// Claims an activity that appeared. The system tells of the app's own ones, too, and may tell twice.
    func adoptPushStartedActivity(_ activity: PhoneActivity) async {
        await take(activity) { $0.startID == nil ? .created($0) : .adopted($0) }
    }

    private func take(_ activity: PhoneActivity, _ event: (PhoneActivity) -> LifecycleEvent) async {
        guard outbox != nil, activity.state != .dismissed, map.insert(activity, now: clock.now) else { return }
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

    // MARK: - What happens to them

    private func shows(_ content: ShownContent, _ id: ActivityID) async {
        if let activity = map.show(content, on: id, now: clock.now) { await handler(.changed(activity)) }
    }

    private func becomes(_ state: PhoneActivityState, _ id: ActivityID) async {
        guard let before = map.set(state, of: id) else { return }
        // An end brings its content, which comes by another stream: what is concluded from the end should know it.
        if state == .ended, let now = await activityKit.activities().first(where: { $0.id == id }) {
            await shows(now.content, id)
        }
        guard let entry = map[id] else { return }
        switch state {
        case .active, .stale: await handler(.changed(entry.activity))
        case .ended: await handler(.ended(entry.activity, cause(of: entry)))
        case .dismissed: await leftTheScreen(entry, before: before)
        }
    }

    private func cause(of entry: ActivityMap.Entry) -> EndCause {
        entry.endedByApp ?? .outside(age: clock.now - entry.seenAt)
    }

    private func leftTheScreen(_ entry: ActivityMap.Entry, before: PhoneActivityState) async {
        let id = entry.activity.id
        let rule = DismissalRule(
            endedByApp: entry.endedByApp != nil, hadEnded: !before.isRunning, age: clock.now - entry.seenAt,
            showsActivities: await activityKit.areActivitiesEnabled())
        guard map.remove(id) != nil else { return }
        let ending = observers.removeValue(forKey: id) ?? []
        if before.isRunning { await handler(.ended(entry.activity, rule.isByUser ? .user : cause(of: entry))) }
        if rule.isByUser {
            let report = ActivityDismissedRequest(deviceId: device, activityId: id)
            await outbox?.put(Dismissal(match: entry.activity.matchID, report: report), in: id)
        }
        await handler(.gone(entry.activity))
        // Last, for one of them is what runs here.
        for observer in ending { observer.cancel() }
    }

    private func deliver(_ dismissal: Dismissal) async -> Outbox<ActivityID, Dismissal>.Outcome {
        do {
            let answer = try await api.reportDismissal(dismissal.report, match: dismissal.match)
            await handler(.dismissalReported(dismissal.match, isFollowing: answer.following))
        } catch  where error.passes {
            return .again(after: error.retryAfter)
        } catch {
            // The backend knows neither match nor phone: there is nothing to unfollow.
        }
        return .taken
    }

    // MARK: - Ends

    public func end(_ match: MatchID) async { for activity in map[match] { await end(activity.id) } }

    public func end(_ activity: ActivityID) async { await end(activity, because: .app) }

    public func endAll() async { for activity in map.activities { await end(activity.id) } }

    public func endStaleActivities() async {
        for id in map.staleActivities(now: clock.now) { await end(id, because: .stale) }
    }

    private func end(_ id: ActivityID, because cause: EndCause) async {
        // Noted before it is done: the system may tell of the end before it returns.
        guard map.end(id, because: cause) else { return }
        await activityKit.end(id, .immediate)
    }

    // MARK: - The app

    public func enterForeground() async {
        guard staleChecks == nil, outbox != nil else { return }
        staleChecks = Task { [clock, weak self] in
            while (try? await clock.sleep(for: Self.staleCheckInterval)) != nil { await self?.endStaleActivities() }
        }
        await endStaleActivities()
    }

    public func enterBackground() {
        staleChecks?.cancel()
        staleChecks = nil
    }

    public func activities() -> [PhoneActivity] { map.activities }

    public func permission() async -> ActivityPermission {
        ActivityPermission(
            showsActivities: await activityKit.areActivitiesEnabled(),
            allowsFrequentPushes: await activityKit.frequentPushesEnabled())
    }

    private func permissionChanged() async { await handler(.permissionChanged(await permission())) }

    public func retryNow() async { await outbox?.hurry() }

    public func stop() async {
        let ending = observers.values.flatMap(\.self) + systemObservers + [staleChecks].compactMap { $0 }
        observers = [:]
        systemObservers = []
        staleChecks = nil
        let stopped = outbox
        outbox = nil
        for task in ending { task.cancel() }
        await stopped?.stop()
        for task in ending { await task.value }
        map = ActivityMap()
    }
}
