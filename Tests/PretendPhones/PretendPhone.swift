public import DeviceLab
public import SightscreenModels

/// A phone in memory, without app, gateway or APNs: it does at once what a real one would come to. It serves the tests
/// of the lab's server and page, which are about what is shown.
public actor PretendPhone: LabPhone {
    /// What a match would send to a phone that follows it.
    public struct Show: Sendable {
        public var content: ContentState
        public var attributes: LabActivity.Attributes?
        public var relevance: Double
        public var alert: (title: String, body: String, hasSound: Bool)?

        public init(
            _ content: ContentState, attributes: LabActivity.Attributes? = nil, relevance: Double = 0,
            alert: (title: String, body: String, hasSound: Bool)? = nil
        ) {
            self.content = content
            self.attributes = attributes
            self.relevance = relevance
            self.alert = alert
        }
    }

    public nonisolated let id: String
    public nonisolated let changes: AsyncStream<Void>
    private let button: AsyncStream<Void>.Continuation
    private let users: [String]
    private let now: @Sendable () -> Int64
    private var phone: LabPhoneState
    /// The newest of each match, whether it is followed or not.
    private var newest: [MatchID: Show] = [:]
    private var nextActivity = 1
    private var nextAlert = 1

    /// - Parameters:
    ///   - users: whom `switchUser` goes through; the first is signed in.
    ///   - now: milliseconds since 1970.
    public init(id: String, name: String, users: [String], now: @escaping @Sendable () -> Int64) {
        self.id = id
        self.users = users
        self.now = now
        (changes, button) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        phone = LabPhoneState(id: id, name: name, user: users[0])
    }

    public var state: LabPhoneState { phone }

    // MARK: - What comes from outside

    /// A match has a new state.
    public func take(_ show: Show, of match: MatchID) {
        newest[match] = show
        if phone.followButtons.contains(where: { $0.matchId == match && $0.state == .filled }) {
            start(match, isPushed: true)
        }
        guard phone.isOnline, let index = phone.activities.firstIndex(where: { $0.matchId == match }) else { return }
        phone.pushes.received += 1
        phone.activities[index].content = show.content
        phone.activities[index].shownAtMs = now()
        phone.activities[index].relevance = show.relevance
        // A result is an update; the end comes minutes later.
        phone.activities[index].state = .active
        let ball = "Ball \(show.content.compactTrailing.overs): \(show.content.compactLeading.score)"
        log(.push, show.alert == nil ? ball : ball + ", with an alert")
        if let alert = show.alert { light(alert.title, alert.body, hasSound: alert.hasSound) }
        changed()
    }

    /// Nothing has come for too long.
    public func goStale() {
        for index in phone.activities.indices { phone.activities[index].state = .stale }
        log(.system, "the activity is out of date")
        changed()
    }

    /// A notification that is none of an activity.
    public func notify(title: String, body: String) {
        phone.alert = LabAlert(
            id: nextAlert, kind: .notification, title: title, body: body, hasSound: false, atMs: now())
        nextAlert += 1
        changed()
    }

    // MARK: - What a person does

    public func perform(_ action: LabAction) throws {
        switch action.action {
        case .follow:
            guard let match = action.matchId else { throw LabRefusal("there is no match to follow") }
            log(.user, "follows \(match)")
            setFollowButton(
                match, phone.allowsActivities ? .filled : .filledWithWarning, isPending: !phone.isOnline,
                alerts: action.alerts)
            start(match, isPushed: false)
        case .unfollow:
            guard let match = action.matchId else { throw LabRefusal("there is no match to unfollow") }
            log(.user, "unfollows \(match)")
            setFollowButton(match, .empty, isPending: !phone.isOnline)
            phone.activities.removeAll { $0.matchId == match }
        case .dismiss:
            guard let index = phone.activities.firstIndex(where: { $0.matchId == action.matchId }) else {
                throw LabRefusal("there is no such Live Activity on it")
            }
            let match = phone.activities.remove(at: index).matchId
            log(.user, "swipes the activity away")
            setFollowButton(match, .empty)
        case .offline:
            phone.isOnline = false
            log(.system, "no network")
        case .online:
            phone.isOnline = true
            phone.onlineSinceMs = now()
            log(.system, "network again")
            for index in phone.followButtons.indices { phone.followButtons[index].isPending = false }
            for activity in phone.activities {
                if let show = newest[activity.matchId] {
                    take(Show(show.content, relevance: show.relevance), of: activity.matchId)
                }
            }
        case .openApp: phone.app = .foreground
        case .leaveApp: phone.app = .background
        case .restart:
            phone.app = .killed
            phone.activities = []
        case .lagList, .silenceTokens, .losePublish: break
        case .killApp: phone.app = .killed
        case .grantPermission, .denyPermission:
            phone.allowsActivities = action.action == .grantPermission
            log(.user, phone.allowsActivities ? "allows Live Activities" : "forbids Live Activities")
            if !phone.allowsActivities { phone.activities = [] }
            for button in phone.followButtons where button.state != .empty {
                setFollowButton(button.matchId, phone.allowsActivities ? .filled : .filledWithWarning)
                if phone.allowsActivities { start(button.matchId, isPushed: true) }
            }
        case .grantFrequentPushes, .denyFrequentPushes:
            phone.allowsFrequentPushes = action.action == .grantFrequentPushes
        case .reinstall:
            log(.user, "installs the app anew")
            phone.activities = []
            phone.followButtons = []
            phone.app = .foreground
        case .switchUser:
            let place = users.firstIndex(of: phone.user) ?? 0
            phone.user = action.user ?? users[(place + 1) % users.count]
            log(.user, "signs in as \(phone.user)")
            phone.activities = []
            phone.followButtons = []
        }
        changed()
    }

    private func start(_ match: MatchID, isPushed: Bool) {
        guard phone.allowsActivities, phone.isOnline, let show = newest[match],
            !phone.activities.contains(where: { $0.matchId == match })
        else { return }
        phone.activities.append(
            LabActivity(
                id: "\(id)-\(nextActivity)", matchId: match, state: .active, isPushStarted: isPushed,
                attributes: show.attributes,
                content: show.content, startedAtMs: now(), shownAtMs: now(), relevance: show.relevance,
                token: "a1b2c\(nextActivity)…"))
        nextActivity += 1
        log(.app, isPushed ? "an activity was started from afar" : "starts an activity")
    }

    private func setFollowButton(
        _ match: MatchID, _ state: LabFollowButton.State, isPending: Bool = false, alerts: AlertLevel? = nil
    ) {
        let known = phone.followButtons.first { $0.matchId == match && $0.state != .empty }
        let button = LabFollowButton(
            matchId: match, state: state, isPending: isPending, alerts: alerts ?? known?.alerts ?? .all)
        if let index = phone.followButtons.firstIndex(where: { $0.matchId == match }) {
            phone.followButtons[index] = button
        } else {
            phone.followButtons.append(button)
        }
    }

    private func light(_ title: String, _ body: String, hasSound: Bool) {
        phone.alert = LabAlert(
            id: nextAlert, kind: .activity, title: title, body: body, hasSound: hasSound, atMs: now())
        nextAlert += 1
        phone.pushes.alerts += 1
    }

    private func log(_ kind: LabLogLine.Kind, _ text: String) {
        phone.log.append(LabLogLine(atMs: now(), kind: kind, text: text))
        phone.log.removeFirst(max(phone.log.count - LabPhoneState.logLinesMax, 0))
    }

    private func changed() {
        let going = phone.activities.filter { $0.state != .ended }.sorted {
            ($0.relevance ?? 0) > ($1.relevance ?? 0)
        }
        phone.island = LabPhoneState.Island(primary: going.first?.id, minimal: going.dropFirst().first?.id)
        button.yield()
    }
}
