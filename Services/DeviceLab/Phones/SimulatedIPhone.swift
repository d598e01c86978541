import FoundationEssentials
import HTTPClient
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels

/// One simulated iPhone: `SimulatedActivityKit` as its system, the app's `SightscreenClient` on it, pushes as
/// apns-simulator delivers them, calls over HTTP, and somebody who uses it.
///
/// What the app knows it knows from there alone; what is shown is what the system shows.
actor SimulatedIPhone: LabPhone {
    /// What all phones have in common.
    struct World: Sendable {
        /// The base URL of the API.
        var gateway: String
        var issuer: LabIssuer
        var http: HTTPClient
        var apple: AppleSide
        var matches: LabGateway
        var limits = PhoneLimits()
        /// Of this run: installations of another run are other installations.
        var run: UInt64

        static var nowMs: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }
    }

    /// What is not told by the system, of an activity on the screen.
    struct Seen {
        var startedAtMs: Int64
        var shownAtMs: Int64
        var timestamp: Int
        var state: PhoneActivityState
    }

    nonisolated let id: String
    nonisolated let changes: AsyncStream<Void>
    nonisolated let inbox: AsyncStream<RawPush>.Continuation
    let world: World
    let owner: PhoneOwner
    let kit: SimulatedActivityKit
    private let pushes: AsyncStream<RawPush>
    private let bell: AsyncStream<Void>.Continuation

    var app: PhoneApp?
    var isInFront = false
    /// Touched, and not dealt with; and whether the app is in front for them alone.
    var bellsTouched = 0
    var isOpenForBell = false
    var isOnline = true
    var onlineSinceMs = World.nowMs
    /// It is never restarted. Seconds since 1970.
    private let bootedAt = Int(World.nowMs / 1_000)
    /// Of the app that is installed: its preferences, and how many there were before it.
    var store = InMemoryKeyValueStore()
    var installation = 1
    var allowsActivities = true
    var allowsFrequentPushes = true
    /// A notification that the user has not tapped.
    var untapped: AppPush?
    /// The matches in the app, by the order in which it learnt of them.
    var matches: [MatchID] = []
    var bells: [MatchID: Bell] = [:]
    var alert: LabAlert?
    var counts = LabPhoneState.Pushes()
    /// Whose session is in the Keychain.
    var user: String
    private var log: [LabLogLine] = []
    private var screen = PhoneScreen()
    private var seen: [ActivityID: Seen] = [:]
    private var watchers: [Task<Void, Never>] = []
    /// Of the app's process.
    private var listeners: [Task<Void, Never>] = []
    /// What the user has begun and does not wait for, in order.
    private var wishes: Task<Void, Never>?
    /// Processes of the app begin and end in several steps: one after the other.
    private var turns: Task<Void, Never>?
    private var isSwitchedOff = false

    /// - Parameter number: from 1.
    init(number: Int, world: World) {
        id = "phone-\(number)"
        self.world = world
        owner = PhoneOwner(number: number - 1)
        user = owner.user
        (changes, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (pushes, inbox) = AsyncStream.makeStream(of: RawPush.self)
        kit = SimulatedActivityKit(
            clock: SystemClientClock(), seed: world.run &+ UInt64(number), tokens: world.apple.sink(inbox),
            limits: world.limits)
    }

    // MARK: - Its life

    /// Its app is installed, was opened once, and is in the background.
    func switchOn() async {
        guard watchers.isEmpty else { return }
        let screens = await kit.screens()
        watchers = [
            Task { [weak self] in for await screen in screens { await self?.take(screen) } },
            Task { [weak self, pushes] in for await push in pushes { await self?.take(push) } },
        ]
        await kit.switchOn()
        await launch(inFront: false)
        changed()
    }

    /// Nothing happens on it any more.
    func switchOff() async {
        isSwitchedOff = true
        inbox.finish()
        await endApp()
        await kit.switchOff()
        watchers.forEach { $0.cancel() }
        bell.finish()
    }

    /// `identifierForVendor`: another one after a new installation.
    var device: DeviceID { DeviceID("\(id)-\(String(world.run, radix: 16))-\(installation)") }

    // MARK: - Its app

    /// The app's process begins, where there is none, and comes to the front. Its launch goes on by itself.
    func launch(inFront: Bool) async { await inTurn { phone in await phone.launchNow(inFront: inFront) } }

    /// Its process ends in the middle of whatever it does. Activities stay.
    func endApp() async { await inTurn { phone in await phone.endNow() } }

    /// The app is deleted with all that it knows, and installed again.
    func installAnew() async {
        await inTurn { phone in
            await phone.endNow()
            await phone.forgetInstallation()
            await phone.kit.reinstall()
            await phone.launchNow(inFront: true)
        }
    }

    private func forgetInstallation() {
        store = InMemoryKeyValueStore()
        installation += 1
        bells = [:]
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
        wish { phone in await phone.app?.bootstrap.enterForeground() }
    }

    private func begin() async {
        let network = PhoneNetwork(base: world.gateway, http: world.http, isOnline: isOnline)
        let new = await PhoneApp(
            user: user, issuer: world.issuer, network: network, activityKit: kit, disk: PhoneDisk(store),
            profile: DeviceProfile(
                deviceID: device, osVersion: "18.4", appVersion: "1.0.0", bootedAt: bootedAt),
            giveToken: { [weak self] in await self?.giveDeviceToken() })
        let bells = await new.service.bells()
        await kit.setForeground(false)
        app = new
        // It may have changed meanwhile.
        network.setOnline(isOnline)
        listeners = [
            Task { [weak self] in for await bells in bells { await self?.take(bells, of: network) } },
            Task { [weak self] in
                await new.bootstrap.start()
                await self?.tellObstacle(of: new)
            },
        ]
    }

    private func giveDeviceToken() async {
        let token = await kit.deviceToken
        await app?.notifications.registerDevice(token: token)
    }

    func tellObstacle(of app: PhoneApp) async {
        if let obstacle = await app.obstacle { note(.app, "Cannot be used: \(obstacle)") }
    }

    /// Where the app runs.
    func comeToFrontForBell() async {
        await inTurn { phone in
            guard await phone.app != nil, await !phone.isInFront else { return }
            await phone.setOpenForBell()
            await phone.launchNow(inFront: true)
        }
    }

    private func setOpenForBell() { isOpenForBell = true }

    /// Puts the app away, where it was opened for a bell and no other needs it.
    func hasDoneBell() async {
        bellsTouched -= 1
        await inTurn { phone in await phone.leaveNow() }
    }

    private func leaveNow() async {
        guard bellsTouched == 0, isOpenForBell else { return }
        isOpenForBell = false
        guard isInFront, let app else { return }
        isInFront = false
        await kit.setForeground(false)
        await app.service.enterBackground()
    }

    private func endNow() async {
        guard let dying = app else { return }
        app = nil
        isInFront = false
        dying.network.cut()
        dying.disk.cut()
        listeners.forEach { $0.cancel() }
        await kit.killApp(forceQuit: true)
        await dying.bootstrap.stop()
        await dying.service.stop()
    }

    /// Does it after what the user has begun before, and lets nobody wait.
    func wish(_ work: @escaping @Sendable (SimulatedIPhone) async -> Void) {
        let before = wishes
        wishes = Task { [weak self] in
            await before?.value
            guard let self, await !self.isSwitchedOff else { return }
            await work(self)
            await self.changed()
        }
    }

    // MARK: - What is shown

    var state: LabPhoneState {
        LabPhoneState(
            id: id, name: owner.phoneName, user: user, isOnline: isOnline, onlineSinceMs: onlineSinceMs,
            app: app == nil ? .killed : isInFront ? .foreground : .background, allowsActivities: allowsActivities,
            allowsFrequentPushes: allowsFrequentPushes, activities: activities,
            island: .init(primary: screen.island.compact?.rawValue, minimal: screen.island.minimal?.rawValue),
            bells: labBells, alert: alert, pushes: counts, log: log)
    }

    private var activities: [LabActivity] {
        screen.lockScreen.map { LabActivity($0, seen: seen[$0.id]) }.sorted { $0.startedAtMs < $1.startedAtMs }
    }

    private var labBells: [LabBell] {
        (matches + bells.keys.filter { !matches.contains($0) }.sorted { $0.rawValue < $1.rawValue }).map { match in
            let bell = bells[match] ?? .empty
            return LabBell(matchId: match, state: LabBell.State(bell.state), isPending: bell.isPending)
        }
    }

    /// The app lists a match.
    func show(_ match: MatchID) {
        guard !matches.contains(match) else { return }
        matches.append(match)
        changed()
    }

    func changed() { bell.yield() }

    func note(_ kind: LabLogLine.Kind, _ text: String) {
        log.append(LabLogLine(atMs: World.nowMs, kind: kind, text: text))
        log.removeFirst(max(log.count - LabPhoneState.logLinesMax, 0))
        changed()
    }

    /// - Parameter network: of the process that tells it: one that has ended has nothing to say.
    private func take(_ new: [MatchID: Bell], of network: PhoneNetwork) {
        guard app?.network === network else { return }
        bells = new
        changed()
    }

    private func take(_ new: PhoneScreen) {
        let now = World.nowMs
        for activity in new.lockScreen {
            let before = seen[activity.id]
            let isNews = before?.timestamp != activity.timestamp
            seen[activity.id] = Seen(
                startedAtMs: before?.startedAtMs ?? now, shownAtMs: isNews ? now : before?.shownAtMs ?? now,
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

    /// Which match an activity is of, for the log: nothing where all are of one match.
    func ofMatch(_ activity: SimulatedActivity, among all: [SimulatedActivity]) -> String {
        let others = all.filter { $0.matchID != activity.matchID }
        guard !others.isEmpty else { return "" }
        // The same tape may be loaded twice.
        let isAmbiguous = others.contains { Self.title($0) == Self.title(activity) }
        return " of \(Self.title(activity))\(isAmbiguous ? " (\(activity.matchID))" : "")"
    }

    /// The same of a bell.
    func ofMatch(_ match: MatchID) -> String {
        matches.contains { $0 != match } ? " of match \(match)" : ""
    }

    private static func title(_ shown: SimulatedActivity) -> String {
        "\(shown.activity.attributes.homeAbbr) v \(shown.activity.attributes.awayAbbr)"
    }

    /// What is on the Lock Screen of a match.
    func shown(of match: MatchID?) -> ActivityID? { screen.lockScreen.first { $0.matchID == match }?.id }
}

extension LabBell.State {
    init(_ state: BellState) {
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
            token: shown.token.map { "\($0.rawValue.prefix(6))…" })
    }
}
