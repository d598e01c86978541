public import SightscreenModels

/// What to do with an update token that a phone reports for one match.
///
/// Three things can be wrong with a token: it belongs to an activity that is already over, to a second activity beside
/// the one that runs, or to one that nobody wants. Such a token gets an end push and is never used for anything else.
///
/// A caller who reports a token need not have it from a phone. So a report that comes to nothing sends little and writes
/// little: an unknown match nothing at all, a token of somebody else's activity no end, and a phone's match a bounded
/// number of ends and generations.
public struct ActivityTokenRule: Sendable {
    public enum Action: Hashable, Sendable {
        /// The generation's first token.
        case activate(generation: Int)
        /// Another token of the same activity: the old one is never used again.
        case rotate(generation: Int)
        /// Known already, or replaced already.
        case keep(generation: Int)
        /// The app started an activity of its own, or one whose token had died is there with another: a new generation,
        /// active.
        case adopt
        /// A second activity, and the newer one, or the renewal of the first: that generation ends and its token gets an
        /// end; a new one is active.
        case replace(generation: Int)
        /// This token gets an end, in the record of that generation, or of a new one that is over from the beginning;
        /// one that was replaced gets nothing.
        case end(generation: Int?)
        /// As `end(nil)`; the user does not even follow the match.
        case refuse
        /// Nothing is recorded and nothing is sent.
        case pass(Reason)
        /// It would be this activity's, and is another user's until that phone has shown whose it is: nothing changes.
        case wait
    }

    /// Why nothing comes of a report.
    public enum Reason: Hashable, Sendable {
        case unknownMatch
        /// The user does not follow the match, and the token gets no end: an activity has it, or too many are owed.
        case notFollowed
        /// The token would get an end, and another user's activity has it.
        case anothersToken
        /// `owedEndsMax` of the match wait for that phone.
        case tooManyEnds
        /// `reportedMax` of the match were made by reports of that phone.
        case tooManyGenerations
    }

    /// Another activity that has the token, or is owed an end with it.
    public enum Holder: Hashable, Sendable {
        case nobody
        /// One of the same user's, of another match or on another phone; or of a user who has left that phone.
        case user
        /// Of a user whose phone it is as far as is known.
        case another
    }

    /// More activities than iOS lets an app have on a phone do not end at once.
    public static let owedEndsMax = 4
    /// Generations of one match on one phone that its reports have made. Those of starts that the server sent are not
    /// counted: they have limits of their own, and a Test of five days needs many.
    public static let reportedMax = 16

    public var token: UpdateToken
    public var activityID: ActivityID?
    public var startID: StartID?
    public var isFollowed: Bool
    /// The match has ended, and with it all its activities.
    public var matchIsOver: Bool
    /// The provider has, or had lately, such a match.
    public var matchIsKnown: Bool
    public var holder: Holder

    public init(
        token: UpdateToken, activityID: ActivityID?, startID: StartID?, isFollowed: Bool, matchIsOver: Bool,
        matchIsKnown: Bool = true, holder: Holder = .nobody
    ) {
        self.token = token
        self.activityID = activityID
        self.startID = startID
        self.isFollowed = isFollowed
        self.matchIsOver = matchIsOver
        self.matchIsKnown = matchIsKnown
        self.holder = holder
    }

    /// - Parameter records: all generations of the match on that phone, newest first.
    public func action(for records: [ActivityGeneration]) -> Action {
        guard matchIsKnown else { return .pass(.unknownMatch) }
        let action = meaning(for: records)
        let isFull = records.count(where: { !$0.startWasSent }) >= Self.reportedMax
        let owesMany = records.count(where: \.endIsOwed) >= Self.owedEndsMax
        switch action {
        // Who knows a token need not have the phone.
        case .activate, .rotate, .adopt, .replace: if holder == .another { return .wait }
        case .keep, .end, .refuse, .pass, .wait: break
        }
        switch action {
        case .activate, .rotate, .keep, .pass, .wait: return action
        case .adopt: return isFull ? .pass(.tooManyGenerations) : action
        case .replace(let generation):
            // The renewal was asked for.
            if records.contains(where: { $0.generation == generation && isRenewal(of: $0, among: records) }) {
                return action
            }
            return isFull ? .pass(.tooManyGenerations) : owesMany ? .pass(.tooManyEnds) : action
        case .end(let generation?):
            let record = records.first { $0.generation == generation }
            if let record, owesNothingNew(record) { return action }
            if holder == .another { return .pass(.anothersToken) }
            return owesMany && record?.endIsOwed != true ? .pass(.tooManyEnds) : action
        case .end(nil):
            if holder == .another { return .pass(.anothersToken) }
            return isFull ? .pass(.tooManyGenerations) : owesMany ? .pass(.tooManyEnds) : action
        case .refuse:
            return holder != .nobody || isFull || owesMany ? .pass(.notFollowed) : action
        }
    }

