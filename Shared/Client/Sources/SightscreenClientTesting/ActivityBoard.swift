import SightscreenClient
import SightscreenModels

/// iOS's rules for the activities of one app on one phone. It takes facts and returns changes, and knows no clock.
struct ActivityBoard: Sendable {
    enum Change: Hashable, Sendable {
        case appeared(PhoneActivity)
        case content(ActivityID, ShownContent)
        case state(ActivityID, PhoneActivityState)
        /// The token is no longer valid.
        case tokenDied(UpdateToken)
    }

    let limits: PhoneLimits
    /// The number of the phone's iOS version.
    let iOSVersion: Int
    /// The name of the app's attributes type.
    let attributesType: String
    /// The activities on screen, in order of appearance.
    private(set) var activities: [SimulatedActivity] = []
    private(set) var changes: [Change] = []
    var showsActivities = true
    var takesFrequentPushes = true
    private var startBudget = DeviceBudget()

    init(limits: PhoneLimits, iOSVersion: Int, attributesType: String) {
        self.limits = limits
        self.iOSVersion = iOSVersion
        self.attributesType = attributesType
    }

    subscript(_ id: ActivityID) -> SimulatedActivity? { activities.first { $0.id == id } }
    /// Returns the changes since the last call.
    mutating func takeChanges() -> [Change] {
        defer { changes = [] }
        return changes
    }

    // MARK: - Starts

    /// Handles a push to the push-to-start token.
    mutating func start(_ push: ActivityPush, as id: ActivityID, now: Int) throws(PushDropped) {
        guard push.event == .start else { throw PushDropped(.wrongEvent) }
        guard let content = push.content else { throw PushDropped(.notDecodable) }
        try checkTimestamp(push, now)
        guard push.attributesType == attributesType else { throw PushDropped(.wrongAttributesType) }
        let attributes = try push.attributes()
        guard let alert = push.alert else { throw PushDropped(.missingAlert) }
        guard push.inputChannel == nil || iOSVersion >= 18 else { throw PushDropped(.noChannels) }
        guard showsActivities else { throw PushDropped(.notPermitted) }
        guard startBudget.takeStart(of: limits.starts, in: limits.startsSeconds, now: now) else {
            throw PushDropped(.startBudgetExceeded)
        }
        guard hasRoom else { throw PushDropped(.tooManyActivities) }
        add(
            PhoneActivity(id: id, attributes: attributes, content: content, state: .active), push.timestamp, now,
            on: push.inputChannel)
        alerted(id, ShownAlert(title: alert.title, body: alert.body, hasSound: alert.sound != nil, at: now))
    }

