public import SightscreenModels

/// The facade. The managers do not know each other: only this actor turns a report of one into calls of the others.
public actor RealLiveActivityService: LiveActivityService {
    /// The shortest time between two announcements that the app is open, in seconds.
    public static let announcementInterval = 60
    /// The most ended activities that are remembered.
    private static let endedMax = 4
    /// The time after a launch at which the app looks a second time for the activities of followed matches.
    public static let secondLookDelay = Duration.seconds(3)
    /// The longest time that a sign-out waits for pending operations.
    public static let lastOperationsLimit = Duration.seconds(3)
    /// The longest time before a silent push is answered. The system gives 30 s for it.
    ///
    /// See Apple's page on `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    public static let answerLimit = Duration.seconds(20)

    private let tokens: any LiveActivityTokenManager
    private let lifecycle: any LiveActivityLifecycleManager
    private let follows: any FollowManager
    private let api: SightscreenAPI
    private let session: any SessionPort
    private let clock: any ClientClock
    private let profile: DeviceProfile
    private let images: (any ImageCacheService)?
    private let shown = Broadcast<[PhoneActivity]>([])
    private var isStarted = false
    /// The start of the follow manager, which comes earlier than the rest when a launch waits for the follows.
    private var startingFollows: Task<Bool, Never>?
    /// Counts the stops: a start that began before one is given up.
    private var stops = 0
    /// The launch's look at the system's list, with a second one where the first lacked something. Until it is over
    /// the list is not reported, because the backend would take a missing activity for gone.
    private var looking: Task<Void, Never>?
    /// Whether the activities on screen belong to a user whose session ended without a sign-out.
    private var endsWhatIsThere = false
    /// Whether the backend knows this phone, or may know it.
    private var isRegistered = true
    private var deviceToken: DeviceToken?
    private var announcedAt = Int.min
    /// The activities that the app or the system has ended since the launch. Without them the backend would take them
    /// for removed by the user.
    private var ended: [RunningActivity] = []

    /// - Parameter images: loads the logos of followed matches, for a widget that draws them; nil to load none.
    public init(
        tokens: any LiveActivityTokenManager, lifecycle: any LiveActivityLifecycleManager, follows: any FollowManager,
        api: SightscreenAPI, session: any SessionPort, clock: any ClientClock, profile: DeviceProfile,
        images: (any ImageCacheService)? = nil
    ) {
        self.tokens = tokens
        self.lifecycle = lifecycle
        self.follows = follows
        self.api = api
        self.session = session
        self.clock = clock
        self.profile = profile
        self.images = images
    }

    // MARK: - Launch

    public func start() async {
        // The follows start first, because found activities are compared with them. It needs no network.
        let began = stops
        guard !isStarted, await startFollows(), !isStarted, stops == began else { return }
        isStarted = true
        isRegistered = true
        announcedAt = clock.now
        // Whatever reports this phone from now on waits for the look.
        let listening = Task { await listen() }
        let looking = Task { [clock, weak self] in
            if await listening.value {
                guard (try? await clock.sleep(for: Self.secondLookDelay)) != nil else { return }
                await self?.lifecycle.lookAtList()
            }
            if !Task.isCancelled { await self?.sawActivities() }
        }
        self.looking = looking
        if await !listening.value { await looking.value }
    }

    /// - Returns: whether the system's list needs a second look.
    private func listen() async -> Bool {
        await tokens.start { [weak self] event in await self?.handle(event) }
        await lifecycle.start { [weak self] event in await self?.handle(event) }
        return await maySeeMore()
    }

    /// Whether the system's list lacks an activity that may be there.
    private func maySeeMore() async -> Bool {
        guard await showsActivities else { return false }
        if endsWhatIsThere { return true }
        let seen = Set(await lifecycle.activities().map(\.matchID))
        return await !follows.followedMatchIds().isSubset(of: seen)
    }

    private func sawActivities() async {
        looking = nil
        endsWhatIsThere = false
        await register()
    }

    /// - Returns: false while no user is signed in, or the phone's id is not known.
    private func startFollows() async -> Bool {
        let began = stops
        while let starting = startingFollows {
            if await starting.value { return true }
            guard stops == began else { return false }
            // The user may have signed in since it looked.
            if startingFollows == starting { startingFollows = nil }
        }
        let task = Task { await self.startFollowsOnce() }
        startingFollows = task
        let isSignedIn = await task.value
        if !isSignedIn, startingFollows == task { startingFollows = nil }
        return isSignedIn
    }

    private func startFollowsOnce() async -> Bool {
        guard let user = await session.currentUserID(), await profile.device.id() != nil else { return false }
        if let kept = await follows.keptUser(), kept != user { endsWhatIsThere = true }
        await follows.start(user: user) { [weak self] changes in await self?.followsChanged(changes) }
        await follows.set(showsActivities: await lifecycle.permission().showsActivities)
        return true
    }

    public func stop() async {
        guard let starting = startingFollows else { return }
        stops += 1
        startingFollows = nil
        isStarted = false
        _ = await starting.value
        let look = looking
        looking = nil
        look?.cancel()
        await look?.value
        await lifecycle.stop()
        await tokens.stop()
        await follows.stop()
        shown.send([])
    }

    public func syncFollows() async throws(APIError) {
        guard await startFollows() else { throw .signedOut }
        try await follows.sync()
    }

    // MARK: - The follow button

    @discardableResult
    public func follow(
        _ match: MatchItem, teamID: String?, alerts: AlertLevel?
    ) async throws(APIError) -> FollowResponse {
        let announces = LocalStartRule.announces(
            match, showsActivities: await showsActivities, running: await running(match.id))
        loadLogos(of: [match.home, match.away])
        let request = FollowRequest(
            matchId: match.id, deviceId: await profile.device.id(), startsLocally: announces ? true : nil,
            teamId: teamID, alerts: alerts)
        var response: FollowResponse
        do throws(APIError) { response = try await follows.follow(request) } catch {
            ActivityLog.followFailed(match.id, error)
            throw error
        }
        if !profile.hasBroadcastChannels { response.channel = nil }
        let side: String? = if let teamID { teamID } else { await follows.followedSide(of: match.id) }
        if announces {
            await startLocally(match, side, after: response)
        } else if response.following, [.scheduled, .unavailable].contains(response.liveActivity) {
            // A scheduled activity needs no push.
            await schedule(match, side, on: response.channel, after: response)
        }
        return response
    }

    private func startLocally(_ match: MatchItem, _ teamID: String?, after response: FollowResponse) async {
        let running = await running(match.id)
        let content = LocalStartRule.content(
            after: response, match, announced: true, showsActivities: await showsActivities, running: running)
        // If the user unfollowed while the backend answered, the last tap counts.
        guard let content, await follows.followedMatchIds().contains(match.id) else { return }
        do throws(ActivityRequestError) {
            // The activity that it replaces ends when this one is there.
            try await lifecycle.create(
                .init(
                    match, followedTeamID: teamID ?? running?.attributes.followedTeamId,
                    channelID: response.channel?.id),
                ShownContent(
                    state: content, staleAt: StaleRule.staleDate(of: content, from: clock.now),
                    relevance: response.relevance), schedule: nil)
        } catch {
            ActivityLog.startRefused(match.id, error)
            if running == nil { await follows.set(.failed(.notStarted), for: match.id) }
        }
    }

    /// Schedules the activity of a match that is not in play, where it has a channel; anew where its start or its
    /// channel has changed. Where that fails, the backend starts an activity by push.
    ///
    /// - Parameter response: the answer to a follow, which is newer than the match; nil for none.
    private func schedule(
        _ match: MatchItem, _ teamID: String?, on channel: BroadcastChannel?, after response: FollowResponse?
    ) async {
        let cards = await lifecycle.activities().filter { $0.matchID == match.id }
        guard profile.schedulesActivities, await showsActivities, !cards.contains(where: \.isRunning),
            await follows.followedMatchIds().contains(match.id)
        else { return }
        let pending = cards.last { $0.state == .pending }
        switch ScheduleRule.step(match, on: channel, pending: pending, followedTeamID: teamID, now: clock.now) {
        case .keep: break
        case .cancel: if let pending { await lifecycle.end(pending.id) }
        case .schedule(let attributes, let schedule):
            let state = response?.displayState ?? match.displayState ?? ContentState(before: match)
            let content = ShownContent(
                state: state, staleAt: StaleRule.staleDate(of: state, from: schedule.start),
                relevance: response?.relevance ?? match.relevance)
            // The one that it replaces is cancelled when this one is there.
            do throws(ActivityRequestError) {
                try await lifecycle.create(attributes, content, schedule: schedule)
            } catch { ActivityLog.startRefused(match.id, error) }
        }
    }

    /// Looks up the matches of scheduled activities, whose start or channel may have changed.
    private func refreshSchedules() async {
        for card in await lifecycle.activities() where card.state == .pending {
            guard let match = try? await api.match(card.matchID) else { continue }
            switch match.status {
            case .live: _ = try? await follow(match, teamID: nil, alerts: nil)
            case .upcoming: await schedule(match, nil, on: match.channel, after: nil)
            case .completed: await lifecycle.end(card.id)
            case .other: break
            }
        }
    }

    /// Loads logos while the caller goes on. A widget that draws them can only read what the app has loaded.
    private func loadLogos(of sides: [MatchItem.Side]) {
        guard let images else { return }
        Task { await images.prefetch(sides) }
    }

    public func unfollow(_ match: MatchID) async {
        await follows.unfollow(match)
        await lifecycle.end(match)
    }

    public func followButton(for match: MatchID) async -> FollowButton { await follows.followButton(for: match) }

    public func followButtons() async -> AsyncStream<[MatchID: FollowButton]> { await follows.followButtons() }

    public func shownActivities() -> AsyncStream<[PhoneActivity]> { shown.values() }

    private var showsActivities: Bool { get async { await lifecycle.permission().showsActivities } }

    /// The match's newest activity that runs here; nil when there is none.
    private func running(_ match: MatchID) async -> PhoneActivity? {
        await lifecycle.activities().last { $0.matchID == match && $0.isRunning }
    }

    // MARK: - The app

    public func enterForeground(_ scene: AppScene) async {
        await lifecycle.enterForeground(scene)
        guard isStarted else { return }
        await retryNow()
        if clock.now - announcedAt >= Self.announcementInterval {
            // While the app was in the background, the backend may have given up a start.
            await announce()
            await follows.syncSoon()
        }
        await refreshSchedules()
    }

    public func enterBackground(_ scene: AppScene) async { await lifecycle.enterBackground(scene) }

    public func connectionRestored() async { await retryNow() }

    private func retryNow() async {
        await tokens.retryNow()
        await follows.retryNow()
    }

    public func receive(_ push: AppPush) async {
        guard push.kind == .silent else { return await handle(push) }
        // The system suspends the app after the answer, so the answer waits until everything is sent.
        _ = await finished(within: Self.answerLimit, clock) { [self] in
            await handle(push)
            await tokens.allSent()
            await follows.allSent()
        }
    }

    private func handle(_ push: AppPush) async {
        await start()
        guard isStarted else { return }
        if let nonce = push.nonce { await tokens.confirm(nonce) }
        await looking?.value
        await announce()
        // A notification from before the user removed the activity does not start it again.
        guard push.kind == .opened, let id = push.matchID, await follows.followedMatchIds().contains(id),
            await !follows.pendingDismissals().contains(id)
        else { return }
        // The follows tell the side that the user follows.
        _ = try? await follows.sync()
        // The app is in the foreground, so it can start the activity that no push could start.
        if let match = try? await api.match(id) { _ = try? await follow(match, teamID: nil, alerts: nil) }
    }

    public func deviceTokenChanged(_ token: DeviceToken) async {
        deviceToken = token
        await register()
    }

    public func unregisterPhone() async {
        // A registration under way would register the phone again.
        await tokens.stop()
        guard isRegistered, let device = await profile.device.id() else { return }
        isRegistered = false
        do throws(APIError) { try await api.unregisterDevice(device) } catch {
            AppLogger.warning("The backend was not told that it should push no more", error: error, category: .auth)
        }
    }

    public func signOut() async {
        await follows.noteCardsTakenOff()
        await lifecycle.endAll()
        await follows.sendPending(within: Self.lastOperationsLimit)
        await stop()
        // The follows go first, because dismissals have no meaning for the backend once the phone is unregistered.
        await follows.forgetUser()
        await unregisterPhone()
    }

    public func deleteAccount() async throws(APIError) {
        await start()
        // Afterwards no report of this phone would tell it to end an activity on a channel.
        await follows.noteCardsTakenOff()
        await lifecycle.endAll()
        try await api.deleteUser()
        isRegistered = false
        await stop()
        await follows.forgetUser()
    }

    // MARK: - This phone

    /// Tells the backend that the app is awake, so that it tries again the starts that it had given up.
    private func announce() async {
        announcedAt = clock.now
        if let report = await report() { await tokens.registerAgain(report) }
    }

    /// Reports this phone, if that says anything new.
    private func register() async {
        guard isStarted, looking == nil, let report = await report() else { return }
        await tokens.register(report)
    }

    private func report() async -> DeviceRegistration? {
        guard let device = await profile.device.id() else { return nil }
        return profile.registration(
            of: device, await lifecycle.permission(), await lifecycle.activities(), ended: ended,
            deviceToken: deviceToken, cardsTakenOffAt: await follows.cardsTakenOffAt(), now: clock.now)
    }

    // MARK: - The managers' reports

    private func followsChanged(_ changes: FollowChanges) async {
        // The match was unfollowed on another phone, and the backend's end push may have been lost.
        for match in changes.removed { await lifecycle.end(match) }
    }

    private func handle(_ event: LifecycleEvent) async {
        ActivityLog.note(event)
        switch event {
        case .restored(let activity), .created(let activity), .adopted(let activity): await began(activity, event)
        case .changed: break
        case .ended(let activity, let cause): await ended(activity, cause)
        case .gone(let activity): await tokens.forget(activity.id)
        case .absent(let activity): await isAbsent(activity)
        case .cancelled: await register()
        case .permissionChanged(let permission):
            await follows.set(showsActivities: permission.showsActivities)
            await register()
        }
        shown.send(await lifecycle.activities())
    }

    private func began(_ activity: PhoneActivity, _ event: LifecycleEvent) async {
        guard activity.isRunning || activity.state == .pending else { return }
        let isWanted: Bool
        let isRestored = if case .restored = event { true } else { false }
        if isRestored, endsWhatIsThere {
            isWanted = false
        } else if activity.state == .pending || event == .created(activity) {
            isWanted = await follows.followedMatchIds().contains(activity.matchID)
        } else {
            // Another phone of the user may follow the match. The next sync with the backend tells.
            isWanted = await follows.followedElsewhere(activity.matchID)
        }
        // If this phone has just unfollowed the match, the backend may not know it yet, and the activity ends.
        guard isWanted else {
            if case .adopted = event { ActivityLog.notAdopted(activity) }
            return await lifecycle.end(activity.id)
        }
        loadLogos(of: [activity.attributes.home, activity.attributes.away])
        // Of two that are found, only the backend knows the older one, and answers the report with it.
        if !isRestored {
            for older in await lifecycle.activities() where ReplacementRule.ends(older, after: activity) {
                await lifecycle.end(older.id)
            }
        }
        // A scheduled activity has nothing to observe, and must not be started by push meanwhile.
        guard activity.isRunning else { return await register() }
        await tokens.observe(activity)
        await follows.set(.running, for: activity.matchID)
    }

    private func ended(_ activity: PhoneActivity, _ cause: EndCause) async {
        // The switch may be on again by the time that the rest is done.
        let showsActivities = await showsActivities
        let others = await lifecycle.activities().filter { $0.matchID == activity.matchID && $0.id != activity.id }
        // The dismissal is recorded first, because the app may be ended at any moment.
        if cause == .user {
            await takenAway(activity, isOnlyOne: !others.contains(where: \.isRunning))
        }
        await tokens.forget(activity.id)
        note(activity, cause)
        let state = activity.content.state
        // Where the user allows no activities, the follow button warns of that.
        let health = showsActivities ? HealthRule.health(after: cause, state, others: others) : .idle
        await follows.set(health, for: activity.matchID)
        if HealthRule.asksTheBackend(cause, state) { await follows.syncSoon() }
    }

    /// Reports a phone without the activity. Only the backend can tell why it is gone.
    private func isAbsent(_ activity: PhoneActivity) async {
        await tokens.forget(activity.id)
        if await running(activity.matchID) == nil {
            await follows.set(.failed(.takenAway), for: activity.matchID)
        }
        // The last report may be from before the activity began. An equal one is sent, too.
        if isStarted, looking == nil { await announce() }
    }

    private func note(_ activity: PhoneActivity, _ cause: EndCause) {
        switch cause {
        case .app, .user: return
        case .stale, .outside:
            var over = RunningActivity(activity, seenAt: clock.now)
            over.state = .ended
            ended = (ended + [over]).suffix(Self.endedMax)
        }
    }

    private func takenAway(_ activity: PhoneActivity, isOnlyOne: Bool) async {
        let match = activity.matchID
        if isOnlyOne, activity.startID == nil, await tokens.lastSentToken(for: match) == nil,
            await !tokens.isReported(activity.id)
        {
            // The app started the activity and the backend does not know it, so a dismissal would mean nothing there.
            await follows.unfollow(match)
        } else {
            await follows.dismissed(activity.id, of: match, isOnlyOne: isOnlyOne)
        }
    }

    private func handle(_ event: TokenEvent) async {
        ActivityLog.note(event)
        switch event {
        case .registered(_, let match): await follows.set(.running, for: match)
        case .overtaken: break
        case .refused(let activity, _):
            // The backend would never update this activity.
            await lifecycle.end(activity)
            await follows.syncSoon()
        case .failed(_, let match, _): await follows.set(.failed(.tokenRefused), for: match)
        case .unwanted(let activity): await end(activity)
        case .gone(let match):
            if await running(match) == nil { await follows.set(.failed(.takenAway), for: match) }
        }
    }

    /// Ends an activity that the backend does not want on this phone.
    private func end(_ id: ActivityID) async {
        guard let activity = await lifecycle.activities().first(where: { $0.id == id }) else { return }
        // A tap that the backend has not confirmed yet counts more.
        let button = await follows.followButton(for: activity.matchID)
        guard !button.isPending || button.state == .empty else { return }
        await lifecycle.end(id)
        await follows.syncSoon()
    }
}
