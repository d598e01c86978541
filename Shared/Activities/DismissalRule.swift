public import SightscreenModels

/// What it means that an activity was removed from a phone: the user's wish to hear no more, unless the server had ended
/// it already or it is not the activity that counts.
public struct DismissalRule: Sendable {
    public enum Action: Hashable, Sendable {
        /// The user dismissed the current activity: that generation ends, and so does the follow.
        case unfollow(generation: Int)
        /// The user dismissed the one that was it until its token died of that: it is over already, and the follow ends.
        case unfollowOnly(generation: Int)
        /// Our own end, a renewal, a stale end of the app's: nothing but a note.
        case record(generation: Int?)
    }

    public var activityID: ActivityID?
    public var token: UpdateToken?

    public init(activityID: ActivityID?, token: UpdateToken?) {
        self.activityID = activityID
        self.token = token
    }

    /// - Parameter records: all generations of the match on that phone, newest first.
    public func action(for records: [ActivityGeneration]) -> Action {
        if let named = record(in: records) {
            if named.isCurrent { return .unfollow(generation: named.generation) }
            return isWhyItDied(named, records)
                ? .unfollowOnly(generation: named.generation) : .record(generation: named.generation)
        }
        guard let current = records.first(where: \.isCurrent), canBeUnnamed(current) else {
            return .record(generation: nil)
        }
        return .unfollow(generation: current.generation)
    }

    /// That very activity was dismissed, and not the one that was to take its place.
    public func names(_ record: ActivityGeneration) -> Bool {
        if let activityID, record.activityID != nil { return record.activityID == activityID }
        return token == nil || record.token == token
    }

    private func record(in records: [ActivityGeneration]) -> ActivityGeneration? {
        if let activityID, let record = records.first(where: { $0.activityID == activityID }) { return record }
        if let token, let record = records.first(where: { $0.token == token }) { return record }
        return activityID == nil && token == nil ? records.first : nil
    }

    /// Apple was quicker to say that the token is dead than the phone to say why, and nothing has taken its place on the
    /// phone. A follow since then is a newer wish.
    private func isWhyItDied(_ named: ActivityGeneration, _ records: [ActivityGeneration]) -> Bool {
        named.lostItsToken && !named.endedBeforeFollow && !records.contains { $0.status == .active }
            && !records.contains { $0.generation > named.generation && $0.status == .ended }
    }

    /// Dismissed before the server learnt the activity's name: right after its start, or by an app that sent none.
    private func canBeUnnamed(_ current: ActivityGeneration) -> Bool {
        switch current.status {
        case .pending: current.startIsOut
        // Or the one that is to take its place, whose token has not come.
        case .active: activityID != nil && (current.activityID == nil || current.renewalStartID != nil)
        case .ended: false
        }
    }
}
