import APNsProtocol

/// The consequence of APNs' answer for a start or a push to an app. Any answer but 200 says that the push was not
/// accepted.
enum StartOutcome: Equatable {
    case sent
    /// The token is dead, unless it was registered after this time (milliseconds since 1970; nil: whenever).
    case retire(sinceMs: Int64?)
    /// The token is bad, unless so many are called bad that the mistake must be ours.
    case retireUnlessMany
    /// The token is of another app, or our topic is wrong (`TopicDetector`).
    case notForTopic
    /// No retry: every repetition would be refused as well.
    case giveUp
    /// The push is retried after this many seconds.
    case retry(after: Int)

    /// The longest `retry-after` that is obeyed, in seconds.
    private static let retryAfterMax = 900

    init(_ answer: APNsAnswer) {
        let asked = min(answer.retryAfter ?? 0, Self.retryAfterMax)
        switch answer.action {
        case .accepted: self = .sent
        case .tokenDead(let sinceMs): self = .retire(sinceMs: sinceMs)
        case .tokenUnknown: self = .retireUnlessMany
        case .tokenNotForTopic: self = .notForTopic
        case .ourBug, .rebuildSmaller, .channelsFull: self = .giveUp
        case .refreshProviderToken, .freezeProviderToken, .reconnect, .connectForKey: self = .retry(after: 1)
        case .backOffToken, .retryLater: self = .retry(after: max(15, asked))
        // A publish to the channel gets the same answer, and by then the start is for another.
        case .channelGone, .broadcastOff: self = .retry(after: 60)
        case .stopTopic, .stopSending, .keyRevoked: self = .retry(after: 60)
        }
    }
}
