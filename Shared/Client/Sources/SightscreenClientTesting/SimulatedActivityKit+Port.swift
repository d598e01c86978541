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
        board.end(id, dismissal, now: clock.now)
        await publish()
    }

    public func activities() async -> [PhoneActivity] {
        await catchUp()
        unlisted = unlisted.filter { $0.value > clock.now }
        let listed = board.activities.map(\.activity).filter { unlisted[$0.id] == nil }
        for activity in listed { given[activity.id] = activity }
        return listed
    }

    public func activity(_ id: ActivityID) async -> PhoneActivity? {
        await catchUp()
        guard var activity = given[id] else { return nil }
        if let present = board[id]?.activity { return present }
        activity.state = .dismissed
        return activity
    }

    public func activityUpdates() -> AsyncStream<PhoneActivity> { appearances.values() }

    public func pushToStartToken() -> PushToStartToken? { startToken.rawValue.isEmpty ? nil : startToken }

    public func pushToStartTokenUpdates() -> AsyncStream<PushToStartToken> {
        startTokens.values(repeatingLatest: !hasSilentTokenStreams)
    }

    public func pushToken(of id: ActivityID) -> UpdateToken? { given[id] == nil ? nil : board[id]?.token }

    public func pushTokenUpdates(of id: ActivityID) -> AsyncStream<UpdateToken> {
        streams[id]?.tokens.values(repeatingLatest: !hasSilentTokenStreams) ?? Self.nothing()
    }

    public func contentUpdates(of id: ActivityID) -> AsyncStream<ShownContent> {
        streams[id]?.contents.values() ?? Self.nothing()
    }

    public func activityStateUpdates(of id: ActivityID) -> AsyncStream<PhoneActivityState> {
        if let states = streams[id]?.states { return states.values() }
        // An activity that was given says itself that it is gone; of another one nothing is known.
        let isGone = given[id] != nil
        return AsyncStream { continuation in
            if isGone { continuation.yield(.dismissed) }
            continuation.finish()
        }
    }

    public func areActivitiesEnabled() -> Bool { board.showsActivities }

    public func activityEnablementUpdates() -> AsyncStream<Bool> { enablement.values() }

    public func frequentPushesEnabled() -> Bool { board.takesFrequentPushes }

    public func frequentPushEnablementUpdates() -> AsyncStream<Bool> { frequentPushes.values() }

    private static func nothing<Value>() -> AsyncStream<Value> { AsyncStream { $0.finish() } }

    private static func bytes(_ value: some Encodable) -> Int { (try? JSONEncoder().encode(value).count) ?? .max / 2 }
}
