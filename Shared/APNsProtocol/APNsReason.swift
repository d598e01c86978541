/// The `reason` in the JSON body of an APNs refusal.
public enum APNsReason: String, Codable, Sendable, Hashable, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    /// The name that Apple's servers send for `badEnvironmentKeyIDInToken`.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case topicMismatch = "TopicMismatch"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
    // Of broadcast channels.
    case badChannelID = "BadChannelId"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    case broadcastFeatureNotEnabled = "BroadcastFeatureNotEnabled"
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    case channelNotRegistered = "ChannelNotRegistered"
    /// The name that Apple's documentation has for `broadcastFeatureNotEnabled`.
    case featureNotEnabled = "FeatureNotEnabled"
    case missingChannelID = "MissingChannelId"
    /// Apple documents no such reason; it is the answer to a storage policy that does not exist.
    case missingChannelQueueSize = "MissingChannelQueueSize"
    case missingPushType = "MissingPushType"

    /// The status Apple sends it with.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed, .badChannelID, .badRequestParams, .badRequestPayload,
            .broadcastFeatureNotEnabled, .cannotCreateChannelConfig, .channelNotRegistered, .featureNotEnabled,
            .missingChannelID, .missingChannelQueueSize, .missingPushType:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken,
            .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .topicMismatch,
            .unrelatedKeyIDInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}
