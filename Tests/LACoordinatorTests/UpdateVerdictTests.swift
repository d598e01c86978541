import APNsProtocol
import Testing

@testable import FanOut
@testable import LACoordinator

/// Every answer of APNs to an update, and what it means.
@Suite struct UpdateVerdictTests {
    private static let trouble = UpdateVerdict.ForPhone.again(from: 500, to: 10_000)
    private static let configuration = UpdateVerdict.ForPhone.again(from: 10_000, to: 60_000)
    private static let reconnect = UpdateVerdict.ForPhone.again(from: 100, to: 10_000)

    private static let table: [(APNsReason, UpdateVerdict.ForPhone, UpdateVerdict.ForHost, endsConnection: Bool)] = [
        (.badDeviceToken, .retireUnlessMany, .goOn, false),
        (.unregistered, .retire(sinceMs: 7), .goOn, false),
        (.expiredToken, .retire(sinceMs: 7), .goOn, false),
        (.deviceTokenNotForTopic, configuration, .stopUnlessItTakesOthers, false),
        (.badTopic, configuration, .stop, false),
        (.missingTopic, configuration, .stop, false),
        (.topicDisallowed, configuration, .stop, false),
        (.badCollapseID, .leaveOut, .goOn, false),
        (.badExpirationDate, .leaveOut, .goOn, false),
        (.badMessageID, .leaveOut, .goOn, false),
        (.badPriority, .leaveOut, .goOn, false),
        (.invalidPushType, .leaveOut, .goOn, false),
        (.duplicateHeaders, .leaveOut, .goOn, false),
        (.missingDeviceToken, .leaveOut, .goOn, false),
        (.payloadEmpty, .leaveOut, .goOn, false),
        (.badPath, .leaveOut, .goOn, false),
        (.methodNotAllowed, .leaveOut, .goOn, false),
        (.payloadTooLarge, .leaveOut, .goOn, false),
        (.idleTimeout, reconnect, .goOn, true),
        (.expiredProviderToken, .asSoonAsPossible, .newToken, true),
        (.tooManyProviderTokenUpdates, .asSoonAsPossible, .olderToken, false),
        (.unrelatedKeyIDInToken, reconnect, .goOn, true),
        (.invalidProviderToken, configuration, .stop, false),
        (.missingProviderToken, configuration, .stop, false),
        (.badCertificate, configuration, .stop, false),
        (.badCertificateEnvironment, configuration, .stop, false),
        (.badEnvironmentKeyIDInToken, configuration, .stop, false),
        (.badEnvironmentKeyInToken, configuration, .stop, false),
        (.topicMismatch, configuration, .stop, false),
        (.forbidden, configuration, .stop, false),
        (.tooManyRequests, .again(from: 5_000, to: 60_000), .throttles, false),
        (.internalServerError, trouble, .error, false),
        (.serviceUnavailable, trouble, .error, false),
        (.shutdown, trouble, .error, true),
    ]

    @Test func theTableNamesEveryReason() {
        #expect(Set(Self.table.map(\.0)) == Set(APNsReason.allCases))
        #expect(Self.table.count == APNsReason.allCases.count)
    }

    @Test(arguments: table.indices)
    func everyReasonHasItsVerdict(row: Int) {
        let (reason, phone, host, endsConnection) = Self.table[row]
        let verdict = UpdateVerdict(APNsAnswer(reason, timestampMs: 7))
        #expect(verdict.phone == phone, "\(reason)")
        #expect(verdict.host == host, "\(reason)")
        #expect(verdict.endsConnection == endsConnection, "\(reason)")
        #expect(PushFailure(APNsAnswer(reason)).name == reason.rawValue)
    }

    /// Without a reason, or with one that this build does not know, the status decides, and never against a token.
    @Test(arguments: [
        (400, UpdateVerdict.ForPhone.leaveOut, UpdateVerdict.ForHost.goOn), (403, configuration, .stop),
        (404, .leaveOut, .goOn), (410, .leaveOut, .goOn), (413, .leaveOut, .goOn),
        (429, .again(from: 5_000, to: 60_000), .throttles), (500, trouble, .error), (502, trouble, .error),
        (503, trouble, .error),
    ])
    func aStatusAloneHasItsVerdict(status: Int, phone: UpdateVerdict.ForPhone, host: UpdateVerdict.ForHost) {
        for reason in [nil, "Service Unavailable"] {
            let answer = APNsAnswer(status: status, reasonText: reason)
            #expect(UpdateVerdict(answer).phone == phone)
            #expect(UpdateVerdict(answer).host == host)
            #expect(PushFailure(answer).name == (status >= 500 ? "OtherServerError" : "OtherRefusal"))
        }
    }

    @Test func acceptedIsAccepted() {
        #expect(UpdateVerdict(.accepted).phone == .shows)
        #expect(UpdateVerdict(.accepted).host == .goOn)
    }
}
