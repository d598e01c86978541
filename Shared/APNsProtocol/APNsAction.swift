/// What to do about an answer of APNs: the table of statuses and reasons.
///
/// Only `tokenDead` and `tokenUnknown` may cost a token its life. For an update, "re-send" always means the newest state
/// at that time, or nothing when something newer is under way.
public enum APNsAction: Hashable, Sendable {
    /// Taken by APNs. That is not: shown on the phone.
    case accepted
    /// Retire the token if it was registered before this moment (milliseconds since 1970; nil: whenever). A start may
    /// follow within the device's budget.
    case tokenDead(sinceMs: Int64?)
    /// Not a token of this environment: try the other one once if it was never certain, else retire it. Many of these
    /// make APNs close the connection.
    case tokenUnknown
    /// A mistake in bundle id or topic: send nothing more to that topic, alarm. No token is at fault.
    case stopTopic
    /// The request is malformed: alarm, never send it again as it is.
    case ourBug
    /// The connection is at its end: send again on a new one.
    case reconnect
    /// Send again once, after one refresh of the provider token shared by all (or after a wait if the last is < 20 min old).
    case refreshProviderToken
    /// Key, team, certificate or environment are wrong: hold everything, alarm, close the connections.
    case stopSending
    /// The connection belongs to another key: send again on a connection opened for this one.
    case connectForKey
    /// The key was revoked: alarm; no repeat.
    case keyRevoked
    /// Make the payload smaller; it should have been.
    case rebuildSmaller
    /// Too much for this one token: its next state replaces this one, later.
    case backOffToken
    /// The provider token changed too often: send again with the older one and mint none for 20 minutes.
    case freezeProviderToken
    /// APNs is in trouble: starts and ends back off, updates give way to newer ones; `reconnecting` asks for a new
    /// connection first. Counts for the breaker.
    case retryLater(reconnecting: Bool)
}

extension APNsAnswer {
    /// What to do about it. The reason decides; without a known one the status does, and never against a token.
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
        case .deviceTokenNotForTopic, .badTopic, .missingTopic, .topicDisallowed: .stopTopic
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .invalidPushType, .duplicateHeaders,
            .missingDeviceToken, .payloadEmpty:
            .ourBug
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
