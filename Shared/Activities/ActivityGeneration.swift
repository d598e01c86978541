public import SightscreenModels

/// What is known of one generation of an activity on one phone, as far as tokens and dismissals are judged by it.
public struct ActivityGeneration: Hashable, Sendable {
    /// Of the tokens that were replaced so many are kept: a late report is of one of the last few.
    public static let formerTokensMax = 4

    public enum Status: String, Hashable, Sendable { case pending, active, ended }

    public var generation: Int
    public var status: Status
    public var startID: StartID?
    public var activityID: ActivityID?
    public var token: UpdateToken?
    /// The start that was sent to take its place before iOS ends it.
    public var renewalStartID: StartID?
    /// Tokens of the same activity that were replaced: a report of one comes too late.
    public var formerTokens: [UpdateToken]
    /// A start was sent, or the phone has said that it starts one itself.
    public var startIsOut: Bool
    /// It was over before the user followed the match (again): what comes without ids cannot mean it.
    public var endedBeforeFollow: Bool
    /// Apple said that its token was dead, as it says of an activity that the user took away, or somebody else has it.
    public var lostItsToken: Bool
    /// Apple said that its token was dead, and the phone may still show it under another one.
    public var cardMayBeThere: Bool
    /// An end push is owed to its token, and has not gone out.
    public var endIsOwed: Bool
    /// The server sent its start, or the start of its renewal: no report of a phone alone has made it.
    public var startWasSent: Bool

    public init(
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
