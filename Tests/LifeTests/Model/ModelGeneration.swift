import Activities
import SightscreenModels

/// One generation of an activity: from the wish for it to its end.
struct ModelGeneration: Hashable, Sendable {
    /// An end push that is owed to the phone.
    enum EndPush: Hashable, Sendable {
        /// Nothing to send.
        case none
        /// - Parameter leaseUntil: until then nobody else sends it.
        case due(EndDismissal, leaseUntil: Moment?)
        case sent
        /// It cannot be delivered, or nobody needs it any more.
        case dropped

        var isDue: Bool { if case .due = self { true } else { false } }
    }

    var number: Int
    var createdAt: Moment
    var status: ActivityGeneration.Status
    var reason: EndReason?
    var endedAt: Moment?
    /// The start that is out or was last out.
    var startID: StartID?
    /// The start that was sent to take its place.
    var renewalStartID: StartID?
    var start: ModelStart
    var activityID: ActivityID?
    var token: UpdateToken?
    var tokenAt: Moment?
    /// Tokens that were replaced: never used again, whenever they are reported.
    var formerTokens: [UpdateToken]
    /// When the phone began to show it, as far as is known: iOS counts eight hours from there.
    var shownSince: Moment?
    /// It is to be renewed; the end of a break does not take that back.
    var isToBeRenewed: Bool
    var endPush: EndPush
    /// Set when APNs calls its token dead, until the phone explains it.
    var card: MissingCard?
    /// When the phone last said that the card was there, beside its tokens.
    var seenAt: Moment?

    /// A late report is of one of the last few.
    static let formerTokensMax = 4

    init(
        number: Int, createdAt: Moment, status: ActivityGeneration.Status = .pending, reason: EndReason? = nil,
        endedAt: Moment? = nil, startID: StartID? = nil, renewalStartID: StartID? = nil,
        start: ModelStart = ModelStart(),
        activityID: ActivityID? = nil, token: UpdateToken? = nil, tokenAt: Moment? = nil,
        formerTokens: [UpdateToken] = [], shownSince: Moment? = nil, isToBeRenewed: Bool = false,
        endPush: EndPush = .none, card: MissingCard? = nil, seenAt: Moment? = nil
    ) {
        self.number = number
        self.createdAt = createdAt
        self.status = status
        self.reason = reason
        self.endedAt = endedAt
        self.startID = startID
        self.renewalStartID = renewalStartID
        self.start = start
        self.activityID = activityID
        self.token = token
        self.tokenAt = tokenAt
        self.formerTokens = formerTokens
        self.shownSince = shownSince
        self.isToBeRenewed = isToBeRenewed
        self.endPush = endPush
        self.card = card
        self.seenAt = seenAt
    }

    func record(followedAt: Moment?, _ now: Moment) -> ActivityGeneration {
        ActivityGeneration(
            generation: number, status: status, startID: startID, activityID: activityID, token: token,
            renewalStartID: renewalStartID, formerTokens: formerTokens,
            startIsOut: start.sentAt != nil || start.isLeased(now),
            endedBeforeFollow: endedAt.flatMap { ended in followedAt.map { ended < $0 } } ?? false,
            lostItsToken: reason == .tokenInvalid, cardMayBeThere: card != nil, endIsOwed: endPush.isDue,
            startWasSent: start.sentAt != nil)
    }

    /// When the phone last said, by a token or a list, that the card was there.
    var lastSeen: Moment? { [tokenAt, seenAt].compactMap { $0 }.max() }

    mutating func end(_ reason: EndReason, _ dismissal: EndDismissal?, _ now: Moment) {
        status = .ended
        self.reason = reason
        endedAt = now
        guard let dismissal, token != nil else { return endPush = .none }
        endPush = .due(dismissal, leaseUntil: nil)
    }

    /// A token of something that is over: nothing but an end is ever sent to it.
    mutating func owesEnd(
        _ token: UpdateToken, _ activity: ActivityID?, _ dismissal: EndDismissal, _ now: Moment
    ) {
        // The end of one that was replaced would be the newest one's no longer.
        if formerTokens.contains(token) || endPush.isDue && self.token == token {
            return name(self.activityID ?? activity)
        }
        if status != .ended { end(.matchEnd, nil, now) }
        take(token, activity, now)
        endPush = .due(dismissal, leaseUntil: nil)
    }

    mutating func activate(_ token: UpdateToken, _ activity: ActivityID?, _ now: Moment) {
        status = .active
        take(token, activity, now)
        shownSince = start.sentAt ?? now
        start = ModelStart(sentAt: start.sentAt)
    }

    mutating func take(_ token: UpdateToken, _ activity: ActivityID?, _ now: Moment) {
        if let former = self.token, former != token {
            formerTokens = (formerTokens + [former]).suffix(Self.formerTokensMax)
        }
        self.token = token
        tokenAt = now
        name(activity)
    }

    mutating func name(_ activity: ActivityID?) { activityID = activity ?? activityID }
}
