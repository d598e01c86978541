import SightscreenClient
public import SightscreenModels

/// The functions that deliver broadcasts.
extension SimulatedActivityKit {
    /// The channels to which the phone is subscribed: those of its running activities.
    public var channels: Set<ChannelID> { Set(board.activities.filter(\.isRunning).compactMap(\.channel)) }

    /// Delivers a publish. Nothing is kept for an offline phone, and the app need not run.
    ///
    /// - Returns: the effect on each activity that listens to the channel; empty when there is none.
    @discardableResult
    public func receive(_ push: BroadcastPush) async -> [PushOutcome] {
        await catchUp()
        // A scheduled activity is subscribed when it appears.
        let listeners = board.activities.filter { $0.channel == push.channel && $0.state != .pending }.map(\.id)
        guard !listeners.isEmpty else { return [] }
        guard isOnline else { return listeners.map { _ in .dropped(.offline) } }
        guard broadcastsToMiss == 0 else {
            broadcastsToMiss -= 1
            return listeners.map { _ in .dropped(.missed) }
        }
        let outcomes = listeners.map { id -> PushOutcome in
            do throws(PushDropped) { return try taken(push, by: id) } catch { return .dropped(error.reason) }
        }
        await publish()
        return outcomes
    }

    private func taken(_ push: BroadcastPush, by id: ActivityID) throws(PushDropped) -> PushOutcome {
        guard push.body.count <= limits.broadcastBytesMax else { throw PushDropped(.tooLarge) }
        guard push.headers["apns-push-type"] == APNsPushType.liveactivity.rawValue else {
            throw PushDropped(.wrongPushType)
        }
        let content = try ActivityPush(push.body)
        let priority = push.headers["apns-priority"].flatMap { Int($0) } ?? APNsPriority.immediate.rawValue
        let alerted = try board.update(id, content, priority: priority, now: clock.now)
        return content.event == .end ? .ended(id) : .updated(id, alerted: alerted)
    }

    /// Makes the phone miss the next publishes on channels that it is subscribed to, as delivery is best effort.
    public func missBroadcasts(_ count: Int) { broadcastsToMiss = count }

    /// Makes an id no channel, because it was deleted: the app's next request with it fails, and nothing is told to
    /// activities that listen to it.
    public func deleteChannel(_ channel: ChannelID) { deletedChannels.insert(channel) }
}
