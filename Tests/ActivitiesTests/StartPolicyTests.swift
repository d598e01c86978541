import Activities
import Testing

@Suite struct StartPolicyTests {
    private let policy = StartPolicy(firstLease: .seconds(120))

    @Test func eachTryWaitsTwiceAsLongAsTheOneBefore() {
        #expect(policy.leases == [.seconds(120), .seconds(240), .seconds(480)])
    }

    @Test func aPhoneGetsSixAnHourAndTwentyFourADayAUsersPhonesTenTimesThat() {
        #expect(StartPolicy.triesMax == 3)
        #expect(StartPolicy.perDeviceHourMax == 6 && StartPolicy.perDeviceDayMax == 24)
        #expect(StartPolicy.perUserDayMax == 240)
    }

    @Test func noLeaseGrowsBeyondTenMinutes() {
        #expect(StartPolicy(firstLease: .seconds(200)).leases == [.seconds(200), .seconds(400), .seconds(600)])
        #expect(StartPolicy(firstLease: .seconds(900)).leases == [.seconds(900), .seconds(900), .seconds(900)])
        #expect(policy.lease(ofTry: .max) == .seconds(600))
        #expect(policy.lease(ofTry: 0) == .seconds(120))
        #expect(policy.lease(ofTry: -3) == .seconds(120))
    }
}
