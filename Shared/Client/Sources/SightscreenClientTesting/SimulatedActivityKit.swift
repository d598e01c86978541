public import SightscreenClient
public import SightscreenModels

/// ActivityKit on one simulated iPhone, with the system around it: tokens, budgets, the user's switches, the network.
///
/// The app uses it through `ActivityKitPort`, pushes arrive through `receive`, and a test calls the user's actions.
/// Like iOS it reports no dropped pushes to the app; only the caller of `receive` gets the reason.
public actor SimulatedActivityKit {
    public let limits: PhoneLimits
    let clock: any ClientClock
    let sink: any TokenSink
    var board: ActivityBoard
    var random: SeededGenerator
    public internal(set) var startToken = PushToStartToken("")
    public internal(set) var deviceToken = DeviceToken("")
    public internal(set) var isOnline = true
    /// Whether the app is in the foreground. Only then can it start an activity.
    public var isInForeground = true
    /// Whether the streams of tokens stay silent, also about tokens that are there. Then only the properties have them.
    public internal(set) var hasSilentTokenStreams = false
    /// Whether the streams of contents stay silent, as for an app that sleeps.
    public internal(set) var hasSilentContentStreams = false
    /// Whether the phone gives no more update tokens.
    public internal(set) var withholdsTokens = false
    /// The time of the last restart, in seconds since 1970.
    public internal(set) var bootedAt: Int
    /// Whether the user has force-quit the app. No silent push wakes it then until it is opened.
    public var isForceQuit = false
    var offline = OfflinePushes()
    private var diedUnreported: [String] = []
    var notifications: [ShownAlert] = []
    var silentBudget = DeviceBudget()
    var broadcastsToMiss = 0
    var deletedChannels: Set<ChannelID> = []

    /// The activities that this process of the app was given. Only these can be asked for, and they can be asked for
    /// when they are gone.
    var given: [ActivityID: PhoneActivity] = [:]
    /// The times until which the list lacks activities that are there.
    var unlisted: [ActivityID: Int] = [:]
    var streams: [ActivityID: ActivityStreams] = [:]
    /// The activities that appear. A slow app gets the newest of these, and finds the others in the list of activities.
    let appearances = Broadcast<PhoneActivity>(buffer: 16, repeatsLatest: false)
    let startTokens = Broadcast<PushToStartToken>()
    let enablement = Broadcast(true)
    let frequentPushes = Broadcast(true)
    let screenBroadcast = Broadcast(PhoneScreen())

    /// Whether the phone suspends the app off the foreground.
    var suspends = false
    var background = BackgroundTime()
    /// The news for the suspended app, in order.
    var heldBack: [(isolated SimulatedActivityKit) -> Void] = []
    let wakeUps = Broadcast<Void>(repeatsLatest: false)

    private var isOn = false
    private var tokenTasks: [ActivityID: Task<Void, Never>] = [:]
    private var timer: Task<Void, Never>?
    private var timerIsFor: Int?

    /// - Parameters:
    ///   - clock: the phone's clock.
    ///   - seed: determines tokens, ids and delays.
    ///   - tokens: receives the phone's tokens before the app does.
    ///   - limits: the system's limits.
    ///   - iOSVersion: the number of the phone's iOS version: broadcast channels come with 18, scheduled activities with
    ///     26.
    ///   - attributesType: the name of the app's attributes type.
    public init(
        clock: any ClientClock, seed: UInt64, tokens: any TokenSink = NoTokenSink(),
        limits: PhoneLimits = PhoneLimits(), iOSVersion: Int = 18,
        attributesType: String = "LiveActivityAttributes"
    ) {
        self.clock = clock
        self.limits = limits
        bootedAt = clock.now
        sink = tokens
        random = SeededGenerator(seed: seed)
        board = ActivityBoard(limits: limits, iOSVersion: iOSVersion, attributesType: attributesType)
    }

    /// Switches the phone on with the app installed: it gets its tokens.
    public func switchOn() async {
        guard !isOn else { return }
        isOn = true
        await newAppTokens()
    }

    /// Switches the phone off. Nothing happens any more, not even by time.
    public func switchOff() async {
        isOn = false
        let tasks = Array(tokenTasks.values) + [timer].compactMap { $0 }
        tokenTasks = [:]
        timer = nil
        timerIsFor = nil
        for task in tasks { task.cancel() }
        background.expiry?.cancel()
        disconnectApp()
        screenBroadcast.disconnect()
        for task in tasks { await task.value }
    }

    // MARK: - The screen

    public var activities: [SimulatedActivity] { board.activities }

    public var screen: PhoneScreen {
        PhoneScreen(
            lockScreen: board.activities.filter { $0.state != .pending }.sorted { $0.comes(before: $1) },
            island: DynamicIsland.of(board.activities, expandedFor: limits.expandedFor, now: clock.now),
            notifications: notifications)
    }

    /// Returns a stream of the screen, now and after each change. A slow reader gets the newest value.
    public func screens() -> AsyncStream<PhoneScreen> { screenBroadcast.values() }

    // MARK: - Time

    /// Applies the effects of time up to now. A timer does it, too.
    func catchUp() async {
        board.advance(to: clock.now)
        await publish()
    }

    /// Sends the board's changes to the app, the screen and the sink.
    func publish() async {
        var died: [UpdateToken] = []
        for change in board.takeChanges() {
            switch change {
            case .appeared(let activity):
                streams[activity.id] = ActivityStreams(activity)
                if appearances.readerCount > 0 { given[activity.id] = activity }
                deliver { $0.appearances.send(activity) }
                if activity.isRunning { issueTokenLater(activity.id) }
            case .content(let id, let content):
                let contents = hasSilentContentStreams ? nil : streams[id]?.contents
                deliver { _ in contents?.send(content) }
            case .state(let id, let state): report(state, id)
            case .tokenDied(let token): died.append(token)
            }
        }
        let screen = self.screen
        if screen != screenBroadcast.latest { screenBroadcast.send(screen) }
        setTimer()
        diedUnreported += died.map(\.rawValue)
        await reportDead()
    }

    /// Reports dead tokens to the sink. Apple learns of them from the phone, and not while it is offline.
    private func reportDead() async {
        guard isOnline else { return }
        let died = diedUnreported
        diedUnreported = []
        for token in died { await sink.died(token) }
    }

    private func report(_ state: PhoneActivityState, _ id: ActivityID) {
        // A scheduled activity has appeared.
        let told = streams[id]
        if state == .active, told?.states.latest == .pending, tokenTasks[id] == nil { issueTokenLater(id) }
        if !state.isRunning { tokenTasks.removeValue(forKey: id)?.cancel() }
        if state == .dismissed { streams[id] = nil }
        deliver { _ in
            told?.states.send(state)
            if state == .dismissed { told?.disconnect() }
        }
    }

    private func setTimer() {
        let now = clock.now
        let island = board.activities.compactMap { $0.lastAlert.map { $0.at + limits.expandedFor } }.filter { $0 > now }
        let next = (island + [board.nextDeadline].compactMap { $0 }).min()
        guard isOn, next != timerIsFor else { return }
        timer?.cancel()
        timerIsFor = next
        timer = next.map { next in
            Task { [clock, weak self] in
                guard (try? await clock.sleep(until: next)) != nil else { return }
                await self?.advanceDeadline(next)
            }
        }
    }

    private func advanceDeadline(_ time: Int) async {
        // The timer was replaced while it fired.
        guard timerIsFor == time else { return }
        // The timer must not be cancelled by the changes that it makes.
        timer = nil
        timerIsFor = nil
        await catchUp()
    }

    // MARK: - Tokens

    /// Issues an activity's token some time after its start, as the system does.
    private func issueTokenLater(_ id: ActivityID) {
        guard isOn, !withholdsTokens, board[id]?.channel == nil else { return }
        let delay = Duration.milliseconds(Int.random(in: limits.tokenDelayMs, using: &random))
        tokenTasks[id] = Task { [clock, weak self] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            await self?.issueToken(id)
        }
    }

    func issueToken(_ id: ActivityID) async {
        let token = UpdateToken(random.hex(bytes: 80))
        board.setToken(token, of: id)
        guard let activity = board[id], activity.token == token else { return }
        // Apple knows a token before the app does.
        await sink.issued(
            token.rawValue, .update, match: activity.matchID, shown: Stamp(activity.timestamp))
        let tokens = board[id]?.token == token ? streams[id]?.tokens : nil
        deliver { phone in if !phone.hasSilentTokenStreams { tokens?.send(token) } }
        await publish()
    }

    func newAppTokens() async {
        let (oldStart, oldDevice) = (startToken, deviceToken)
        let (start, device) = (PushToStartToken(random.hex(bytes: 80)), DeviceToken(random.hex(bytes: 32)))
        startToken = start
        deviceToken = device
        for old in [oldStart.rawValue, oldDevice.rawValue] where !old.isEmpty { await sink.died(old) }
        await sink.issued(start.rawValue, .start, match: nil, shown: nil)
        await sink.issued(device.rawValue, .device, match: nil, shown: nil)
        if startToken == start { sendStartToken() }
    }

    func sendStartToken() {
        deliver { phone in if !phone.hasSilentTokenStreams { phone.startTokens.send(phone.startToken) } }
    }

    /// Ends all streams of the app, as at the end of its process.
    func disconnectApp() {
        given = [:]
        for streams in streams.values { streams.disconnect() }
        appearances.disconnect()
        startTokens.disconnect()
        enablement.disconnect()
        frequentPushes.disconnect()
        // The next process begins with the newest values.
        tellHeldBack()
        background.tasks = [:]
        wakeUps.disconnect()
    }

    /// The number of streams that the app has open.
    package var listenerCount: Int {
        streams.values.reduce(0) { $0 + $1.listenerCount } + appearances.readerCount + startTokens.readerCount
            + enablement.readerCount + frequentPushes.readerCount
    }

    func newActivityID() -> ActivityID { ActivityID(random.hex(bytes: 16)) }
}
