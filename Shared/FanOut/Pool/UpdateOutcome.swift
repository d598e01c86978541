import APNsProtocol

/// The consequence of APNs' answer to an update, for the phone or the channel, and for the host.
struct UpdateOutcome: Equatable {
    enum ForPhone: Equatable {
        /// The phone shows the stamp.
        case shows
        /// The token is dead, unless it was registered after this time (milliseconds since 1970; nil: whenever).
        case retire(sinceMs: Int64?)
        /// The token is bad, unless so many are called bad that the mistake must be ours.
        case retireUnlessMany
        /// The token is of another app, or our topic is wrong (`TopicDetector`).
        case notForTopic
        /// This version is not sent to the phone again, the next one is.
        case skipVersion
        /// The newest state is sent again as soon as the host accepts pushes.
        case retryAtOnce
        /// The newest state is sent again after a wait in milliseconds, which doubles from the first value up to the
        /// second.
        case retry(from: Int, to: Int)
        /// The channel does not exist; nothing is published to it any more.
        case channelGone
        /// APNs has deleted every channel of the app.
        case broadcastOff
    }

    enum ForHost: Equatable {
        case healthy
        /// The host is in trouble.
        case error
        /// The phone is not sent to for a while; if most answers are like this, the host is stopped.
        case throttled
        /// Nothing is sent until there is another provider token.
        case newToken
        /// Nothing is sent until the older provider token is shown; none is made for 20 minutes.
        case olderToken
        /// The host refuses all our pushes: nothing is sent for a minute.
        case stop
        /// The host refuses our topic, or the token is of another app (`TopicDetector`).
        case stopIfProven
    }

    var phone: ForPhone
    var host = ForHost.healthy
    /// Whether the answer is about the one token alone.
    var isAboutToken: Bool {
        switch phone {
        case .retire, .retireUnlessMany, .notForTopic: true
        case .retry: host == .throttled
        case .shows, .skipVersion, .retryAtOnce, .channelGone, .broadcastOff: false
        }
    }

    /// The connection accepts nothing more and is drained.
    var endsConnection = false

    init(_ answer: APNsAnswer) {
        switch answer.action {
        case .accepted: phone = .shows
        case .tokenDead(let sinceMs): phone = .retire(sinceMs: sinceMs)
        case .tokenUnknown: phone = .retireUnlessMany
        case .ourBug, .rebuildSmaller, .channelsFull: phone = .skipVersion
        case .channelGone: phone = .channelGone
        case .broadcastOff: phone = .broadcastOff
        case .backOffToken: (phone, host) = (.retry(from: 5_000, to: 60_000), .throttled)
        case .retryLater(let reconnecting):
            (phone, host, endsConnection) = (.retry(from: 500, to: 10_000), .error, reconnecting)
        case .refreshProviderToken:
            // Some connections were seen to accept no token at all after this answer.
            (phone, host, endsConnection) = (.retryAtOnce, .newToken, true)
        case .freezeProviderToken: (phone, host) = (.retryAtOnce, .olderToken)
        case .reconnect, .connectForKey: (phone, endsConnection) = (.retry(from: 100, to: 10_000), true)
        case .tokenNotForTopic: (phone, host) = (.notForTopic, .stopIfProven)
        case .stopTopic, .stopSending, .keyRevoked: (phone, host) = (.retry(from: 10_000, to: 60_000), .stop)
        }
    }
}
