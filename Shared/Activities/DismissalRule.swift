public import SightscreenModels

/// Decides what the removal of an activity from a phone means: the user's wish to hear no more, unless the server had
/// already ended the activity or it is not the current one.
public struct DismissalRule: Sendable {
    public enum Action: Hashable, Sendable {
        /// The user dismissed the current activity: that generation ends, and so does the follow.
        case unfollow(generation: Int)
        /// The user dismissed the activity that was current until its token died because of the dismissal: the
        /// generation is over already, and the follow ends.
        case unfollowOnly(generation: Int)
        /// The removal is only recorded: it comes from our own end, a renewal, or the app's end of a stale card.
        case record(generation: Int?)
    }

    public var activityID: ActivityID?
    public var token: UpdateToken?

    package init(activityID: ActivityID?, token: UpdateToken?) {
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

    /// Whether the dismissal names this activity, and not the one that was to replace it.
    public func names(_ record: ActivityGeneration) -> Bool {
        if let activityID, record.activityID != nil { return record.activityID == activityID }
        return token == nil || record.token == token
    }

    private func record(in records: [ActivityGeneration]) -> ActivityGeneration? {
        if let activityID, let record = records.first(where: { $0.activityID == activityID }) { return record }
        if let token, let record = records.first(where: { $0.token == token }) { return record }
        return activityID == nil && token == nil ? records.first : nil
    }

    /// Whether the dismissal is why the token died: Apple reported the dead token before the phone reported the
    /// dismissal, and nothing has replaced the activity on the phone. A follow since then is a newer wish.
    private func isWhyItDied(_ named: ActivityGeneration, _ records: [ActivityGeneration]) -> Bool {
        named.lostItsToken && !named.endedBeforeFollow && !records.contains { $0.status == .active }
            && !records.contains { $0.generation > named.generation && $0.status == .ended }
    }

    /// Whether a dismissal of an unknown activity can mean this one: it came before the server learnt the activity's
    /// id, right after its start, or from an app that sent no id.
    private func canBeUnnamed(_ current: ActivityGeneration) -> Bool {
        switch current.status {
        case .pending: current.startIsOut
        // The dismissed activity may also be the renewal, whose token has not come yet.
        case .active: activityID != nil && (current.activityID == nil || current.renewalStartID != nil)
        case .ended: false
        }
    }
}
