import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport
import Testing

/// One phone with the app on it, over a gateway in memory. The app can be killed and launched; the phone stays.
final class Phone {
    let clock = SimulatedClock(now: Sample.now)
    let kit: SimulatedActivityKit
    let gateway: ScriptedGateway
    let profile: DeviceProfile
    let session = FakeSession(user: Sample.user, token: "good")
    let store = InMemoryKeyValueStore()
    private(set) var life: AppLife
    private(set) var app: RealLiveActivityService
    private(set) var managers: Managers
    private var stamp = Sample.now

    struct Managers {
        var tokens: RealLiveActivityTokenManager
        var lifecycle: RealLiveActivityLifecycleManager
        var follows: RealFollowManager
    }

    /// - Parameters:
    ///   - matches: the matches that the gateway knows.
    ///   - limits: the system's limits.
    ///   - seed: determines tokens, ids and delays.
    ///   - iOSVersion: the number of the phone's iOS version.
    ///   - device: the phone's id; nil for that of the sample.
    init(
        _ matches: MatchItem..., limits: PhoneLimits = PhoneLimits(), seed: UInt64 = 1, iOSVersion: Int = 18,
        device: DeviceIdentity? = nil
    ) async throws {
        kit = SimulatedActivityKit(clock: clock, seed: seed, limits: limits, iOSVersion: iOSVersion)
        var profile = Sample.profile
        profile.osVersion = "\(iOSVersion).4"
        if let device { profile.device = device }
        self.profile = profile
        gateway = try ScriptedGateway()
        await gateway.accept("good", as: Sample.user)
        for match in matches { await gateway.play(match) }
        life = AppLife(gateway, store)
        (app, managers) = Self.build(kit, life, session, clock, profile)
        await kit.switchOn()
    }

    private static func build(
        _ kit: SimulatedActivityKit, _ life: AppLife, _ session: FakeSession, _ clock: SimulatedClock,
        _ profile: DeviceProfile
    ) -> (RealLiveActivityService, Managers) {
        let api = SightscreenAPI(transport: SimulatedTransport(life, on: kit), session: session, clock: clock) { 1 }
        let device = profile.device
        let managers = Managers(
            tokens: RealLiveActivityTokenManager(
                activityKit: kit, api: api, device: device, clock: clock, background: kit
            ) { 1 },
            lifecycle: RealLiveActivityLifecycleManager(activityKit: kit, clock: clock),
            follows: RealFollowManager(api: api, device: device, store: life, clock: clock, background: kit) { 1 })
        let app = RealLiveActivityService(
            tokens: managers.tokens, lifecycle: managers.lifecycle, follows: managers.follows, api: api,
            session: session, clock: clock, profile: profile)
        return (app, managers)
    }

    /// Starts the app, and waits until the gateway knows the phone and the phone knows the follows.
    func launch() async throws {
        await app.start()
        try await app.syncFollows()
        try await until("the gateway knows the phone") {
            await gateway.startTokens[Sample.device] == kit.startToken
        }
    }

    /// Ends the app's process and everything in memory. It writes and sends nothing any more.
    func killApp() async {
        life.end()
        await app.stop()
        await kit.killApp()
        life = AppLife(gateway, store)
        (app, managers) = Self.build(kit, life, session, clock, profile)
    }

    func end() async {
        await gateway.release()
        await app.stop()
        await kit.switchOff()
    }

    /// Waits until a condition holds, while the phone's time goes on.
    func until(_ what: String, step: Duration = .milliseconds(500), _ condition: () async throws -> Bool) async throws {
        try await eventually(what) {
            if try await condition() { return true }
            clock.advance(by: step)
            return false
        }
    }

    /// Waits until a condition holds, while the phone's time stands still.
    func soon(_ what: String, _ condition: () async throws -> Bool) async throws {
        try await eventually(what, condition)
    }

    // MARK: - Pushes

    /// Returns a stamp later than that of every earlier push and local start.
    func nextStamp() -> Stamp {
        stamp = max(stamp + 1, clock.now)
        return Stamp(stamp)
    }

    @discardableResult
    func pushStart(
        _ match: MatchID, start: String = "s-1", state: ContentState = Sample.state(), on channel: ChannelID? = nil
    ) async throws -> ActivityID {
        var attributes = Sample.attributes(match, start: start)
        attributes.channelId = channel
        let payload = TestPush.start(
            stamp: nextStamp(), contentState: state, staleAt: clock.now + 600, relevance: 50,
            alert: PushAlert(title: "MI v CSK", body: "Live"), attributesType: "LiveActivityAttributes",
            attributes: attributes, channel: channel)
        let outcome = await kit.receive(try push(payload, to: await kit.startToken.rawValue))
        guard case .started(let id) = outcome else {
            throw StartNotTaken(outcome: outcome)
        }
        return id
    }

    @discardableResult
    func pushUpdate(_ id: ActivityID, _ state: ContentState, alert: PushAlert? = nil) async throws -> PushOutcome {
        let payload = TestPush.update(
            stamp: nextStamp(), contentState: state, staleAt: clock.now + 600, relevance: 50, alert: alert)
        return await kit.receive(try push(payload, to: try await token(of: id), priority: alert == nil ? 5 : 10))
    }

    @discardableResult
    func pushEnd(_ id: ActivityID, _ state: ContentState, dismissAt: Int) async throws -> PushOutcome {
        let payload = TestPush.end(stamp: nextStamp(), contentState: state, dismissAt: dismissAt)
        return await kit.receive(try push(payload, to: try await token(of: id)))
    }

    @discardableResult
    func broadcast(_ state: ContentState, on channel: ChannelID) async throws -> [PushOutcome] {
        let payload = TestPush.update(
            stamp: nextStamp(), contentState: state, staleAt: clock.now + 600, relevance: 50)
        let headers = ["apns-push-type": "liveactivity", "apns-priority": "5"]
        return await kit.receive(BroadcastPush(channel: channel, headers: headers, body: try payload.encoded()))
    }

    private func token(of id: ActivityID) async throws -> String {
        try await until("a token") { await kit.activities.first { $0.id == id }?.token != nil }
        return await kit.activities.first { $0.id == id }?.token?.rawValue ?? ""
    }

    private func push(_ payload: TestPush, to token: String, priority: Int = 10) throws -> RawPush {
        RawPush(
            token: token, headers: ["apns-push-type": "liveactivity", "apns-priority": String(priority)],
            body: try payload.encoded())
    }

    // MARK: - State

    func shown() async -> [SimulatedActivity] { await kit.activities }

    /// Returns the first activity whose token the gateway has.
    func registeredActivity(_ match: MatchID) async throws -> ActivityID {
        try await until("the gateway has a token") { await gateway.activities[match]?.id != nil }
        return try #require(await gateway.activities[match]?.id)
    }
}

struct StartNotTaken: Error {
    var outcome: PushOutcome
}
