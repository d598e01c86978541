import Activities
import Testing

@Suite struct RenewalRuleTests {
    @Test func aBreakIsTakenForItUpToAnHourEarlier() {
        #expect(RenewalRule().afterInBreak == .seconds(6 * 3_600 + 2_700))
        #expect(RenewalRule(after: .seconds(600)).afterInBreak == .seconds(450))
    }

    @Test func allTriesFitIntoTheTimeThatIsLeft() {
        let tries = StartPolicy().leases.reduce(Duration.zero, +)
        #expect(RenewalRule().after + tries < RenewalRule.activityLife)
    }
}
