import FoundationEssentials
import HTTPClient
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// One simulated iPhone: `SimulatedActivityKit` as its system, the app's `SightscreenClient` on it, pushes as
/// apns-simulator delivers them, calls over HTTP, and a user.
///
/// The app learns everything from there alone, and the page shows what the system shows.
actor SimulatedIPhone: LabPhone {
    /// The values that all phones share.
    struct Shared: Sendable {
        /// The base URL of the API.
        var gateway: String
        var issuer: LabIssuer
        var http: HTTPClient
        var apple: SimulatedAPNs
        var matches: LabGateway
        var limits = PhoneLimits()
        /// Whether the phone suspends the app off the foreground.
        var suspendsApps = false
        /// The number of this run: the installations of another run are other devices.
        var run: UInt64

        static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
    }

    /// The facts about an activity on the screen that the system does not give.
    struct Seen {
        var startedAtMs: Int64
        var shownAtMs: Int64
        var timestamp: Int
        var state: PhoneActivityState
    }

    nonisolated let id: String
    nonisolated let changes: AsyncStream<Void>
    nonisolated let inbox: AsyncStream<PhonePush>.Continuation
    let shared: Shared
    let owner: PhoneOwner
    let kit: SimulatedActivityKit
    private let pushes: AsyncStream<PhonePush>
    private let wakeUps: AsyncStream<Void>.Continuation

    var app: PhoneApp?
    var isInFront = false
    /// Follows that were tapped and are not handled yet; `isOpenForFollow` is true while the app is in front only for
    /// them.
    var followsInFlight = 0
    var isOpenForFollow = false
    var isOnline = true
    var onlineSinceMs = Shared.nowMs
    /// The preferences of the installed app; `installation` is its number, from 1.
    var store = InMemoryKeyValueStore()
    var installation = 1
    var allowsActivities = true
    var allowsFrequentPushes = true
    /// The notification that the user has not tapped; nil when there is none.
    var untapped: AppPush?
    /// The matches in the app, in the order in which it learnt of them.
    var matches: [MatchID] = []
    var followButtons: [MatchID: FollowButton] = [:]
    /// The alerts that the user has chosen; all of them for a match that is missing.
    var alertLevels: [MatchID: AlertLevel] = [:]
    var alert: LabAlert?
    var counts = LabPhoneState.Pushes()
    /// The user whose session is in the Keychain.
    var user: String
    private(set) var log: [LabLogLine] = []
    private var screen = PhoneScreen()
    private var seen: [ActivityID: Seen] = [:]
    private var watchers: [Task<Void, Never>] = []
    /// The tasks of the app's process.
    private var listeners: [Task<Void, Never>] = []
    /// The last operation that the user began; the next one waits for it.
    private var lastOperation: Task<Void, Never>?
    /// The last change of the app's process. Such a change takes several steps, so the next one waits for it.
    private var turns: Task<Void, Never>?
    private var isSwitchedOff = false

    /// - Parameter number: the phone's number, from 1.
    init(number: Int, shared: Shared) {
        id = "phone-\(number)"
        self.shared = shared
        owner = PhoneOwner(number: number - 1)
        user = owner.user
        (changes, wakeUps) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (pushes, inbox) = AsyncStream.makeStream(of: PhonePush.self)
        kit = SimulatedActivityKit(
            clock: SystemClientClock(), seed: shared.run &+ UInt64(number), tokens: shared.apple.sink(inbox),
            limits: shared.limits)
    }

    // MARK: - The phone

    /// Switches the phone on: its app is installed, was opened once, and is in the background.
    func switchOn() async {
        guard watchers.isEmpty else { return }
        let screens = await kit.screens()
        watchers = [
            Task { [weak self] in for await screen in screens { await self?.take(screen) } },
            Task { [weak self, pushes] in for await push in pushes { await self?.take(push) } },
        ]
        await kit.switchOn()
        await kit.setSuspends(shared.suspendsApps)
        await launch(inFront: false)
        changed()
    }

    /// Switches the phone off, after which nothing happens on it.
    func switchOff() async {
        isSwitchedOff = true
        inbox.finish()
        await endApp()
        await kit.switchOff()
        watchers.forEach { $0.cancel() }
        wakeUps.finish()
    }

    /// The `identifierForVendor`, which changes with a new installation.
    var device: DeviceID { DeviceID("\(id)-\(String(shared.run, radix: 16))-\(installation)") }

    // MARK: - The app

    /// Starts the app's process where there is none, and brings it to the front. The launch continues by itself.
    func launch(inFront: Bool) async { await inTurn { phone in await phone.launchNow(inFront: inFront) } }

    /// Ends the app's process in the middle of any operation. Activities stay.
    func endApp() async { await inTurn { phone in await phone.endNow { await $0.killApp(forceQuit: true) } } }

    /// Restarts the phone. The app runs again when it is opened or woken.
    func restart() async { await inTurn { phone in await phone.endNow { await $0.restart() } } }

    /// Takes the app to the background.
    func leaveApp() async { await inTurn { phone in await phone.putAway() } }

    /// Deletes the app with all its data, and installs it again.
    func installAnew() async {
        await inTurn { phone in
            await phone.endNow { await $0.killApp(forceQuit: true) }
            await phone.forgetInstallation()
            await phone.kit.reinstall()
            await phone.launchNow(inFront: true)
        }
    }

    private func forgetInstallation() {
        store = InMemoryKeyValueStore()
        installation += 1
        followButtons = [:]
        untapped = nil
    }

    private func inTurn(_ work: @escaping @Sendable (SimulatedIPhone) async -> Void) async {
        let before = turns
        let turn = Task {
            await before?.value
            await work(self)
        }
        turns = turn
        await turn.value
    }

    private func launchNow(inFront: Bool) async {
        guard !isSwitchedOff else { return }
        if app == nil { await begin() }
        guard inFront, !isInFront, let app else { return }
        isInFront = true
        await kit.setForeground(true)
        await app.service.enterForeground()
        enqueue { phone in await phone.app?.bootstrap.enterForeground() }
    }

    private func begin() async {
        let network = PhoneNetwork(base: shared.gateway, http: shared.http, isOnline: isOnline)
        let new = await PhoneApp(
            user: user, issuer: shared.issuer, network: network, kit: kit, disk: PhoneDisk(store),
            profile: DeviceProfile(
                deviceID: device, osVersion: "18.4", appVersion: "1.0.0", bootedAt: await kit.bootedAt),
            giveToken: { [weak self] in await self?.giveDeviceToken() })
        let updates = await new.service.followButtons()
        await kit.setForeground(false)
        await kit.setSilentTokenStreams(false)
        app = new
        // The network may have changed while the app was made.
        network.setOnline(isOnline)
        listeners = [
            Task { [weak self] in for await buttons in updates { await self?.take(buttons, of: network) } },
            Task { [weak self] in
                await new.bootstrap.start()
                await self?.noteObstacle(of: new)
            },
        ]
    }

    private func giveDeviceToken() async {
        let token = await kit.deviceToken
        await app?.notifications.registerDevice(token: token)
    }

    func noteObstacle(of app: PhoneApp) async {
        if let obstacle = await app.obstacle { note(.app, "Cannot be used: \(obstacle)") }
    }
    /// Brings a running app to the front for a follow; an app that was closed stays closed.
    func openForFollow() async {
        await inTurn { phone in
            guard await phone.app != nil, await !phone.isInFront else { return }
            await phone.setOpenForFollow()
            await phone.launchNow(inFront: true)
        }
    }

    private func setOpenForFollow() { isOpenForFollow = true }

    /// Notes that a follow is handled. The app goes to the background if it was opened for follows and none is left.
    func finishFollow() async {
        followsInFlight -= 1
        await inTurn { phone in await phone.closeAfterFollow() }
    }

    private func closeAfterFollow() async {
        guard followsInFlight == 0, isOpenForFollow else { return }
        await putAway()
    }

    private func putAway() async {
        isOpenForFollow = false
        guard isInFront, let app else { return }
        isInFront = false
        await kit.setForeground(false)
        await app.service.enterBackground()
    }

    /// - Parameter end: ends the process on the phone.
    private func endNow(_ end: @Sendable (SimulatedActivityKit) async -> Void) async {
        let dying = app
        app = nil
        isInFront = false
        dying?.network.cut()
        dying?.disk.cut()
        listeners.forEach { $0.cancel() }
        await end(kit)
        await dying?.bootstrap.stop()
        await dying?.service.stop()
    }

    /// Lets the next operation begin at once.
    func forgetOperations() { lastOperation = nil }

    /// Runs an operation after those that the user began before; the caller does not wait.
    func enqueue(_ work: @escaping @Sendable (SimulatedIPhone) async -> Void) {
        let before = lastOperation
        lastOperation = Task { [weak self] in
            await before?.value
            guard let self, await !self.isSwitchedOff else { return }
            await work(self)
            await self.changed()
        }
    }

    // MARK: - The shown state

    var state: LabPhoneState {
        get async {
            let isSuspended = await kit.isSuspended
            return LabPhoneState(
                id: id, name: owner.phoneName, user: user, isOnline: isOnline, onlineSinceMs: onlineSinceMs,
                app: app == nil ? .killed : isInFront ? .foreground : .background,
                isAsleep: app != nil && isSuspended, allowsActivities: allowsActivities,
                allowsFrequentPushes: allowsFrequentPushes, activities: activities,
                island: .init(primary: screen.island.compact?.rawValue, minimal: screen.island.minimal?.rawValue),
                followButtons: labFollowButtons, alert: alert, pushes: counts, log: log)
        }
    }

    private var activities: [LabActivity] {
        screen.lockScreen.map { LabActivity($0, seen: seen[$0.id]) }.sorted { $0.startedAtMs < $1.startedAtMs }
    }

    private var labFollowButtons: [LabFollowButton] {
        (matches + followButtons.keys.filter { !matches.contains($0) }.sorted { $0.rawValue < $1.rawValue }).map {
            match in
            let button = followButtons[match] ?? .empty
            return LabFollowButton(
                matchId: match, state: LabFollowButton.State(button.state), isPending: button.isPending,
                alerts: alertLevels[match] ?? .all)
        }
    }

    /// Records that the app lists a match.
    func show(_ match: MatchID) {
        guard !matches.contains(match) else { return }
        matches.append(match)
        changed()
    }

    func changed() { wakeUps.yield() }

    func note(_ kind: LabLogLine.Kind, _ text: String) {
        log.append(LabLogLine(atMs: Shared.nowMs, kind: kind, text: text))
        log.removeFirst(max(log.count - LabPhoneState.logLinesMax, 0))
        changed()
    }

    /// - Parameter network: the network of the process that reports; a process that has ended is ignored.
    private func take(_ new: [MatchID: FollowButton], of network: PhoneNetwork) {
        guard app?.network === network else { return }
        followButtons = new
        changed()
    }

    private func take(_ new: PhoneScreen) {
        let now = Shared.nowMs
        for activity in new.lockScreen {
            let before = seen[activity.id]
            if before == nil {
                note(.system, "An activity\(ofMatch(activity, among: new.lockScreen)) is on the Lock Screen")
            }
            let isNew = before?.timestamp != activity.timestamp
            seen[activity.id] = Seen(
                startedAtMs: before?.startedAtMs ?? now, shownAtMs: isNew ? now : before?.shownAtMs ?? now,
                timestamp: activity.timestamp, state: activity.state)
            if activity.state == .stale, before?.state == .active {
                note(.system, "The activity\(ofMatch(activity, among: new.lockScreen)) is out of date")
            }
        }
        for gone in screen.lockScreen where !new.lockScreen.contains(where: { $0.id == gone.id }) {
            seen[gone.id] = nil
            note(.system, "The activity\(ofMatch(gone, among: screen.lockScreen)) leaves the Lock Screen")
        }
        screen = new
        changed()
    }

    /// The match of an activity for the log; empty where all are of one match.
    func ofMatch(_ activity: SimulatedActivity, among all: [SimulatedActivity]) -> String {
        let others = all.filter { $0.matchID != activity.matchID }
        guard !others.isEmpty else { return "" }
        // The same tape may be loaded twice.
        let isAmbiguous = others.contains { Self.title($0) == Self.title(activity) }
        return " of \(Self.title(activity))\(isAmbiguous ? " (\(activity.matchID))" : "")"
    }

    /// The match of a follow button for the log; empty where there is only one match.
    func ofMatch(_ match: MatchID) -> String {
        matches.contains { $0 != match } ? " of match \(match)" : ""
    }

    private static func title(_ shown: SimulatedActivity) -> String {
        "\(shown.activity.attributes.homeAbbr) v \(shown.activity.attributes.awayAbbr)"
    }

    /// The activity of a match on the Lock Screen; nil when there is none.
    func shown(of match: MatchID?) -> ActivityID? { screen.lockScreen.first { $0.matchID == match }?.id }
}

