import APNsProtocol
import Store
import Testing

@testable import FanOut
@testable import LACoordinator

/// Every answer of APNs to a start or an end, and what becomes of it.
@Suite struct StartAndEndVerdictTests {
    /// Of an end: its third try.
    private static let later = ActivityStore.EndResult.again(after: .seconds(8))

    private static let table: [(APNsReason, StartVerdict, ActivityStore.EndResult)] = [
        (.badDeviceToken, .retireUnlessMany, .dropped),
        (.unregistered, .retire(sinceMs: 7), .dropped),
        (.expiredToken, .retire(sinceMs: 7), .dropped),
        (.deviceTokenNotForTopic, .again(after: 60), .again(after: .seconds(60))),
        (.badTopic, .again(after: 60), .again(after: .seconds(60))),
        (.missingTopic, .again(after: 60), .again(after: .seconds(60))),
        (.topicDisallowed, .again(after: 60), .again(after: .seconds(60))),
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
        (.idleTimeout, .again(after: 1), .again(after: .seconds(1))),
        (.expiredProviderToken, .again(after: 1), .again(after: .seconds(1))),
        (.tooManyProviderTokenUpdates, .again(after: 1), later),
        (.unrelatedKeyIDInToken, .again(after: 1), .again(after: .seconds(1))),
        (.invalidProviderToken, .again(after: 60), .again(after: .seconds(60))),
        (.missingProviderToken, .again(after: 60), .again(after: .seconds(60))),
        (.badCertificate, .again(after: 60), .again(after: .seconds(60))),
        (.badCertificateEnvironment, .again(after: 60), .again(after: .seconds(60))),
        (.badEnvironmentKeyIDInToken, .again(after: 60), .again(after: .seconds(60))),
        (.badEnvironmentKeyInToken, .again(after: 60), .again(after: .seconds(60))),
        (.topicMismatch, .again(after: 60), .again(after: .seconds(60))),
        (.forbidden, .again(after: 60), .again(after: .seconds(60))),
        (.tooManyRequests, .again(after: 15), later),
        (.internalServerError, .again(after: 15), later),
        (.serviceUnavailable, .again(after: 15), later),
        (.shutdown, .again(after: 15), later),
    ]

    @Test func theTableNamesEveryReason() {
        #expect(Set(Self.table.map(\.0)) == Set(APNsReason.allCases))
    }

    @Test(arguments: table.indices)
    func everyReasonHasItsVerdict(row: Int) {
        let (reason, start, end) = Self.table[row]
        let answer = APNsAnswer(reason, timestampMs: 7)
        #expect(StartVerdict(answer) == start, "\(reason)")
        #expect(EndSender.result(attempt: 3, .answered(answer)) == end, "\(reason)")
    }

    @Test(arguments: [APNsReason.tooManyRequests, .serviceUnavailable])
    func theyWaitAsLongAsTheyAreAskedTo(reason: APNsReason) {
        for (asked, seconds) in [(1, 15), (100, 100), (1_000_000, 900)] {
            var answer = APNsAnswer(reason)
            answer.retryAfter = asked
            #expect(StartVerdict(answer) == .again(after: seconds))
            #expect(
                EndSender.result(attempt: 3, .answered(answer))
                    == .again(after: .seconds(asked == 1 ? 8 : seconds)))
        }
    }

    /// A start or an end of which nobody knows, and those that did not leave.
    @Test(arguments: [
        (PushResult.refused, ActivityStore.EndResult.again(after: .milliseconds(300))), (.unknown, later),
        (.held, .again(after: .seconds(30))), (.answered(.accepted), .sent),
    ])
    func anEndIsRepeatedUntilItIsTaken(result: PushResult, verdict: ActivityStore.EndResult) {
        #expect(EndSender.result(attempt: 3, result) == verdict)
    }
}
