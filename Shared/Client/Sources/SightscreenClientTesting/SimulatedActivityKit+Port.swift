public import SightscreenModels
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import SightscreenClient

/// The functions that the app uses.
extension SimulatedActivityKit: ActivityKitPort {
    public func request(
        _ attributes: LiveActivityAttributes, _ content: ShownContent, pushType: ActivityPushType,
        schedule: ActivitySchedule?
    ) async throws(ActivityRequestError) -> PhoneActivity {
        await whenAwake()
        board.advance(to: clock.now)
        if case .channel(let id) = pushType, Data(base64Encoded: id.rawValue) == nil || deletedChannels.contains(id) {
            throw .other("\(id) is no channel")
        }
        let bytes = Self.bytes(attributes) + Self.bytes(content.state)
        let activity = try board.request(
            attributes, content, pushType, schedule, as: newActivityID(), bytes: bytes,
            isInForeground: isInForeground, now: clock.now)
        given[activity.id] = activity
        await publish()
        return activity
    }

    public func end(_ id: ActivityID, _ dismissal: EndDismissal) async {
        await whenAwake()
        board.end(id, dismissal, now: clock.now)
        await publish()
    }

    public func activities() async -> [PhoneActivity] {
        await whenAwake()
        await catchUp()
        unlisted = unlisted.filter { $0.value > clock.now }
        let listed = board.activities.map(\.activity).filter { unlisted[$0.id] == nil }
        for activity in listed { given[activity.id] = activity }
        return listed
    }

    public func activity(_ id: ActivityID) async -> PhoneActivity? {
        await whenAwake()
        await catchUp()
        guard var activity = given[id] else { return nil }
        if let present = board[id]?.activity { return present }
        activity.state = .dismissed
        return activity
    }

    public func activityUpdates() async -> AsyncStream<PhoneActivity> {
        await whenAwake()
        return appearances.values()
    }

    public func pushToStartToken() async -> PushToStartToken? {
        await whenAwake()
        return startToken.rawValue.isEmpty ? nil : startToken
    }

    public func pushToStartTokenUpdates() async -> AsyncStream<PushToStartToken> {
        await whenAwake()
        return startTokens.values(repeatingLatest: !hasSilentTokenStreams)
    }

    public func pushToken(of id: ActivityID) async -> UpdateToken? {
        await whenAwake()
        return given[id] == nil ? nil : board[id]?.token
    }

    public func pushTokenUpdates(of id: ActivityID) async -> AsyncStream<UpdateToken> {
        await whenAwake()
        return streams[id]?.tokens.values(repeatingLatest: !hasSilentTokenStreams) ?? Self.nothing()
    }

    public func contentUpdates(of id: ActivityID) async -> AsyncStream<ShownContent> {
        await whenAwake()
        return streams[id]?.contents.values() ?? Self.nothing()
    }

    public func activityStateUpdates(of id: ActivityID) async -> AsyncStream<PhoneActivityState> {
        await whenAwake()
        if let states = streams[id]?.states { return states.values() }
        // An activity that was given says itself that it is gone; of another one nothing is known.
        let isGone = given[id] != nil
        return AsyncStream { continuation in
            if isGone { continuation.yield(.dismissed) }
            continuation.finish()
        }
    }

    public func areActivitiesEnabled() async -> Bool {
        await whenAwake()
        return board.showsActivities
    }

    public func activityEnablementUpdates() async -> AsyncStream<Bool> {
        await whenAwake()
        return enablement.values()
    }

    public func frequentPushesEnabled() async -> Bool {
        await whenAwake()
        return board.takesFrequentPushes
    }

    public func frequentPushEnablementUpdates() async -> AsyncStream<Bool> {
        await whenAwake()
        return frequentPushes.values()
    }

    private static func nothing<Value>() -> AsyncStream<Value> { AsyncStream { $0.finish() } }

    private static func bytes(_ value: some Encodable) -> Int { (try? JSONEncoder().encode(value).count) ?? .max / 2 }
}
