public import SightscreenModels

/// The facts about one generation of an activity on one phone by which reports of tokens and dismissals are evaluated.
public struct ActivityGeneration: Hashable, Sendable {
    /// The number of replaced tokens that are kept: a late report is about one of the last few.
    public static let formerTokensMax = 4

    public enum Status: String, Hashable, Sendable { case pending, active, ended }

    public var generation: Int
    public var status: Status
    public var startID: StartID?
    public var activityID: ActivityID?
    public var token: UpdateToken?
    /// The start of the renewal: of the activity that is to replace this one before iOS ends it.
    public var renewalStartID: StartID?
    /// Replaced tokens of the same activity. A report of one of them is too late.
    public var formerTokens: [UpdateToken]
    /// A start was sent, or the phone has said that it starts the activity itself.
    public var startIsOut: Bool
    /// The generation ended before the user (last) followed the match: a report without ids cannot mean it.
    public var endedBeforeFollow: Bool
    /// Apple called the token dead, as it does when the user removes the activity, or another user has the token now.
    public var lostItsToken: Bool
    /// Apple called the token dead, and the phone may still show the card under another token.
    public var cardMayBeThere: Bool
    /// An end push to the token is due and was not sent yet.
    public var endIsOwed: Bool
    /// The server sent the start, or the start of its renewal: the generation was not made by a report of the phone
    /// alone.
    public var startWasSent: Bool

    package init(
        generation: Int, status: Status, startID: StartID? = nil, activityID: ActivityID? = nil,
        token: UpdateToken? = nil, renewalStartID: StartID? = nil, formerTokens: [UpdateToken] = [],
        startIsOut: Bool = false, endedBeforeFollow: Bool = false, lostItsToken: Bool = false,
        cardMayBeThere: Bool = false, endIsOwed: Bool = false, startWasSent: Bool = false
    ) {
        self.generation = generation
        self.status = status
        self.startID = startID
        self.activityID = activityID
        self.token = token
        self.renewalStartID = renewalStartID
        self.formerTokens = formerTokens
        self.startIsOut = startIsOut
        self.endedBeforeFollow = endedBeforeFollow
        self.lostItsToken = lostItsToken
        self.cardMayBeThere = cardMayBeThere
        self.endIsOwed = endIsOwed
        self.startWasSent = startWasSent
    }

    public var isCurrent: Bool { status != .ended }
}
