import Activities
import SightscreenModels
import Testing

/// `ActivityTokenRule` for cards that listen to a channel and have no token.
@Suite struct ChannelCardRuleTests {
    private let one = StartID("start-1"), two = StartID("start-2")
    private let first = ActivityID("activity-1"), second = ActivityID("activity-2")

    private func ended(_ generation: Int, activity: ActivityID) -> ActivityGeneration {
        ActivityGeneration(generation: generation, status: .ended, activityID: activity)
    }

    private func listening(
        _ records: [ActivityGeneration], _ activity: ActivityID, start: StartID? = nil, followed: Bool = true,
        over: Bool = false
    ) -> ActivityTokenRule.Action {
        ActivityTokenRule(
            token: nil, activityID: activity, startID: start, isFollowed: followed, matchIsOver: over
        ).action(for: records)
    }

    private func onChannel(
        _ generation: Int, start: StartID? = nil, activity: ActivityID? = nil
    ) -> ActivityGeneration {
        ActivityGeneration(generation: generation, status: .active, startID: start, activityID: activity)
    }

    @Test func aCardOnAChannelTakesTheRecordOfItsStart() {
        #expect(
            listening([ActivityGeneration(generation: 1, status: .pending, startID: one)], first, start: one)
                == .activate(generation: 1))
        #expect(listening([onChannel(1, start: one)], first, start: one) == .rotate(generation: 1))
        #expect(listening([onChannel(1, start: one, activity: first)], first) == .rotate(generation: 1))
        #expect(listening([], first) == .adopt)
    }

    @Test func aCardOnAChannelIsNeitherTheOneWithATokenNorThatOfAnotherStart() {
        #expect(
            listening(
                [ActivityGeneration(generation: 1, status: .active, startID: one, token: UpdateToken("t"))], first,
                start: one) == .replace(generation: 1))
        #expect(listening([onChannel(1, start: one)], first) == .replace(generation: 1))
        #expect(listening([onChannel(1, activity: first)], second) == .replace(generation: 1))
        #expect(listening([onChannel(1, start: two)], second, start: one) == .end(generation: nil))
        #expect(listening([ended(1, activity: first)], first) == .end(generation: 1))
        #expect(listening([onChannel(1, activity: first)], first, over: true) == .end(generation: 1))
        #expect(listening([], first, followed: false) == .refuse)
    }

    @Test func theBoundOfGenerationsIsThatOfTokens() {
        var records = (1...ActivityTokenRule.reportedMax).reversed().map { ended($0, activity: ActivityID("a\($0)")) }
        #expect(listening(records, first) == .pass(.tooManyGenerations))
        records[0] = onChannel(ActivityTokenRule.reportedMax, activity: second)
        #expect(listening(records, first) == .pass(.tooManyGenerations))
        records[3].startWasSent = true
        #expect(listening(records, first) == .replace(generation: ActivityTokenRule.reportedMax))
        // An end of such a card is no push, so that ends that wait are no reason to refuse it.
        for place in 0..<ActivityTokenRule.owedEndsMax { records[place + 4].endIsOwed = true }
        #expect(listening(records, first, over: true) == .end(generation: nil))
    }
}
