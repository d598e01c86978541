public import SightscreenModels

/// Decides what to do with an activity that a phone reports for one match: by its update token, or as a card that
/// listens to a broadcast channel and has none.
///
/// Three things can be wrong with a token: it belongs to an activity that is already over, to a second activity beside
/// the running one, or to an activity that is not wanted. Such a token gets an end push and is used for nothing else.
///
/// The caller who reports a token may not have it from a phone. So a report that leads to nothing sends little and
/// writes little: one for an unknown match nothing at all, one of another user's token no end, and one of a phone's
/// match a bounded number of ends and generations.
public struct ActivityTokenRule: Sendable {
    public enum Action: Hashable, Sendable {
        /// Stores the generation's first token.
        case activate(generation: Int)
        /// Replaces the token of the same activity; the old one is never used again.
        case rotate(generation: Int)
        /// Changes nothing: the token is known already, or was replaced already.
        case keep(generation: Int)
        /// Makes a new active generation: the app started an activity itself, or an activity whose token was called
        /// dead is there under this one.
        case adopt
        /// Ends that generation and sends an end to its token, and makes a new active one: the report is about a
        /// second, newer activity or about the renewal of the first.
        case replace(generation: Int)
        /// Sends an end to this token, recorded in that generation, or (nil) in a new one that is over from the
        /// beginning. A token that was replaced gets none.
        case end(generation: Int?)
        /// Acts like `end(nil)`, because the user does not follow the match.
        case refuse
        /// Nothing is recorded and nothing is sent.
        case pass(Reason)
        /// Changes nothing yet: the token belongs to another user until the phone has proved whose it is.
        case wait
    }

    /// Why a report leads to nothing.
    public enum Reason: Hashable, Sendable {
        case unknownMatch
        /// The user does not follow the match, and the token gets no end, because an activity has it or too many ends
        /// are due.
        case notFollowed
        /// The token would get an end, but another user's activity has it.
        case anothersToken
        /// `owedEndsMax` ends of the match are due to that phone.
        case tooManyEnds
        /// Reports of that phone have made `reportedMax` generations of the match.
        case tooManyGenerations
    }

    /// Another activity that has the token, or whose end is due to it.
    public enum Holder: Hashable, Sendable {
        case nobody
        /// An activity of the same user, of another match or on another phone; or of a user who has left that phone.
        case user
        /// An activity of another user, to whom the phone belongs as far as is known.
        case another
    }

    /// The most ends of a match that may be due to one phone: iOS lets an app have no more activities on a phone, so no
    /// more can end at once.
    public static let owedEndsMax = 4
    /// The most generations of one match on one phone that its reports may make. Those of starts that the server sent
    /// are not counted: they have limits of their own, and a Test of five days needs many.
    public static let reportedMax = 16

    /// The update token; nil for a card that listens to a channel. No push ends a single one of those, so an end of such
    /// a card is the answer to its app, and nothing is recorded for it.
    public var token: UpdateToken?
    public var activityID: ActivityID?
    public var startID: StartID?
    public var isFollowed: Bool
    /// The match has ended, and with it all its activities.
    public var matchIsOver: Bool
    /// The provider has such a match, or had it lately.
    public var matchIsKnown: Bool
    public var holder: Holder

