import APNsProtocol
import Testing

struct APNsActionTests {
    /// One row per status and reason of Apple's list.
    static let table: [(status: Int, reason: String, action: APNsAction)] = [
        (400, "BadDeviceToken", .tokenUnknown),
        (400, "DeviceTokenNotForTopic", .tokenNotForTopic),
        (400, "BadTopic", .stopTopic),
        (400, "MissingTopic", .stopTopic),
        (400, "TopicDisallowed", .stopTopic),
        (400, "BadCollapseId", .ourBug),
        (400, "BadExpirationDate", .ourBug),
        (400, "BadMessageId", .ourBug),
        (400, "BadPriority", .ourBug),
        (400, "InvalidPushType", .ourBug),
        (400, "DuplicateHeaders", .ourBug),
        (400, "MissingDeviceToken", .ourBug),
        (400, "PayloadEmpty", .ourBug),
        (400, "IdleTimeout", .reconnect),
        (403, "ExpiredProviderToken", .refreshProviderToken),
        (403, "InvalidProviderToken", .stopSending),
        (403, "MissingProviderToken", .stopSending),
        (403, "BadCertificate", .stopSending),
        (403, "BadCertificateEnvironment", .stopSending),
        (403, "BadEnvironmentKeyIdInToken", .stopSending),
        (403, "BadEnvironmentKeyInToken", .stopSending),
        (403, "TopicMismatch", .stopSending),
        (403, "UnrelatedKeyIdInToken", .connectForKey),
        (403, "Forbidden", .keyRevoked),
        (404, "BadPath", .ourBug),
        (405, "MethodNotAllowed", .ourBug),
        (410, "Unregistered", .tokenDead(sinceMs: 1_700_000_000_123)),
        (410, "ExpiredToken", .tokenDead(sinceMs: 1_700_000_000_123)),
        (413, "PayloadTooLarge", .rebuildSmaller),
        (429, "TooManyRequests", .backOffToken),
        (429, "TooManyProviderTokenUpdates", .freezeProviderToken),
        (500, "InternalServerError", .retryLater(reconnecting: false)),
        (503, "ServiceUnavailable", .retryLater(reconnecting: false)),
        (503, "Shutdown", .retryLater(reconnecting: true)),
        // Of broadcast channels.
        (400, "BadRequestParams", .ourBug),
        (400, "BadRequestPayload", .ourBug),
        (400, "MissingChannelId", .ourBug),
        (400, "MissingChannelQueueSize", .ourBug),
        (400, "MissingPushType", .ourBug),
        (400, "CannotCreateChannelConfig", .channelsFull),
        (400, "BadChannelId", .channelGone),
        (400, "ChannelNotRegistered", .channelGone),
        (400, "BroadcastFeatureNotEnabled", .broadcastOff),
        (400, "FeatureNotEnabled", .broadcastOff),
    ]

    @Test(arguments: table)
    func everyReasonHasItsAction(status: Int, reason: String, action: APNsAction) {
        let body = #"{"reason":"\#(reason)","timestamp":1700000000123}"#
        #expect(APNsAnswer(status: status, body: Array(body.utf8)).action == action)
        #expect(APNsReason(rawValue: reason)?.status == status)
    }

    @Test func theTableNamesEveryReason() {
        #expect(Set(Self.table.map(\.reason)) == Set(APNsReason.allCases.map(\.rawValue)))
    }

    @Test(arguments: [
        (200, "", APNsAction.accepted),
        (400, "", .ourBug),
        (400, "SomethingNew", .ourBug),
        // A reason with a status that is not its own proves nothing about a token.
        (400, "Unregistered", .ourBug),
        (404, "BadDeviceToken", .ourBug),
        (410, "", .ourBug),
        (403, "SomethingNew", .stopSending),
        (413, "", .rebuildSmaller),
        (429, "", .backOffToken),
        (502, "", .retryLater(reconnecting: false)),
        (503, "Service Unavailable", .retryLater(reconnecting: false)),
    ])
    func withoutAKnownReasonTheStatusDecidesAndNeverAgainstAToken(status: Int, reason: String, action: APNsAction) {
        let body = reason.isEmpty ? [] : Array(#"{"reason":"\#(reason)"}"#.utf8)
        #expect(APNsAnswer(status: status, body: body).action == action)
    }

    @Test func onlyWordsAboutATokenCanCostItsLife() {
        let fatal = APNsReason.allCases.filter { reason in
            switch APNsAnswer(reason).action {
            case .tokenDead, .tokenUnknown, .tokenNotForTopic: true
            default: false
            }
        }
        #expect(Set(fatal) == [.badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken])
    }

    @Test(arguments: ["", "{", "<html>", "[]", #"{"reason":7}"#])
    func aBodyThatIsNotApplesIsNoReason(body: String) {
        let answer = APNsAnswer(status: 500, body: Array(body.utf8))
        #expect(answer.reasonText == nil)
        #expect(answer.action == .retryLater(reconnecting: false))
    }

    @Test(arguments: APNsReason.allCases)
    func anAnswerReadsBackAsWritten(reason: APNsReason) {
        let answer = APNsAnswer(reason, timestampMs: reason.status == 410 ? 1_700_000_000_123 : nil)
        #expect(APNsAnswer(status: answer.status, body: answer.body) == answer)
    }
}
