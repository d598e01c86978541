import Testing

@testable import FanOut

@Suite struct TopicDetectorTests {
    private static let second: Int64 = 1_000_000_000

    /// A value that changes cannot be asked within `#expect`.
    private final class Subject {
        private var detector = TopicDetector()
        var untested: Int { detector.untestedAccounts.count }
        func accepted(of account: UInt64 = 100, at second: Int64, _ topic: PushTopic = .liveActivities) {
            detector.accepted(topic, of: account, now: second * TopicDetectorTests.second)
        }
        func refused(
            _ token: Int, of account: UInt64, isProven: Bool = false, at second: Int64,
            _ topic: PushTopic = .liveActivities
        ) -> TopicDetector.Finding {
            detector.refused(
                PushTarget(token: token, account: account, isProven: isProven), topic,
                now: second * TopicDetectorTests.second)
        }
        func wait(at second: Int64) -> Int { detector.wait(now: second * TopicDetectorTests.second) }
    }

    @Test func tokensThatWereNeverProvenStopNothing() {
        let detector = Subject()
        for number in 0..<10_500 {
            #expect(detector.refused(number, of: UInt64(number), at: Int64(number)) == .nothing)
        }
        // Nor when they are refused again, where nothing was accepted.
        for number in 0..<100 { #expect(detector.refused(10_499 - number, of: 1, at: 20_000) == .nothing) }
    }

    @Test func theProvenTokensOfThreeAccountsSayThatTheTopicIsWrong() {
        let detector = Subject()
        detector.accepted(at: 1)
        for token in 0..<20 { #expect(detector.refused(token, of: 1, isProven: true, at: 2) == .nothing) }
        #expect(detector.refused(20, of: 2, isProven: true, at: 2) == .nothing)
        #expect(detector.refused(21, of: 3, isProven: true, at: 2) == .wrongTopic)
        detector.accepted(at: 3)
        #expect(detector.refused(21, of: 3, isProven: true, at: 4) == .nothing, "one was accepted between")
        #expect(detector.refused(20, of: 2, isProven: true, at: 4) == .nothing)
        #expect(detector.refused(22, of: 4, at: 4) == .nothing, "this one was never proven")
        #expect(detector.refused(0, of: 1, isProven: true, at: 4) == .wrongTopic)
    }

    @Test func aTokenIsOfAnotherAppWhenAnotherIsAcceptedBetweenItsRefusals() {
        let detector = Subject()
        detector.accepted(at: 1)
        #expect(detector.refused(1, of: 1, at: 2) == .nothing)
        #expect(detector.refused(1, of: 1, at: 3) == .nothing, "nothing was accepted between")
        #expect(detector.refused(2, of: 1, at: 4) == .nothing)
        detector.accepted(at: 4, .app)
        #expect(detector.refused(1, of: 1, at: 5) == .nothing, "that was under the other topic")
        detector.accepted(at: 6)
        #expect(detector.refused(1, of: 1, at: 7) == .otherApp)
        #expect(detector.refused(1, of: 1, at: 8) == .nothing, "registered anew it begins anew")
        #expect(detector.refused(3, of: 1, isProven: true, at: 8) == .nothing, "a proven one is kept")
        detector.accepted(at: 9)
        #expect(detector.refused(3, of: 1, isProven: true, at: 10) == .nothing)
    }

    /// The bundle id is a beta build's: its phones' tokens are accepted, and the app's own are refused, and kept.
    @Test(arguments: [2, 5_000])
    func noTokenIsOfAnotherAppWhileMoreAccountsAreRefusedThanAccepted(_ testers: Int) {
        let detector = Subject()
        let others = 0..<testers * 2
        for account in others { #expect(detector.refused(account, of: UInt64(account), at: 1) == .nothing) }
        for tester in 0..<testers { detector.accepted(of: UInt64(100_000 + tester), at: 2) }
        for account in others { #expect(detector.refused(account, of: UInt64(account), at: 70) == .nothing) }
    }

    @Test func aTopicThatIsWrongFromTheStartIsKnownByThreeAccounts() {
        let detector = Subject()
        for token in 0..<9 { _ = detector.refused(token, of: 1, at: 1) }
        #expect(detector.untested == 1)
        for account in UInt64(2)..<9 { _ = detector.refused(0, of: account, at: 1) }
        #expect(detector.untested == 3)
        detector.accepted(at: 2)
        #expect(detector.untested == 0)
        for account in UInt64(2)..<9 { _ = detector.refused(0, of: account, at: 3) }
        #expect(detector.untested == 0, "it was right once")
    }

    @Test func startsWaitLongerWhileNothingIsAccepted() {
        let detector = Subject()
        #expect(detector.wait(at: 5) == 60)
        _ = detector.refused(1, of: 1, at: 10)
        #expect(detector.wait(at: 70) == 60)
        #expect(detector.wait(at: 310) == 300)
        #expect(detector.wait(at: 5_000) == 900)
        detector.accepted(at: 5_000)
        #expect(detector.wait(at: 5_001) == 60)
    }
}
