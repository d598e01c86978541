import APNsProtocol
import FoundationEssentials
import SightscreenClientTesting
import SightscreenModels
import Testing

@testable import APNsSimulator

/// One push of each event.
private enum Sample {
    static let stamp = Stamp(1_700_000_000)

    static let state = ContentState(
        version: 118, matchDisplayState: .live, matchSentiment: .tense,
        compactLeading: .init(teamAbbr: "MI", score: "87/6"), compactTrailing: .init(overs: "12.3", runRate: "6.96"),
        minimal: nil,
        expanded: .init(
            title: "MI v CSK", subtitle: "IPL", innings: [], batters: [], bowler: nil, recentBalls: [], target: nil,
            requiredRunRate: nil, equation: nil, lastEvent: nil, status: nil))

    static let start = LiveActivityPayload.start(
        stamp: stamp, contentState: state, staleAt: nil, relevance: nil,
        alert: PushAlert(title: "MI v CSK", body: "MI 87/6 (12.3)"), attributesType: "LiveActivityAttributes",
        attributes: LiveActivityAttributes(
            matchID: MatchID(1_304_076), startID: StartID("s-1"),
            home: Team(id: 6, name: "Mumbai Indians", code: "MI"),
            away: Team(id: 2, name: "Chennai Super Kings", code: "CSK"), competition: "Indian Premier League",
            startsAt: 1_699_990_200))

    static let update = LiveActivityPayload.update(stamp: stamp, contentState: state, staleAt: nil, relevance: nil)

    static let end = LiveActivityPayload.end(stamp: stamp, contentState: state, dismissAt: 1_700_000_900)
}

struct DeviceModelTests {
    private static let now = Sample.stamp.rawValue
    private static let type = "LiveActivityAttributes"

    private func receive(
        _ model: inout DeviceModel, _ payload: LiveActivityPayload, priority: Int = 10,
        expiration: Int? = nil, budgets: DeviceBudgets = .none, at now: Int = Self.now
    ) throws -> DeviceOutcome {
        model.receive(
            DevicePush(try payload.encode().bytes), priority: priority, expiration: expiration,
            attributesType: Self.type,
            budgets: budgets, now: now)
    }

    private func update(_ stamp: Int) -> LiveActivityPayload {
        .update(stamp: Stamp(stamp), contentState: Sample.state, staleAt: nil, relevance: nil)
    }

    @Test func updatesMustGrowAndNothingFollowsAnEnd() throws {
        var phone = DeviceModel(kind: .update, shown: Stamp(Self.now))
        #expect(try receive(&phone, update(Self.now)) == .droppedOldTimestamp)
        #expect(try receive(&phone, update(Self.now + 1)) == .handled)
        #expect(try receive(&phone, update(Self.now + 1)) == .droppedOldTimestamp)
        // An end is never too old.
        #expect(try receive(&phone, Sample.end) == .handled)
        #expect(try receive(&phone, update(Self.now + 2)) == .alreadyEnded)
    }

    @Test func anUpdateFromTheFarFutureIsDropped() throws {
        var phone = DeviceModel(kind: .update)
        #expect(try receive(&phone, update(Self.now + 8 * 3_600 + 1)) == .droppedFarTimestamp)
        #expect(try receive(&phone, update(Self.now + 8 * 3_600)) == .handled)
    }

    @Test func aPushThatComesTooLateIsNotDelivered() throws {
        var phone = DeviceModel(kind: .update)
        #expect(try receive(&phone, update(Self.now), expiration: Self.now - 1) == .expired)
        #expect(try receive(&phone, update(Self.now), expiration: Self.now) == .handled)
        #expect(try receive(&phone, update(Self.now + 1), expiration: 0) == .handled)
    }

    @Test func aStartIsForStartTokensOnly() throws {
        var starter = DeviceModel(kind: .start)
        #expect(try receive(&starter, Sample.start) == .handled)
        #expect(try receive(&starter, Sample.update) == .wrongEventForToken)
        var activity = DeviceModel(kind: .update)
        #expect(try receive(&activity, Sample.start) == .wrongEventForToken)
    }

    @Test(arguments: [
        ("\"alert\":{", "\"alarm\":{", DeviceOutcome.missingAlert),
        ("\"title\":\"MI v CSK\"},\"attributes", "\"name\":\"MI v CSK\"},\"attributes", .missingAlert),
        ("\"attributes-type\":\"LiveActivityAttributes\"", "\"attributes-type\":\"Other\"", .wrongAttributesType),
        ("\"attributes-type\"", "\"attributesType\"", .wrongAttributesType),
        ("\"attributes\":{", "\"attribute\":{", .attributesNotDecodable),
        ("\"startsAt\":1699990200", "\"startsAt\":\"soon\"", .attributesNotDecodable),
        ("\"content-state\"", "\"contentState\"", .notDecodable), ("\"timestamp\"", "\"time\"", .notDecodable),
        ("\"event\":\"start\"", "\"event\":\"begin\"", .notDecodable),
        ("\"version\":118", "\"version\":\"118\"", .notDecodable),
    ])
    func aPhoneIsSilentAboutABrokenStart(found: String, written: String, outcome: DeviceOutcome) throws {
        let good = String(decoding: try Sample.start.encode().bytes, as: UTF8.self)
        let broken = good.replacing(found, with: written)
        #expect(broken != good)
        var phone = DeviceModel(kind: .start)
        let found = phone.receive(
            DevicePush(Array(broken.utf8)), expiration: nil, attributesType: Self.type, now: Self.now)
        #expect(found == outcome)
    }

    @Test func updatesOfPriorityTenHaveAnHourlyBudget() throws {
        let budgets = DeviceBudgets(immediate: 3, immediateInfrequent: 1)
        for (isFrequent, count) in [(true, 3), (false, 1)] {
            var phone = DeviceModel(kind: .update, takesFrequentPushes: isFrequent)
            for second in 1...count {
                #expect(try receive(&phone, update(Self.now + second), budgets: budgets) == .handled)
            }
            #expect(try receive(&phone, update(Self.now + 4), budgets: budgets) == .updateBudgetExceeded)
            // What the phone did not take is not shown, and the routine is not counted.
            #expect(try receive(&phone, update(Self.now + 4), priority: 5, budgets: budgets) == .handled)
            #expect(phone.shown == Stamp(Self.now + 4))
            // One comes back with time.
            let later = Self.now + 3_600 / count + 1
            #expect(try receive(&phone, update(Self.now + 5), budgets: budgets, at: later) == .handled)
            #expect(try receive(&phone, update(Self.now + 6), budgets: budgets, at: later) == .updateBudgetExceeded)
            #expect(try receive(&phone, Sample.end, budgets: budgets, at: later) == .handled)
        }
    }

    @Test func startsHaveABudgetOfTheirOwn() throws {
        var phone = DeviceModel(kind: .start)
        let budgets = DeviceBudgets(immediate: 1, starts: 2)
        for _ in 1...2 { #expect(try receive(&phone, Sample.start, budgets: budgets) == .handled) }
        #expect(try receive(&phone, Sample.start, budgets: budgets) == .startBudgetExceeded)
        // The one that was dropped is paid for before another is taken.
        let half = DeviceBudget.startsSeconds / 2
        #expect(try receive(&phone, Sample.start, budgets: budgets, at: Self.now + half + 60) == .startBudgetExceeded)
        #expect(try receive(&phone, Sample.start, budgets: budgets, at: Self.now + 3 * half + 60) == .handled)
    }

    @Test func aMillionOfThemAreSmall() { #expect(MemoryLayout<DeviceModel>.stride <= 32) }
}