    /// Handles the app's request for an activity.
    mutating func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, _ pushType: ActivityPushType,
        _ schedule: ActivitySchedule?, as id: ActivityID, bytes: Int, isInForeground: Bool, now: Int
    ) throws(ActivityRequestError) -> PhoneActivity {
        let channel: ChannelID? = if case .channel(let id) = pushType { id } else { nil }
        guard channel == nil || iOSVersion >= 18, schedule == nil || iOSVersion >= 26 else { throw .unsupported }
        guard showsActivities else { throw .denied }
        guard isInForeground else { throw .notInForeground }
        guard bytes <= limits.payloadBytesMax else { throw .tooLarge }
        guard hasRoom else { throw .tooMany }
        if let schedule, schedule.start <= now { throw .other("a start in the past") }
        let activity = PhoneActivity(
            id: id, attributes: attributes, content: content, state: schedule == nil ? .active : .pending)
        // Content from the app has the phone's own time.
        add(activity, now, now, on: channel, schedule)
        return activity
    }

    private var hasRoom: Bool { activities.count(where: \.isRunning) < limits.activitiesMax }

    private mutating func add(
        _ activity: PhoneActivity, _ timestamp: Int, _ now: Int, on channel: ChannelID?,
        _ schedule: ActivitySchedule? = nil
    ) {
        activities.append(
            SimulatedActivity(
                activity: activity, timestamp: timestamp, startedAt: schedule?.start ?? now, channel: channel,
                startAlert: schedule?.alert))
        changes.append(.appeared(activity))
        advance(to: now)
    }

    mutating func setToken(_ token: UpdateToken, of id: ActivityID) {
        guard let index = index(id), activities[index].isRunning, activities[index].channel == nil else { return }
        if let old = activities[index].token { changes.append(.tokenDied(old)) }
        activities[index].token = token
    }

    // MARK: - Updates and ends

    /// Handles a push to an activity's update token.
    ///
    /// - Returns: whether the phone alerted the user.
    mutating func update(
        _ id: ActivityID, _ push: ActivityPush, priority: Int, now: Int
    ) throws(PushDropped) -> Bool {
        guard let index = index(id) else { throw PushDropped(.unknownToken) }
        guard push.event != .start else { throw PushDropped(.wrongEvent) }
        guard activities[index].isRunning else { throw PushDropped(.alreadyEnded) }
        if push.event == .end {
            end(index, showing: push.content, leavesAt: leaving(push.dismissAt, now), now)
            return false
        }
        try checkTimestamp(push, now)
        // The budget counts every update that arrives, also one that is not shown.
        let perHour = takesFrequentPushes ? limits.immediateUpdatesPerHour : limits.infrequentUpdatesPerHour
        if priority == APNsPriority.immediate.rawValue,
            !activities[index].immediateBudget.take(of: perHour, now: now)
        {
            throw PushDropped(.updateBudgetExceeded)
        }
        guard push.timestamp > activities[index].timestamp else { throw PushDropped(.oldTimestamp) }
        guard let content = push.content else { throw PushDropped(.notDecodable) }
        activities[index].timestamp = push.timestamp
        activities[index].updates += 1
        show(content, on: index)
        set(.active, index)
        advance(to: now)
        guard let alert = push.alert else { return false }
        alerted(id, ShownAlert(title: alert.title, body: alert.body, hasSound: alert.sound != nil, at: now))
        return true
    }

    /// Ends an activity for the app. One that is over already can still be removed from the screen.
    mutating func end(_ id: ActivityID, _ dismissal: EndDismissal, now: Int) {
        guard let index = index(id) else { return }
        let leavesAt: Int =
            switch dismissal {
            case .immediate: now
            case .byDefault: leaving(nil, now)
            case .at(let time): leaving(time, now)
            }
        if activities[index].state == .pending {
            remove(id)
        } else if activities[index].isRunning {
            end(index, showing: nil, leavesAt: leavesAt, now)
        } else {
            activities[index].leavesAt = min(leavesAt, activities[index].leavesAt ?? leavesAt)
            advance(to: now)
        }
    }

    /// Ends an activity for the system, for lack of room or because of its age.
    mutating func systemEnds(_ id: ActivityID, now: Int) {
        guard let index = index(id), activities[index].isRunning else { return }
        end(index, showing: nil, leavesAt: leaving(nil, now), now)
    }

    /// Removes an activity from the screen without an end: because the user removes it or switches activities off, or
    /// the phone restarts.
    mutating func remove(_ id: ActivityID) {
        guard let index = index(id) else { return }
        set(.dismissed, index)
        let gone = activities.remove(at: index)
        if let token = gone.token { changes.append(.tokenDied(token)) }
    }

    mutating func removeAll() { for activity in activities { remove(activity.id) } }

    // MARK: - Time

    /// Applies the effects of time: shows scheduled activities, marks content as stale, ends activities after their 8 hours, removes ended ones
    /// from the screen.
    mutating func advance(to now: Int) {
        for activity in activities {
            guard let index = index(activity.id) else { continue }
            if activity.state == .pending {
                if activity.startedAt <= now { appear(index) }
            } else if activity.isRunning, activity.startedAt + limits.activityLifetime <= now {
                // The activity ended at its due time, whenever that is noticed.
                let due = activity.startedAt + limits.activityLifetime
                end(index, showing: nil, leavesAt: due + limits.lingering, due)
            } else if activity.state == .active, let staleAt = activity.content.staleAt, staleAt <= now {
                set(.stale, index)
            }
            if let leavesAt = self[activity.id]?.leavesAt, leavesAt <= now { remove(activity.id) }
        }
    }

    /// Shows a scheduled activity at its time, if there is room for it.
    private mutating func appear(_ index: Int) {
        let activity = activities[index]
        guard hasRoom else { return remove(activity.id) }
        set(.active, index)
        guard let alert = activity.startAlert else { return }
        alerted(
            activity.id,
            ShownAlert(title: alert.title, body: alert.body, hasSound: true, at: activity.startedAt))
    }

    /// The time of the next such effect, in seconds since 1970.
    var nextDeadline: Int? {
        activities.flatMap { activity -> [Int?] in
            if activity.state == .pending { return [activity.startedAt] }
            guard activity.isRunning else { return [activity.leavesAt] }
            return [
                activity.startedAt + limits.activityLifetime,
                activity.state == .active ? activity.content.staleAt : nil,
            ]
        }.compactMap(\.self).min()
    }

    // MARK: -

    private func index(_ id: ActivityID) -> Int? { activities.firstIndex { $0.id == id } }

    private func checkTimestamp(_ push: ActivityPush, _ now: Int) throws(PushDropped) {
        guard push.timestamp <= now + limits.timestampAheadMax else { throw PushDropped(.farTimestamp) }
    }
    /// Returns the time at which an activity leaves the screen. A past date means at once; the longest stay is 4 h.
    private func leaving(_ dismissAt: Int?, _ now: Int) -> Int {
        min(dismissAt ?? .max, now + limits.lingering)
    }

    private mutating func end(_ index: Int, showing content: ShownContent?, leavesAt: Int, _ now: Int) {
        let id = activities[index].id
        if let content { show(content, on: index) }
        activities[index].endedAt = now
        activities[index].leavesAt = leavesAt
        set(.ended, index)
        if leavesAt <= now { remove(id) }
    }

    private mutating func show(_ content: ShownContent, on index: Int) {
        // The relevance stays when new content has none.
        var content = content
        content.relevance = content.relevance ?? activities[index].content.relevance
        guard activities[index].activity.content != content else { return }
        activities[index].activity.content = content
        changes.append(.content(activities[index].id, content))
    }

    private mutating func set(_ state: PhoneActivityState, _ index: Int) {
        guard activities[index].state != state else { return }
        activities[index].activity.state = state
        changes.append(.state(activities[index].id, state))
    }

    private mutating func alerted(_ id: ActivityID, _ alert: ShownAlert) {
        guard let index = index(id) else { return }
        activities[index].lastAlert = alert
    }
}
