import APNsProtocol
import Store
import Testing

@testable import FanOut
@testable import LACoordinator

/// Every answer of APNs to a start or an end, and what becomes of it.
@Suite struct StartAndEndOutcomeTests {
    /// Of an end: its third try.
    private static let later = ActivityStore.EndResult.retry(after: .seconds(8))

    private static let table: [(APNsReason, StartOutcome, ActivityStore.EndResult)] = [
        (.badDeviceToken, .retireUnlessMany, .dropped),
        (.unregistered, .retire(sinceMs: 7), .dropped),
        (.expiredToken, .retire(sinceMs: 7), .dropped),
        (.deviceTokenNotForTopic, .notForTopic, .retry(after: .seconds(60))),
        (.badTopic, .retry(after: 60), .retry(after: .seconds(60))),
        (.missingTopic, .retry(after: 60), .retry(after: .seconds(60))),
        (.topicDisallowed, .retry(after: 60), .retry(after: .seconds(60))),
        (.badCollapseID, .giveUp, .dropped),
        (.badExpirationDate, .giveUp, .dropped),
        (.badMessageID, .giveUp, .dropped),
        (.badPriority, .giveUp, .dropped),
        (.invalidPushType, .giveUp, .dropped),
        (.duplicateHeaders, .giveUp, .dropped),
        (.missingDeviceToken, .giveUp, .dropped),
        (.payloadEmpty, .giveUp, .dropped),
        (.badPath, .giveUp, .dropped),
        (.methodNotAllowed, .giveUp, .dropped),
        (.payloadTooLarge, .giveUp, .dropped),
        (.idleTimeout, .retry(after: 1), .retry(after: .seconds(1))),
        (.expiredProviderToken, .retry(after: 1), .retry(after: .seconds(1))),
        (.tooManyProviderTokenUpdates, .retry(after: 1), later),
        (.unrelatedKeyIDInToken, .retry(after: 1), .retry(after: .seconds(1))),
        (.invalidProviderToken, .retry(after: 60), .retry(after: .seconds(60))),
        (.missingProviderToken, .retry(after: 60), .retry(after: .seconds(60))),
        (.badCertificate, .retry(after: 60), .retry(after: .seconds(60))),
        (.badCertificateEnvironment, .retry(after: 60), .retry(after: .seconds(60))),
        (.badEnvironmentKeyIDInToken, .retry(after: 60), .retry(after: .seconds(60))),
        (.badEnvironmentKeyInToken, .retry(after: 60), .retry(after: .seconds(60))),
        (.topicMismatch, .retry(after: 60), .retry(after: .seconds(60))),
        (.forbidden, .retry(after: 60), .retry(after: .seconds(60))),
        (.tooManyRequests, .retry(after: 15), later),
        (.internalServerError, .retry(after: 15), later),
        (.serviceUnavailable, .retry(after: 15), later),
        (.shutdown, .retry(after: 15), later),
        (.badRequestParams, .giveUp, .dropped),
        (.badRequestPayload, .giveUp, .dropped),
        (.missingChannelID, .giveUp, .dropped),
        (.missingChannelQueueSize, .giveUp, .dropped),
        (.missingPushType, .giveUp, .dropped),
        (.cannotCreateChannelConfig, .giveUp, .dropped),
        (.badChannelID, .retry(after: 60), .dropped),
        (.channelNotRegistered, .retry(after: 60), .dropped),
        (.broadcastFeatureNotEnabled, .retry(after: 60), .dropped),
        (.featureNotEnabled, .retry(after: 60), .dropped),
    ]

    @Test func theTableNamesEveryReason() {
        #expect(Set(Self.table.map(\.0)) == Set(APNsReason.allCases))
    }

    @Test(arguments: table.indices)
    func everyReasonHasItsOutcome(row: Int) {
        let (reason, start, end) = Self.table[row]
        let answer = APNsAnswer(reason, timestampMs: 7)
        #expect(StartOutcome(answer) == start, "\(reason)")
        #expect(EndSender.result(attempt: 3, .answered(answer)) == end, "\(reason)")
    }

    @Test(arguments: [APNsReason.tooManyRequests, .serviceUnavailable])
    func theyWaitAsLongAsTheyAreAskedTo(reason: APNsReason) {
        for (asked, seconds) in [(1, 15), (100, 100), (1_000_000, 900)] {
            var answer = APNsAnswer(reason)
            answer.retryAfter = asked
            #expect(StartOutcome(answer) == .retry(after: seconds))
            #expect(
                EndSender.result(attempt: 3, .answered(answer))
                    == .retry(after: .seconds(asked == 1 ? 8 : seconds)))
        }
    }

    /// A start or an end of which nobody knows, and those that did not leave.
    @Test(arguments: [
        (PushResult.refused, ActivityStore.EndResult.retry(after: .milliseconds(300))), (.unknown, later),
        (.stopped, .retry(after: .seconds(30))), (.answered(.accepted), .sent),
    ])
    func anEndIsRepeatedUntilItIsTaken(result: PushResult, outcome: ActivityStore.EndResult) {
        #expect(EndSender.result(attempt: 3, result) == outcome)
    }
}
