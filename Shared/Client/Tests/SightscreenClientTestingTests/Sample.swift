import FoundationEssentials
import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import TestSupport

/// Sample data for a phone and its pushes.
enum Sample {
    static let now = 1_800_000_000
    static let match = MatchID(1_304_076)

    static func state(_ version: Int = 1, score: String = "87/6") -> ContentState {
        ContentState(
            version: version, matchDisplayState: .live, matchSentiment: .tense,
            compactLeading: .init(teamAbbr: "MI", score: score),
            compactTrailing: .init(overs: "12.3", runRate: "6.96"), minimal: nil,
            expanded: .init(
                title: "MI v CSK", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
                requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))
    }

    static func attributes(_ match: MatchID = match, start: String = "s-1", name: String = "Mumbai Indians")
        -> LiveActivityAttributes
    {
        LiveActivityAttributes(
            matchID: match, startID: StartID(start), home: Team(id: 6, name: name, code: "MI"),
            away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "Indian Premier League",
            startsAt: now - 3_600)
    }

    static func start(
        _ match: MatchID = match, at stamp: Int = now, relevance: Double? = nil, staleAt: Int? = nil,
        type: String = "LiveActivityAttributes", on channel: ChannelID? = nil
    ) -> TestPush {
        .start(
            stamp: Stamp(stamp), contentState: state(), staleAt: staleAt, relevance: relevance,
            alert: PushAlert(title: "MI v CSK", body: "Live"), attributesType: type, attributes: attributes(match),
            channel: channel)
    }

    static func update(
        _ version: Int, at stamp: Int, staleAt: Int? = nil, relevance: Double? = nil, alert: PushAlert? = nil
    ) -> TestPush {
        .update(
            stamp: Stamp(stamp), contentState: state(version), staleAt: staleAt, relevance: relevance, alert: alert)
    }

    static func end(at stamp: Int, dismissAt: Int) -> TestPush {
        .end(stamp: Stamp(stamp), contentState: state(99, score: "172/8"), dismissAt: dismissAt)
    }
}

/// Records the tokens that a phone reports to Apple.
actor TokenLedger: TokenSink {
    private(set) var living: [String: PushTokenKind] = [:]
    private(set) var dead: Set<String> = []
    private(set) var shown: [String: Stamp] = [:]

    func issued(_ token: String, _ kind: PushTokenKind, match: MatchID?, shown: Stamp?) {
        living[token] = kind
        if let shown { self.shown[token] = shown }
    }

    func died(_ token: String) {
        living[token] = nil
        dead.insert(token)
    }
}

/// A phone that is switched on, with helpers to push to it.
struct Bench {
    let clock = SimulatedClock(now: Sample.now)
    let ledger = TokenLedger()
    let kit: SimulatedActivityKit

    init(_ limits: PhoneLimits = PhoneLimits(), seed: UInt64 = 1, iOSVersion: Int = 18) async {
        kit = SimulatedActivityKit(
            clock: clock, seed: seed, tokens: ledger, limits: limits, iOSVersion: iOSVersion)
        await kit.switchOn()
    }

    static func push(
        _ payload: TestPush, to token: String, priority: Int = 10, expiration: Int? = nil
    ) throws -> RawPush {
        var headers = [
            "apns-push-type": "liveactivity", "apns-priority": String(priority),
            "apns-topic": "dev.sightscreen.app.push-type.liveactivity",
        ]
        if let expiration { headers["apns-expiration"] = String(expiration) }
        return RawPush(token: token, headers: headers, body: try payload.encoded())
    }

    @discardableResult
    func start(_ payload: TestPush? = nil, expiration: Int? = nil) async throws -> PushOutcome {
        let payload = payload ?? Sample.start(at: clock.now)
        return await kit.receive(
            try Self.push(payload, to: await kit.startToken.rawValue, expiration: expiration))
    }

    /// Starts an activity and waits for its token.
    func running(_ payload: TestPush? = nil) async throws -> ActivityID {
        let outcome = try await start(payload)
        guard case .started(let id) = outcome else { throw StartNotTaken(outcome: outcome) }
        try await token(of: id)
        return id
    }

    @discardableResult
    func token(of id: ActivityID) async throws -> String {
        try await eventually("a token") {
            if await kit.activities.first(where: { $0.id == id })?.token != nil { return true }
            clock.advance(by: .milliseconds(100))
            return false
        }
        return await kit.activities.first { $0.id == id }?.token?.rawValue ?? ""
    }

    @discardableResult
    func send(
        _ payload: TestPush, to id: ActivityID, priority: Int = 10, expiration: Int? = nil
    ) async throws -> PushOutcome {
        let token = try await token(of: id)
        return await kit.receive(try Self.push(payload, to: token, priority: priority, expiration: expiration))
    }

    /// Publishes on a channel.
    @discardableResult
    func publish(_ payload: TestPush, on channel: ChannelID, priority: Int = 5) async throws -> [PushOutcome] {
        await kit.receive(
            BroadcastPush(
                channel: channel,
                headers: [
                    "apns-push-type": "liveactivity", "apns-priority": String(priority), "apns-expiration": "0",
                ], body: try payload.encoded()))
    }

    /// Returns every state of the activity until it has left the screen.
    func states(of id: ActivityID) async -> [PhoneActivityState] {
        var states: [PhoneActivityState] = []
        for await state in await kit.activityStateUpdates(of: id) { states.append(state) }
        return states
    }

    subscript(_ id: ActivityID) -> SimulatedActivity? {
        get async { await kit.activities.first { $0.id == id } }
    }
}

extension SimulatedActivityKit {
    /// Requests an activity with an update token, which appears now.
    func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent
    ) async throws(ActivityRequestError) -> PhoneActivity {
        try await request(attributes, content, pushType: .token, schedule: nil)
    }
}

struct StartNotTaken: Error {
    var outcome: PushOutcome
}
