public import SightscreenModels

/// Observes ActivityKit's token streams continuously, because a token may change at any time. It reads the properties,
/// too, because a stream may stay silent about a token that is there. It sends new tokens through an outbox, so that a
/// phone without a network registers as soon as it has one.
public actor RealLiveActivityTokenManager: LiveActivityTokenManager {
    private enum Slot: Hashable { case phone, activity(ActivityID) }

    /// The wait before a token is sent again that belonged to another user.
    private static let waitPause = Duration.seconds(15)

    private enum PendingRegistration: Sendable {
        case phone
        /// The activity has no token yet. It comes seconds after the start, when the user may have left the app.
        case firstToken(PhoneActivity)
        case update(UpdateToken, PhoneActivity)
        case subscription(ChannelID, PhoneActivity)
    }

    private let activityKit: any ActivityKitPort
    private let api: SightscreenAPI
    private let device: DeviceIdentity
    private let clock: any ClientClock
    private let background: any BackgroundTimePort
    private let jitter: @Sendable () -> Double
    private var handler: @Sendable (TokenEvent) async -> Void = { _ in }
    private var outbox: Outbox<Slot, PendingRegistration>?
    private var observers: [Slot: Task<Void, Never>] = [:]
    private var registration = PhoneRegistration()
    private var lastSentTokens = SentTokens()
    /// The tokens on their way, so that a stream that repeats a token does not send it twice.
    private var wanted: [ActivityID: UpdateToken] = [:]
    private var nonces = HeldNonces()
    private var startTokens = TokenReadings<PushToStartToken>()
    /// The tokens of each activity. The backend may ask for the newest again.
    private var updateTokens: [ActivityID: TokenReadings<UpdateToken>] = [:]
    private var observed: [ActivityID: PhoneActivity] = [:]
    /// The activities on channels whose report the backend has.
    private var reported: Set<ActivityID> = []

    public init(
        activityKit: any ActivityKitPort, api: SightscreenAPI, device: DeviceIdentity, clock: any ClientClock,
        background: any BackgroundTimePort, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.activityKit = activityKit
        self.api = api
        self.device = device
        self.clock = clock
        self.background = background
        self.jitter = jitter
    }

    public func start(_ handler: @escaping @Sendable (TokenEvent) async -> Void) async {
        guard outbox == nil else { return }
        self.handler = handler
        outbox = Outbox(clock: clock, background: background, jitter: jitter) { [weak self] slot, pending in
            await self?.deliver(slot, pending) ?? .delivered
        }
        observers[.phone] = Task { [activityKit, weak self] in
            for await token in await activityKit.pushToStartTokenUpdates() { await self?.received(token) }
        }
        await readTokens()
    }

    public func register(_ report: DeviceRegistration) async {
        let isNew = registration.wants(report)
        await readTokens()
        if isNew { await outbox?.put(.phone, in: .phone) }
    }

    public func registerAgain(_ report: DeviceRegistration) async {
        _ = registration.wants(report)
        registration.forgetWhatWasSent()
        await readTokens()
        await outbox?.put(.phone, in: .phone)
    }

    public func confirm(_ nonce: String) async {
        guard await echo(nonce) else {
            // It may have come before the registration that it is to confirm.
            nonces.hold(nonce, now: clock.now)
            return
        }
        await outbox?.retryNow()
    }

    /// Echoes a nonce.
    /// - Returns: whether the phone is the user's now.
    private func echo(_ nonce: String) async -> Bool {
        do { try await api.confirmDevice(DeviceConfirmation(nonce: nonce, deviceId: await device.id())) } catch {
            return false
        }
        return true
    }

    /// Echoes the nonces that the backend did not take before it knew this phone.
    /// - Parameter waits: whether a token waits until the backend knows whose phone this is. If none does, a nonce that
    ///   is not taken is about an earlier claim.
    private func echoHeld(waits: Bool) async {
        for held in nonces.takeAll(now: clock.now) {
            if await echo(held.nonce) { return registration.retryWaiting() }
            if waits { nonces.hold(held) }
        }
    }

    public func observe(_ activity: PhoneActivity) async {
        let slot = Slot.activity(activity.id)
        guard outbox != nil, observed[activity.id] == nil else { return }
        observed[activity.id] = activity
        if let channel = activity.channel {
            await outbox?.put(.subscription(channel, activity), in: slot)
            return
        }
        observers[slot] = Task { [activityKit, weak self] in
            for await token in await activityKit.pushTokenUpdates(of: activity.id) {
                await self?.received(token, of: activity)
            }
        }
        // The token takes its place in the outbox, by whichever way it comes.
        await outbox?.put(.firstToken(activity), in: slot)
    }

    public func forget(_ activity: ActivityID) async {
        observers.removeValue(forKey: .activity(activity))?.cancel()
        wanted[activity] = nil
        updateTokens[activity] = nil
        observed[activity] = nil
        reported.remove(activity)
        lastSentTokens.forget(activity)
        await outbox?.discard(.activity(activity))
    }

    public func lastSentToken(for match: MatchID) -> UpdateToken? { lastSentTokens.last(for: match) }

    public func isReported(_ activity: ActivityID) -> Bool { reported.contains(activity) }

    public func retryNow() async {
        await readTokens()
        await outbox?.retryNow()
    }

    public func allSent() async { await outbox?.emptied() }

    public func stop() async {
        let ending = Array(observers.values)
        observers = [:]
        for observer in ending { observer.cancel() }
        let stopped = outbox
        outbox = nil
        await stopped?.stop()
        for observer in ending { await observer.value }
        registration = PhoneRegistration()
        lastSentTokens = SentTokens()
        wanted = [:]
        nonces = HeldNonces()
        startTokens = TokenReadings()
        updateTokens = [:]
        observed = [:]
        reported = []
    }

    // MARK: - Tokens from the system

    private func received(_ token: PushToStartToken) async {
        startTokens.streamed(token)
        await send(token)
    }

    private func received(_ token: UpdateToken, of activity: PhoneActivity) async {
        guard observers[.activity(activity.id)] != nil else { return }
        updateTokens[activity.id, default: TokenReadings()].streamed(token)
        await send(token, of: activity)
    }

    private func readTokens() async {
        let before = startTokens.newest
        // A token that the stream gave meanwhile is newer.
        if let token = await activityKit.pushToStartToken(), outbox != nil, startTokens.newest == before,
            startTokens.read(token)
        {
            await send(token)
        }
        for activity in observed.values where activity.channel == nil { await readToken(of: activity) }
    }

    private func readToken(of activity: PhoneActivity) async {
        let id = activity.id
        let before = updateTokens[id]?.newest
        guard let token = await activityKit.pushToken(of: id), observers[.activity(id)] != nil,
            updateTokens[id]?.newest == before, updateTokens[id, default: TokenReadings()].read(token)
        else { return }
        await send(token, of: activity)
    }

    private func send(_ token: PushToStartToken) async {
        guard registration.wants(token) else { return }
        await outbox?.put(.phone, in: .phone)
    }

    private func send(_ token: UpdateToken, of activity: PhoneActivity) async {
        guard wanted[activity.id] != token, !lastSentTokens.has(token, of: activity.id, for: activity.matchID) else {
            return
        }
        wanted[activity.id] = token
        await outbox?.put(.update(token, activity), in: .activity(activity.id))
    }

    // MARK: - Calls to the backend

    private typealias Outcome = Outbox<Slot, PendingRegistration>.Outcome

    private func deliver(_ slot: Slot, _ pending: PendingRegistration) async -> Outcome {
        switch pending {
        case .phone: await deliverRegistration()
        case .firstToken(let activity): await deliverFirstToken(of: activity)
        case .update(let token, let activity): await deliver(token, of: activity)
        case .subscription(let channel, let activity): await report(activity, on: channel)
        }
    }

    private func deliverRegistration() async -> Outcome {
        registration.retryWaiting()
        while let step = registration.nextStep {
            var answer: DeviceResponse?
            do {
                switch step {
                case .report(let report): answer = try await api.registerDevice(report)
                case .startToken(let token): answer = try await api.registerPushToStartToken(token)
                }
            } catch  where error.passes {
                return .retry(after: error.retryAfter)
            } catch {
                // The backend refuses this report. The next one, or the one of the next launch, will be different.
            }
            guard !Task.isCancelled else { return .delivered }
            let wasKnown = registration.isKnown
            registration.settled(step, waits: answer?.waitsFor != nil)
            // Tokens of activities wait until the phone is known.
            if !wasKnown { await outbox?.retryNow() }
            if let answer { await obey(answer) }
        }
        return registration.isWaiting ? .retry(after: Self.waitPause) : .delivered
    }

    /// Follows the backend's answer about the listed activities.
    private func obey(_ cards: DeviceResponse) async {
        await echoHeld(waits: cards.waitsFor != nil)
        for activity in cards.end ?? [] { await handler(.unwanted(activity)) }
        for id in cards.tokensWanted ?? [] {
            guard let token = updateTokens[id]?.newest, let activity = observed[id] else { continue }
            lastSentTokens.forget(id)
            wanted[id] = token
            await outbox?.put(.update(token, activity), in: .activity(id))
        }
        for match in cards.gone ?? [] { await handler(.gone(match)) }
    }

    /// Looks for the token, because its stream may stay silent, until it is there.
    private func deliverFirstToken(of activity: PhoneActivity) async -> Outcome {
        await readToken(of: activity)
        return updateTokens[activity.id]?.newest == nil ? .retry(after: nil) : .delivered
    }

    private func deliver(_ token: UpdateToken, of activity: PhoneActivity) async -> Outcome {
        guard registration.isKnown else { return .retry(after: nil) }
        let report = ActivityTokenRequest(
            activityToken: token, deviceId: await device.id(), activityId: activity.id, startId: activity.startID)
        let (id, match) = (activity.id, activity.matchID)
        do {
            let answer = try await api.registerActivityToken(report, match: match)
            // The activity was forgotten meanwhile.
            guard wanted[id] == token else { return .delivered }
            if answer.waitsFor != nil { return .retry(after: Self.waitPause) }
            wanted[id] = nil
            lastSentTokens.sent(token, of: id, for: match)
            await handler(answer.liveActivity == .ended ? .overtaken(id, match) : .registered(id, match))
        } catch  where error.passes {
            return .retry(after: error.retryAfter)
        } catch {
            guard wanted[id] == token else { return .delivered }
            // It stays the wanted one: the stream may still say it, and it would be refused again.
            await handler(error.status == 404 ? .refused(id, match) : .failed(id, match, status: error.status ?? 0))
        }
        return .delivered
    }

    private func report(_ activity: PhoneActivity, on channel: ChannelID) async -> Outcome {
        guard registration.isKnown else { return .retry(after: nil) }
        let (id, match) = (activity.id, activity.matchID)
        let report = ActivityReport(
            activityId: id, channelId: channel, deviceId: await device.id(), startId: activity.startID)
        do {
            let answer = try await api.reportActivity(report, match: match)
            guard observed[id] != nil else { return .delivered }
            reported.insert(id)
            await handler(answer.liveActivity == .ended ? .unwanted(id) : .registered(id, match))
        } catch  where error.passes {
            return .retry(after: error.retryAfter)
        } catch {
            guard observed[id] != nil, error.status == 404 else { return .delivered }
            await handler(.refused(id, match))
        }
        return .delivered
    }
}
