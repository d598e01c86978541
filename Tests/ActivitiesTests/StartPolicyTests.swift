import Activities
import Testing

@Suite struct StartPolicyTests {
    private let policy = StartPolicy(firstLease: .seconds(120))

    @Test func eachTryWaitsTwiceAsLongAsTheOneBefore() {
        #expect(policy.leases == [.seconds(120), .seconds(240), .seconds(480)])
        #expect(policy.next(tries: 0, leaseIsOut: false) == .start(lease: .seconds(120)))
        #expect(policy.next(tries: 1, leaseIsOut: false) == .start(lease: .seconds(240)))
        #expect(policy.next(tries: 2, leaseIsOut: false) == .start(lease: .seconds(480)))
    }

    @Test func noLeaseGrowsBeyondTenMinutes() {
        #expect(StartPolicy(firstLease: .seconds(200)).leases == [.seconds(200), .seconds(400), .seconds(600)])
        #expect(StartPolicy(firstLease: .seconds(900)).leases == [.seconds(900), .seconds(900), .seconds(900)])
        #expect(policy.lease(ofTry: .max) == .seconds(600))
        #expect(policy.lease(ofTry: 0) == .seconds(120))
        #expect(policy.lease(ofTry: -3) == .seconds(120))
    }

    @Test func nothingGoesOutWhileAStartIsUnresolved() {
        for tries in 0...5 { #expect(policy.next(tries: tries, leaseIsOut: true) == .wait) }
    }

    @Test func afterThreeTriesItIsGivenUp() {
        #expect(policy.next(tries: 3, leaseIsOut: false) == .giveUp)
        #expect(policy.next(tries: 9, leaseIsOut: false) == .giveUp)
    }

    @Test(arguments: [
        (StartPolicy.Sent(deviceHour: 5, deviceDay: 23, userDay: 239), true),
        (StartPolicy.Sent(deviceHour: 6), false),
        (StartPolicy.Sent(deviceDay: 24), false),
        (StartPolicy.Sent(userDay: 240), false),
    ])
    func aPhoneGetsSixAnHourAndTwentyFourADay(sent: StartPolicy.Sent, mayStart: Bool) {
        let expected = mayStart ? StartPolicy.Action.start(lease: .seconds(240)) : .wait
        #expect(policy.next(tries: 1, leaseIsOut: false, sent: sent) == expected)
    }
}
