import APNsProtocol
import Testing

@testable import FanOut
@testable import LACoordinator

/// Every answer of APNs to an update, and what it means.
@Suite struct UpdateOutcomeTests {
    private static let trouble = UpdateOutcome.ForPhone.retry(from: 500, to: 10_000)
    private static let configuration = UpdateOutcome.ForPhone.retry(from: 10_000, to: 60_000)
    private static let reconnect = UpdateOutcome.ForPhone.retry(from: 100, to: 10_000)

    private static let table: [(APNsReason, UpdateOutcome.ForPhone, UpdateOutcome.ForHost, endsConnection: Bool)] = [
        (.badDeviceToken, .retireUnlessMany, .healthy, false),
        (.unregistered, .retire(sinceMs: 7), .healthy, false),
        (.expiredToken, .retire(sinceMs: 7), .healthy, false),
        (.deviceTokenNotForTopic, .notForTopic, .stopIfProven, false),
        (.badTopic, configuration, .stop, false),
        (.missingTopic, configuration, .stop, false),
        (.topicDisallowed, configuration, .stop, false),
        (.badCollapseID, .skipVersion, .healthy, false),
        (.badExpirationDate, .skipVersion, .healthy, false),
        (.badMessageID, .skipVersion, .healthy, false),
        (.badPriority, .skipVersion, .healthy, false),
        (.invalidPushType, .skipVersion, .healthy, false),
        (.duplicateHeaders, .skipVersion, .healthy, false),
        (.missingDeviceToken, .skipVersion, .healthy, false),
        (.payloadEmpty, .skipVersion, .healthy, false),
        (.badPath, .skipVersion, .healthy, false),
        (.methodNotAllowed, .skipVersion, .healthy, false),
        (.payloadTooLarge, .skipVersion, .healthy, false),
        (.idleTimeout, reconnect, .healthy, true),
        (.expiredProviderToken, .retryAtOnce, .newToken, true),
        (.tooManyProviderTokenUpdates, .retryAtOnce, .olderToken, false),
        (.unrelatedKeyIDInToken, reconnect, .healthy, true),
        (.invalidProviderToken, configuration, .stop, false),
        (.missingProviderToken, configuration, .stop, false),
        (.badCertificate, configuration, .stop, false),
        (.badCertificateEnvironment, configuration, .stop, false),
        (.badEnvironmentKeyIDInToken, configuration, .stop, false),
        (.badEnvironmentKeyInToken, configuration, .stop, false),
        (.topicMismatch, configuration, .stop, false),
        (.forbidden, configuration, .stop, false),
        (.tooManyRequests, .retry(from: 5_000, to: 60_000), .throttled, false),
        (.internalServerError, trouble, .error, false),
        (.serviceUnavailable, trouble, .error, false),
        (.shutdown, trouble, .error, true),
        (.badRequestParams, .skipVersion, .healthy, false),
        (.badRequestPayload, .skipVersion, .healthy, false),
        (.missingChannelID, .skipVersion, .healthy, false),
        (.missingChannelQueueSize, .skipVersion, .healthy, false),
        (.missingPushType, .skipVersion, .healthy, false),
        (.cannotCreateChannelConfig, .skipVersion, .healthy, false),
        (.badChannelID, .channelGone, .healthy, false),
        (.channelNotRegistered, .channelGone, .healthy, false),
        (.broadcastFeatureNotEnabled, .broadcastOff, .healthy, false),
        (.featureNotEnabled, .broadcastOff, .healthy, false),
    ]

    @Test func theTableNamesEveryReason() {
        #expect(Set(Self.table.map(\.0)) == Set(APNsReason.allCases))
        #expect(Self.table.count == APNsReason.allCases.count)
    }

    @Test(arguments: table.indices)
    func everyReasonHasItsOutcome(row: Int) {
        let (reason, phone, host, endsConnection) = Self.table[row]
        let outcome = UpdateOutcome(APNsAnswer(reason, timestampMs: 7))
        #expect(outcome.phone == phone, "\(reason)")
        #expect(outcome.host == host, "\(reason)")
        #expect(outcome.endsConnection == endsConnection, "\(reason)")
        #expect(PushFailure(APNsAnswer(reason)).name == reason.rawValue)
    }

    /// Without a reason, or with one that this build does not know, the status decides, and never against a token.
    @Test(arguments: [
        (400, UpdateOutcome.ForPhone.skipVersion, UpdateOutcome.ForHost.healthy), (403, configuration, .stop),
        (404, .skipVersion, .healthy), (410, .skipVersion, .healthy), (413, .skipVersion, .healthy),
        (429, .retry(from: 5_000, to: 60_000), .throttled), (500, trouble, .error), (502, trouble, .error),
        (503, trouble, .error),
    ])
    func aStatusAloneHasItsOutcome(status: Int, phone: UpdateOutcome.ForPhone, host: UpdateOutcome.ForHost) {
        for reason in [nil, "Service Unavailable"] {
            let answer = APNsAnswer(status: status, reasonText: reason)
            #expect(UpdateOutcome(answer).phone == phone)
            #expect(UpdateOutcome(answer).host == host)
            #expect(PushFailure(answer).name == (status >= 500 ? "OtherServerError" : "OtherRefusal"))
        }
    }

    @Test func acceptedIsAccepted() {
        #expect(UpdateOutcome(.accepted).phone == .shows)
        #expect(UpdateOutcome(.accepted).host == .healthy)
    }
}
