package import Activities
import APNsProtocol
package import SightscreenModels

/// A report or a request of a loop to the coordinator, which has the database.
package enum FanOutReport: Sendable {
    /// These tokens are to be retired: APNs called them dead, or the detector rejected them.
    case dead([DeadToken])
    /// APNs called the tokens of these ends bad or not for our topic, and the detector rejected them.
    case rejectedEnds([EndedToken])
    /// An alert is to be claimed for these buckets (with the epochs of their shards' leases) before the states of the
    /// match go on there.
    case claim(MatchID, StampedVersion, [AlertBucket: Int64])
    /// The newest state needs a fresh stamp.
    case stamp(MatchID)
    /// The last push in flight to a removed activity is answered.
    case drained(MatchID, RosterKey)
    /// APNs asks for fewer publishes to a channel. This is what is known of its limit now: publishes a minute, and the
    /// end of its rest in seconds since 1970.
    case channelThrottled(ChannelKey, perMinute: Int, restsUntil: Double)
    /// A channel does not exist; nothing is published to it any more.
    case channelGone(ChannelKey, reason: String)
    /// Broadcasts are switched off for the app: no channel exists.
    case broadcastOff(APNsEnvironment, reason: String)
    /// Alerts that will not be sent, so that none is sent twice.
    case lostAlerts(Int)
    /// APNs called the provider token with this serial expired.
    case expiredToken(serial: Int)
    /// APNs has seen too many provider tokens: the one before the token with this serial is to be shown, and none to be
    /// made.
    case tooManyTokens(serial: Int)
    /// A connection was closed, lost, or could not be made.
    case closed(APNsEnvironment, host: String, reason: String)
    /// APNs has refused a push. Reported once a minute for each host and reason.
    case refused(APNsRefusal)

    /// Whether the report is a request that waits for the database. A loop makes one at a time per match, so requests
    /// need no order among other reports and must not keep those waiting.
    package var isRequest: Bool {
        switch self {
        case .claim, .stamp, .expiredToken, .tooManyTokens: true
        case .channelThrottled, .channelGone, .broadcastOff, .dead, .rejectedEnds, .drained, .lostAlerts, .closed,
            .refused:
            false
        }
    }

    package struct APNsRefusal: Sendable {
        package enum Subject: Sendable {
            /// The token or channel of that push alone.
            case token
            /// The host: it is in trouble.
            case host
            /// Our key, topic or payload.
            case us
        }

        package var status: Int
        package var reason: String
        package var host: String
        package var subject: Subject
    }
}
