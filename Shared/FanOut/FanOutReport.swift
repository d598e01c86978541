package import Activities
import APNsProtocol
package import SightscreenModels

/// What a loop tells the coordinator, which has the database.
package enum FanOutReport: Sendable {
    /// APNs called these tokens dead, and is believed.
    case dead([DeadToken])
    /// An alert is to be claimed for these shards before anything of the match goes on there.
    case claim(MatchID, MatchVersion, shards: [Int: Int64])
    /// The newest state needs a stamp of now.
    case stamp(MatchID)
    /// The last push to an activity that was taken out is answered.
    case left(MatchID, RosterKey)
    /// Alerts that nobody will be told, to be on the safe side.
    case lostAlerts(Int)
    /// APNs called the provider token with this serial expired.
    case expiredToken(serial: Int)
    /// APNs has seen too many provider tokens: the one before that with this serial is to be shown, and none to be made.
    case tooManyTokens(serial: Int)
    /// Nothing but a push now and then goes to a host.
    case stopped(host: String, cause: String)
    /// It takes pushes again.
    case resumed(host: String)
    /// A connection was lost, or could not be made.
    case closed(APNsEnvironment, host: String, reason: String)
    /// APNs refuses our key, team or topic; nothing is sent to that host for a while.
    case refused(APNsRefusal)
    /// APNs calls a push malformed: a mistake of ours. Once a minute for each host and reason.
    case malformed(APNsRefusal)

    /// Whether it waits for the database, and a loop asks for it once at a time for a match: it need not be in order with others, and
    /// must not keep them waiting.
    package var isRequest: Bool {
        switch self {
        case .claim, .stamp, .expiredToken, .tooManyTokens: true
        case .dead, .left, .lostAlerts, .stopped, .resumed, .closed, .refused, .malformed: false
        }
    }

    package struct APNsRefusal: Sendable {
        package var status: Int
        package var reason: String
        package var host: String
    }
}