    /// Its end is on the way already, or the token was replaced and gets none.
    private func owesNothingNew(_ record: ActivityGeneration) -> Bool {
        record.endIsOwed && record.token == token || record.formerTokens.contains(token)
    }

    /// What the token is, whatever may come of it.
    private func meaning(for records: [ActivityGeneration]) -> Action {
        let named = record(in: records)
        // It comes too late. Should the activity have to end, its newest token is told.
        if let named, named.isCurrent, named.formerTokens.contains(token) {
            return .keep(generation: named.generation)
        }
        if matchIsOver { return end(in: named) }
        if let renewed = records.first(where: { isRenewal(of: $0, among: records) }) {
            return .replace(generation: renewed.generation)
        }
        guard let named else { return actionForStranger(records) }
        switch named.status {
        case .ended: return isFound(named, records) ? .adopt : end(in: named)
        case .pending: return .activate(generation: named.generation)
        case .active:
            if isOtherActivity(than: named) { return .replace(generation: named.generation) }
            return had(named) ? .keep(generation: named.generation) : .rotate(generation: named.generation)
        }
    }

    /// The generation that the ids mean; without ids the newest.
    private func record(in records: [ActivityGeneration]) -> ActivityGeneration? {
        if let activityID, let record = records.first(where: { $0.activityID == activityID }) { return record }
        if let startID, let record = records.first(where: { $0.startID == startID }) { return record }
        if let record = records.first(where: had) { return record }
        guard activityID == nil, startID == nil, let newest = records.first, !newest.endedBeforeFollow else {
            return nil
        }
        return newest
    }

    /// The token is that record's, or was before it was replaced.
    private func had(_ record: ActivityGeneration) -> Bool {
        record.token == token || record.formerTokens.contains(token)
    }

    /// While a renewal is out, a token that belongs to nothing on record is the new activity's; also when it names an
    /// earlier try, which may arrive after all.
    private func isRenewal(of record: ActivityGeneration, among records: [ActivityGeneration]) -> Bool {
        guard record.status == .active, let renewal = record.renewalStartID, !had(record) else { return false }
        if startID == renewal { return true }
        return !records.contains { known in
            had(known) || activityID.map { $0 == known.activityID } ?? false
                || startID.map { $0 == known.startID } ?? false
        }
    }

    /// APNs called the old token dead before the phone could register the new one: the card is there, nothing was lost.
    /// The old token itself proves nothing.
    private func isFound(_ named: ActivityGeneration, _ records: [ActivityGeneration]) -> Bool {
        isFollowed && named.cardMayBeThere && named.generation == records.first?.generation && !had(named)
    }

    /// In the record of that activity. One more of the same start has a record of its own: an end that is still owed to the
    /// first would be forgotten with its token.
    private func end(in named: ActivityGeneration?) -> Action {
        .end(generation: named.flatMap { isOtherActivity(than: $0) && !had($0) ? nil : $0.generation })
    }

    /// One start may be delivered twice: same start, two activities.
    private func isOtherActivity(than record: ActivityGeneration) -> Bool {
        guard let activityID, let known = record.activityID else { return false }
        return activityID != known
    }

    /// A start that is not on record is the app's own, or a try before the last of some generation: a new try's id takes
    /// the place of the one before. That harms nobody. Where nothing runs yet the late try's activity is the one that was
    /// asked for, and goes by its name from then on; should the newer try arrive, too, it is on record and takes over.
    /// Where one runs the late one is older, and is the second. Only an app that never names its activities can have the
    /// one that runs taken for another, when it reports a new token under the late try's start: that gets an end, the
    /// token on record is found dead, and a new generation is started.
    private func actionForStranger(_ records: [ActivityGeneration]) -> Action {
        guard isFollowed else { return .refuse }
        guard let current = records.first(where: \.isCurrent) else { return .adopt }
        if current.status == .pending { return .activate(generation: current.generation) }
        // Every start is recorded before it is sent, so one that is not on record is older than the one that is.
        if startID != nil, current.startID != nil { return .end(generation: nil) }
        return isOtherActivity(than: current)
            ? .replace(generation: current.generation) : .rotate(generation: current.generation)
    }
}
