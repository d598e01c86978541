import APNsProtocol

/// What an answer to an update means: for the phone, and for the host that gave it.
struct UpdateVerdict: Equatable {
    enum ForPhone: Equatable {
        /// It shows the stamp.
        case shows
        /// Its token is dead, if it was not registered later than this (milliseconds since 1970).
        case retire(sinceMs: Int64?)
        /// Its token is dead, unless so many are that it must be our mistake.
        case retireUnlessMany
        /// This version is not sent to it again, the next one is.
        case leaveOut
        /// As soon as the host takes pushes; that it is sent again costs APNs nothing that it did not ask for.
        case asSoonAsPossible
        /// The newest state again, after a while that doubles from the first time to the last, in milliseconds.
        case again(from: Int, to: Int)
    }

    enum ForHost: Equatable {
        case goOn
        /// It is in trouble.
        case error
        /// This phone is to be left alone for a while; or all of us, if most are told so.
        case throttles
        /// Nothing until there is another provider token.
        case newToken
        /// Nothing until the older provider token is shown; none is made for 20 minutes.
        case olderToken
        /// It refuses all of us: nothing for a minute.
        case stop
        /// The same, unless it has just taken others.
        case stopUnlessItTakesOthers
    }

    var phone: ForPhone
    var host = ForHost.goOn
    /// The connection takes nothing more.
    var endsConnection = false

    init(_ answer: APNsAnswer) {
        switch answer.action {
        case .accepted: phone = .shows
        case .tokenDead(let sinceMs): phone = .retire(sinceMs: sinceMs)
        case .tokenUnknown: phone = .retireUnlessMany
        case .ourBug, .rebuildSmaller: phone = .leaveOut
        case .backOffToken: (phone, host) = (.again(from: 5_000, to: 60_000), .throttles)
        case .retryLater(let reconnecting):
            (phone, host, endsConnection) = (.again(from: 500, to: 10_000), .error, reconnecting)
        case .refreshProviderToken:
            // Connections have been seen that took no token any more after that.
            (phone, host, endsConnection) = (.asSoonAsPossible, .newToken, true)
        case .freezeProviderToken: (phone, host) = (.asSoonAsPossible, .olderToken)
        case .reconnect, .connectForKey: (phone, endsConnection) = (.again(from: 100, to: 10_000), true)
        case .stopTopic where answer.reason == .deviceTokenNotForTopic:
            (phone, host) = (.again(from: 10_000, to: 60_000), .stopUnlessItTakesOthers)
        case .stopTopic, .stopSending, .keyRevoked: (phone, host) = (.again(from: 10_000, to: 60_000), .stop)
        }
    }
}
