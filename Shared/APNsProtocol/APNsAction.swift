/// The action that an answer of APNs calls for, by its status and reason.
///
/// Only `tokenDead`, `tokenUnknown` and `tokenNotForTopic` may retire a token. For an update, sending "again" always
/// means the newest state at that time, or nothing when something newer is in flight.
public enum APNsAction: Hashable, Sendable {
    /// APNs accepted the push; that does not mean that the phone shows it.
    case accepted
    /// Retire the token if it was registered before this moment (milliseconds since 1970; nil: whenever). A start may
    /// follow within the device's budget.
    case tokenDead(sinceMs: Int64?)
    /// The token is not of this environment: try the other one once if it was never certain, else retire it. Many of
    /// these answers make APNs close the connection.
    case tokenUnknown
    /// The token is of another app, or our topic is wrong: the push waits. What proven tokens say tells which.
    case tokenNotForTopic
    /// The bundle id or topic is wrong: send nothing more to that topic and log an error. No token is at fault.
    case stopTopic
    /// The request is malformed: log an error, and never send it again as it is.
    case ourBug
    /// The connection is ending: send again on a new one.
    case reconnect
    /// Send again once, after one refresh of the provider token shared by all (or after a wait if the last is < 20 min
    /// old).
    case refreshProviderToken
    /// The key, team, certificate or environment is wrong: stop sending, log an error, close the connections.
    case stopSending
    /// The connection belongs to another key: send again on a connection opened for this one.
    case connectForKey
    /// The key was revoked: log an error; do not repeat the push.
    case keyRevoked
    /// The payload is too large, which `LiveActivityPayload.encode` should have prevented: make it smaller.
    case rebuildSmaller
    /// Too many pushes went to this one token: its next state replaces this one, later.
    case backOffToken
    /// The provider token changed too often: send again with the older one and mint none for 20 minutes.
    case freezeProviderToken
    /// APNs is in trouble: starts and ends back off, updates give way to newer ones; `reconnecting` asks for a new
    /// connection first. The answer counts for the circuit breaker.
    case retryLater(reconnecting: Bool)
    /// The channel does not exist: publish nothing more to it, and move its activities.
    case channelGone
    /// No channel can be created now, because the app has as many as APNs allows.
    case channelsFull
    /// Broadcasts are switched off for the app: APNs has deleted every channel.
    case broadcastOff
}

extension APNsAnswer {
    /// The action for this answer. The reason decides; without a known reason the status does, and then never against a
    /// token.
    public var action: APNsAction {
        if status == 200 { return .accepted }
        if let reason, reason.status == status { return action(for: reason) }
        switch status {
        case 500...: return .retryLater(reconnecting: false)
        case 429: return .backOffToken
        case 413: return .rebuildSmaller
        case 403: return .stopSending
        default: return .ourBug
        }
    }

    private func action(for reason: APNsReason) -> APNsAction {
        switch reason {
        case .badDeviceToken: .tokenUnknown
        case .deviceTokenNotForTopic: .tokenNotForTopic
        case .badTopic, .missingTopic, .topicDisallowed: .stopTopic
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .invalidPushType, .duplicateHeaders,
            .missingDeviceToken, .payloadEmpty, .badRequestParams, .badRequestPayload, .missingChannelID,
            .missingChannelQueueSize, .missingPushType:
            .ourBug
        case .badChannelID, .channelNotRegistered: .channelGone
        case .cannotCreateChannelConfig: .channelsFull
        case .broadcastFeatureNotEnabled, .featureNotEnabled: .broadcastOff
        case .idleTimeout: .reconnect
        case .expiredProviderToken: .refreshProviderToken
        case .invalidProviderToken, .missingProviderToken, .badCertificate, .badCertificateEnvironment,
            .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .topicMismatch:
            .stopSending
        case .unrelatedKeyIDInToken: .connectForKey
        case .forbidden: .keyRevoked
        case .badPath, .methodNotAllowed: .ourBug
        case .unregistered, .expiredToken: .tokenDead(sinceMs: timestampMs)
        case .payloadTooLarge: .rebuildSmaller
        case .tooManyRequests: .backOffToken
        case .tooManyProviderTokenUpdates: .freezeProviderToken
        case .internalServerError, .serviceUnavailable: .retryLater(reconnecting: false)
        case .shutdown: .retryLater(reconnecting: true)
        }
    }
}
