import Activities
import SightscreenModels
import Testing

@Suite struct StampRuleTests {
    @Test(arguments: [
        (100, nil as Int?, 110, true), (100, nil, 111, false), (100, 99, 105, true), (100, 100, 105, false),
        (112, nil, 110, true),
    ])
    func asksForAFreshStamp(stamp: Int, tokenAt: Int?, now: Int, isUsable: Bool) {
        #expect(StampRule.isUsable(Stamp(stamp), tokenAt: tokenAt, now: now) == isUsable)
    }
}