extension LabFollowButton.State {
    init(_ state: FollowButtonState) {
        switch state {
        case .empty: self = .empty
        case .filled: self = .filled
        case .filledWithWarning: self = .filledWithWarning
        }
    }
}

extension LabActivity {
    init(_ shown: SimulatedActivity, seen: SimulatedIPhone.Seen?) {
        let attributes = shown.activity.attributes
        self.init(
            id: shown.id.rawValue, matchId: shown.matchID,
            state: shown.isRunning ? (shown.state == .stale ? .stale : .active) : .ended,
            isPushStarted: shown.activity.startID != nil,
            attributes: Attributes(
                homeTeam: attributes.homeTeam, homeAbbr: attributes.homeAbbr, awayTeam: attributes.awayTeam,
                awayAbbr: attributes.awayAbbr, competition: attributes.competition, startsAt: attributes.startsAt,
                followedAbbr: attributes.followedAbbr),
            content: shown.content.state, startedAtMs: seen?.startedAtMs ?? Int64(shown.startedAt) * 1_000,
            shownAtMs: seen?.shownAtMs ?? Int64(shown.startedAt) * 1_000,
            staleAtMs: shown.content.staleAt.map { Int64($0) * 1_000 },
            dismissAtMs: shown.leavesAt.map { Int64($0) * 1_000 }, relevance: shown.content.relevance,
            token: shown.token.map { "\($0.rawValue.prefix(6))…" }, channel: shown.channel)
    }
}
