import Activities
import Testing

@Suite struct RenewalRuleTests {
    private let rule = RenewalRule()
    private let policy = StartPolicy()
    private static let hour = 3_600

    @Test func itIsDueAQuarterBeforeEightHours() {
        #expect(!rule.isDue(age: .seconds(7 * Self.hour + 2_699), .going))
        #expect(rule.isDue(age: .seconds(7 * Self.hour + 2_700), .going))
    }

    @Test func aBreakIsTakenForItUpToAnHourEarlier() {
        #expect(!rule.isDue(age: .seconds(6 * Self.hour + 2_699), .inBreak))
        #expect(rule.isDue(age: .seconds(6 * Self.hour + 2_700), .inBreak))
        #expect(RenewalRule(after: .seconds(600)).afterInBreak == .seconds(450))
    }

    @Test func neverAtStumpsNorWhenTheMatchIsOver() {
        #expect(!rule.isDue(age: .seconds(9 * Self.hour), .atStumps))
        #expect(!rule.isDue(age: .seconds(9 * Self.hour), .over))
        #expect(next(age: 9 * Self.hour, .atStumps) == .wait)
        #expect(next(age: 9 * Self.hour, .over) == .wait)
    }

    @Test func neverTwiceWhileOneIsUnresolved() {
        #expect(!rule.isDue(age: .seconds(9 * Self.hour), .going, isOut: true))
        for play in RenewalRule.Play.allCases {
            #expect(next(age: 9 * Self.hour, play, isMarked: true, tries: 1, leaseIsOut: true) == .wait)
        }
    }

    @Test func itsTriesAreThoseOfAStart() {
        let age = 7 * Self.hour + 2_700
        #expect(next(age: age, .going) == .renew(lease: .seconds(120)))
        #expect(next(age: age, .going, tries: 1) == .renew(lease: .seconds(240)))
        #expect(next(age: age, .going, tries: 2) == .renew(lease: .seconds(480)))
        #expect(next(age: age, .going, tries: 3) == .wait)
        #expect(next(age: age, .going, sent: .init(deviceHour: 6)) == .wait)
    }

    @Test func whatBeganInABreakGoesOnAfterIt() {
        #expect(next(age: 7 * Self.hour, .going) == .wait)
        #expect(next(age: 7 * Self.hour, .going, isMarked: true, tries: 1) == .renew(lease: .seconds(240)))
    }

    @Test func afterEightHoursItEndsAndOneThatIsMissingIsStarted() {
        #expect(next(age: 8 * Self.hour, .going, tries: 3) == .end)
        #expect(next(age: 8 * Self.hour, .inBreak) == .end)
        #expect(next(age: 8 * Self.hour - 1, .going, tries: 3) == .wait)
    }

    @Test func allTriesFitIntoTheTimeThatIsLeft() {
        let tries = policy.leases.reduce(Duration.zero, +)
        #expect(rule.after + tries < RenewalRule.activityLife)
    }

    private func next(
        age: Int, _ play: RenewalRule.Play, isMarked: Bool = false, tries: Int = 0, leaseIsOut: Bool = false,
        sent: StartPolicy.Sent = .init()
    ) -> RenewalRule.Action {
        rule.next(
            age: .seconds(age), play, isMarked: isMarked, tries: tries, leaseIsOut: leaseIsOut, sent: sent, policy)
    }
}