    package init(
        token: UpdateToken?, activityID: ActivityID?, startID: StartID?, isFollowed: Bool, matchIsOver: Bool,
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
        // A caller who knows a token may not have the phone.
        case .activate, .rotate, .adopt, .replace: if holder == .another { return .wait }
        case .keep, .end, .refuse, .pass, .wait: break
        }
        switch action {
        case .activate, .rotate, .keep, .pass, .wait: return action
        case .end where token == nil: return action
        case .adopt: return isFull ? .pass(.tooManyGenerations) : action
        case .replace(let generation):
            // The server asked for the renewal, so no limit applies.
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

    /// Whether no new end is due: the generation's end to this token is due already, or the token was replaced and gets
    /// none.
    private func owesNothingNew(_ record: ActivityGeneration) -> Bool {
        record.endIsOwed && record.token == token || token.map(record.formerTokens.contains) ?? false
    }

    /// Returns the action for the token by its meaning alone, before any limits.
    private func meaning(for records: [ActivityGeneration]) -> Action {
        let named = record(in: records)
        // The report is too late; if the activity has to end, the end goes to its newest token.
        if let token, let named, named.isCurrent, named.formerTokens.contains(token) {
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

    /// Returns the generation that the ids mean; without ids the newest.
    private func record(in records: [ActivityGeneration]) -> ActivityGeneration? {
        if let activityID, let record = records.first(where: { $0.activityID == activityID }) { return record }
        if let startID, let record = records.first(where: { $0.startID == startID }) { return record }
        if let record = records.first(where: had) { return record }
        guard activityID == nil, startID == nil, let newest = records.first, !newest.endedBeforeFollow else {
            return nil
        }
        return newest
    }

    /// Whether the token is or was that record's.
    private func had(_ record: ActivityGeneration) -> Bool {
        token.map { record.token == $0 || record.formerTokens.contains($0) } ?? false
    }

    /// Whether the token is that of the record's renewal. While a renewal's start is out, a token that belongs to no
    /// known activity is taken for the new activity's, also when it names an earlier try, which may arrive late.
    private func isRenewal(of record: ActivityGeneration, among records: [ActivityGeneration]) -> Bool {
        guard record.status == .active, let renewal = record.renewalStartID, !had(record) else { return false }
        if startID == renewal { return true }
        return !records.contains { known in
            had(known) || activityID.map { $0 == known.activityID } ?? false
                || startID.map { $0 == known.startID } ?? false
        }
    }

    /// Whether the report proves that a card believed missing is there: APNs called its old token dead before the phone
    /// could register the new one. The old token itself proves nothing.
    private func isFound(_ named: ActivityGeneration, _ records: [ActivityGeneration]) -> Bool {
        token != nil && isFollowed && named.cardMayBeThere && named.generation == records.first?.generation
            && !had(named)
    }

    /// Returns an end in the record of that activity. A second activity of the same start gets a record of its own,
    /// because its token in the first one's record would make the server forget the end that is still due to the first.
    private func end(in named: ActivityGeneration?) -> Action {
        .end(generation: named.flatMap { isOtherActivity(than: $0) && !had($0) ? nil : $0.generation })
    }

    /// Whether the report is about another activity than the record: one start may be delivered twice and make two
    /// activities. A card on a channel is not the one that came with a token, and one that names no start is the app's
    /// own.
    private func isOtherActivity(than record: ActivityGeneration) -> Bool {
        if let activityID, let known = record.activityID { return activityID != known }
        return token == nil && (record.token != nil || startID == nil && record.startID != nil)
    }

    /// Returns the action for a token whose start is not on record: the start is the app's own, or an earlier try of
    /// some generation, because the id of a new try replaces the one before.
    ///
    /// An earlier try does no harm. Where no activity runs yet, the late try's activity is the one that was asked for,
    /// and is used from then on; if the newer try arrives, too, it is on record and takes over. Where one runs, the
    /// late one is older, and is the second. Only an app that never names its activities can have the running one taken
    /// for another, when it reports a new token under the late try's start: that token gets an end, the token on record
    /// is found dead, and a new generation is started.
    private func actionForStranger(_ records: [ActivityGeneration]) -> Action {
        guard isFollowed else { return .refuse }
        guard let current = records.first(where: \.isCurrent) else { return .adopt }
        if current.status == .pending { return .activate(generation: current.generation) }
        // Every start is recorded before it is sent, so a start that is not on record is older than the one that is.
        if startID != nil, current.startID != nil { return .end(generation: nil) }
        return isOtherActivity(than: current)
            ? .replace(generation: current.generation) : .rotate(generation: current.generation)
    }
}
