import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct RetryBudgetTests {
    private static func troubled(phones: Int = 0) -> RetryBudget {
        var budget = RetryBudget()
        budget.tick(1_000_000_000, phones: phones)
        for _ in 0..<2 { budget.answered(mustBeRepeated: true) }
        return budget
    }

    @Test func aFailureNowAndThenIsRepeatedAtOnce() {
        var budget = RetryBudget()
        for number in 0..<1_000 {
            budget.answered(mustBeRepeated: number.isMultiple(of: 32))
            #expect(budget.room == .max)
        }
    }

    @Test func inTroubleATwelfthOfFirstPushesMayBeRepeated() {
        var budget = Self.troubled()
        for _ in 0..<1_200 { budget.sent(isRepetition: false) }
        #expect(budget.room == 100)
        for _ in 0..<100 { budget.sent(isRepetition: true) }
        #expect(budget.room == 0)
    }

    /// What was repeated while all was well counts, too.
    @Test func whatWasRepeatedBeforeTheTroubleIsPartOfIt() {
        var budget = RetryBudget()
        for _ in 0..<1_200 { budget.sent(isRepetition: false) }
        for _ in 0..<60 { budget.sent(isRepetition: true) }
        for _ in 0..<2 { budget.answered(mustBeRepeated: true) }
        #expect(budget.room == 40)
    }

    @Test func onlyTheLastTenSecondsCount() {
        var budget = Self.troubled()
        for _ in 0..<1_200 { budget.sent(isRepetition: false) }
        for _ in 0..<100 { budget.sent(isRepetition: true) }
        for second in 2...10 {
            budget.tick(Int64(second) * 1_000_000_000, phones: 0)
            #expect(budget.room == 0)
        }
        budget.tick(11_000_000_000, phones: 0)
        #expect(budget.room == 20, "nothing was sent in the window: two a second")
        budget.tick(1_000_000_000_000, phones: 0)
        #expect(budget.room == 20, "also after a stall")
    }

    @Test(arguments: [(10, 20), (5_000, 50), (1_000_000, 10_000)])
    func aQuietMatchConverges(phones: Int, room: Int) {
        #expect(Self.troubled(phones: phones).room == room)
    }

    @Test func itIsOverWhenTheLastAnswersAreGood() {
        var budget = Self.troubled()
        for _ in 0..<1_000 { budget.sent(isRepetition: true) }
        #expect(budget.room == 0)
        for _ in 0..<31 { budget.answered(mustBeRepeated: false) }
        #expect(budget.room == .max)
        budget.answered(mustBeRepeated: true)
        budget.answered(mustBeRepeated: true)
        #expect(budget.room == 0)
        budget.recover()
        #expect(budget.room == 32, "so many ask")
        for _ in 0..<31 { budget.sent(isRepetition: true) }
        #expect(budget.room == 1)
        for _ in 0..<31 { budget.answered(mustBeRepeated: false) }
        #expect(budget.room == .max)
    }
}
