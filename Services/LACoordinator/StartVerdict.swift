import APNsProtocol

/// What an answer to a start, or to a push to an app, means for it. Any answer but 200 says that it was not taken.
enum StartVerdict: Equatable {
    case sent
    /// Its token is dead, if it was not registered later than this (milliseconds since 1970).
    case retire(sinceMs: Int64?)
    /// Its token is dead, unless so many are that it must be our mistake.
    case retireUnlessMany
    /// It will be refused as often as it is sent.
    case giveUp
    /// Seconds.
    case again(after: Int)

    /// APNs may ask for a longer wait, but no longer than that.
    private static let retryAfterMax = 900

    init(_ answer: APNsAnswer) {
        let asked = min(answer.retryAfter ?? 0, Self.retryAfterMax)
        switch answer.action {
        case .accepted: self = .sent
        case .tokenDead(let sinceMs): self = .retire(sinceMs: sinceMs)
        case .tokenUnknown: self = .retireUnlessMany
        case .ourBug, .rebuildSmaller: self = .giveUp
        case .refreshProviderToken, .freezeProviderToken, .reconnect, .connectForKey: self = .again(after: 1)
        case .backOffToken, .retryLater: self = .again(after: max(15, asked))
        case .stopTopic, .stopSending, .keyRevoked: self = .again(after: 60)
        }
    }
}
