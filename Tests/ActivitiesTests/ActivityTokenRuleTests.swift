import Activities
import SightscreenModels
import Testing

@Suite struct ActivityTokenRuleTests {
    private let old = UpdateToken(String(repeating: "aa", count: 32))
    private let new = UpdateToken(String(repeating: "bb", count: 32))

    private func action(
        _ records: [ActivityGeneration], activity: ActivityID? = nil, start: StartID? = nil, followed: Bool = true,
        over: Bool = false
    ) -> ActivityTokenRule.Action {
        ActivityTokenRule(token: new, activityID: activity, startID: start, isFollowed: followed, matchIsOver: over)
            .action(for: records)
    }

    private func pending(_ generation: Int, start: StartID? = nil) -> ActivityGeneration {
        ActivityGeneration(generation: generation, status: .pending, startID: start, startIsOut: start != nil)
    }

    private func active(
        _ generation: Int, _ token: UpdateToken? = nil, start: StartID? = nil, activity: ActivityID? = nil
    ) -> ActivityGeneration {
        ActivityGeneration(
            generation: generation, status: .active, startID: start, activityID: activity, token: token ?? old)
    }

    private func ended(
        _ generation: Int, start: StartID? = nil, activity: ActivityID? = nil, beforeFollow: Bool = false
    ) -> ActivityGeneration {
        ActivityGeneration(
            generation: generation, status: .ended, startID: start, activityID: activity, token: old,
            endedBeforeFollow: beforeFollow)
    }

    private let one = StartID("start-1"), two = StartID("start-2")
    private let first = ActivityID("activity-1"), second = ActivityID("activity-2")

    @Test func theFirstTokenActivates() {
        #expect(action([pending(1, start: one)], activity: first, start: one) == .activate(generation: 1))
        #expect(action([pending(1, start: one)]) == .activate(generation: 1))
        #expect(action([pending(3), ended(2), ended(1)], activity: first) == .activate(generation: 3))
    }

    @Test func anotherTokenOfTheSameActivityRotatesAndTheSameTokenChangesNothing() {
        #expect(action([active(1, activity: first)], activity: first) == .rotate(generation: 1))
        #expect(action([active(1, start: one)], start: one) == .rotate(generation: 1))
        #expect(action([active(1)]) == .rotate(generation: 1))
        #expect(action([active(1, new, activity: first)], activity: first) == .keep(generation: 1))
        #expect(action([active(1, new)], activity: first, start: one) == .keep(generation: 1))
    }

    @Test func aTokenThatWasReplacedComesTooLate() {
        var running = active(1, activity: first)
        running.formerTokens = [new]
        #expect(action([running], activity: first) == .keep(generation: 1))
        #expect(action([running]) == .keep(generation: 1))
        #expect(action([running], activity: first, over: true) == .keep(generation: 1))
        running.renewalStartID = two
        #expect(action([running]) == .keep(generation: 1))
        running.status = .ended
        #expect(action([running], activity: first) == .end(generation: 1))
    }

    @Test func aSecondActivityTakesOverWhenItIsNewerAndEndsWhenItIsOlder() {
        #expect(
            action([active(1, start: one, activity: first)], activity: second, start: one) == .replace(generation: 1))
        #expect(action([active(1, activity: first)], activity: second) == .replace(generation: 1))
        #expect(action([active(1, start: two, activity: first)], activity: second, start: one) == .end(generation: nil))
    }

    /// Start `one` was tried again as `two`, whose id is on record; then `one` arrives after all.
    @Test func anEarlierTryThatArrivesAfterAllIsTakenOrEndedButNeverBesideTheOther() {
        #expect(action([pending(1, start: two)], activity: first, start: one) == .activate(generation: 1))
        // It runs, and goes by its name; the newer try takes over should it come, too.
        let running = active(1, start: two, activity: first)
        #expect(action([running], activity: first, start: one) == .rotate(generation: 1))
        #expect(action([running], activity: second, start: two) == .replace(generation: 1))
        // The other way round it is the second.
        #expect(action([active(1, start: two, activity: second)], activity: first, start: one) == .end(generation: nil))
        // Its generation has ended and the next one waits.
        #expect(
            action([pending(2), ended(1, start: two)], activity: first, start: one) == .activate(generation: 2))
        #expect(action([ended(1, start: two)], activity: first, start: one, followed: false) == .refuse)
    }

    @Test func aLateTokenOfAnEndedGenerationGetsAnEnd() {
        #expect(action([ended(1, start: one)], start: one) == .end(generation: 1))
        #expect(action([ended(1, activity: first)], activity: first) == .end(generation: 1))
        #expect(action([ended(1)]) == .end(generation: 1))
        #expect(action([pending(2, start: two), ended(1, start: one)], start: one) == .end(generation: 1))
        #expect(action([active(2, start: two), ended(1, start: one)], start: one) == .end(generation: 1))
    }

    @Test func aSecondActivityOfAnEndedStartHasARecordOfItsOwn() {
        let over = ended(1, start: one, activity: first)
        #expect(action([over], activity: second, start: one) == .end(generation: nil))
        #expect(action([over], activity: second, start: one, followed: false) == .end(generation: nil))
        #expect(action([over], activity: second, start: one, over: true) == .end(generation: nil))
        // The match is over, and the pass has not ended what runs.
        let running = active(1, start: one, activity: first)
        #expect(action([running], activity: second, start: one, over: true) == .end(generation: nil))
        // A token is of one activity, whatever the app calls it.
        var named = over
        named.formerTokens = [new]
        #expect(action([named], activity: second, start: one) == .end(generation: 1))
    }

    @Test func withoutIdsAGenerationFromBeforeTheFollowIsNotMeant() {
        #expect(action([ended(1, beforeFollow: true)]) == .adopt)
        #expect(action([ended(1, start: one, beforeFollow: true)], start: one) == .end(generation: 1))
    }

    @Test func anActivityOfTheAppsOwnIsTakenFromAFollowerOnly() {
        #expect(action([]) == .adopt)
        #expect(action([], activity: first, start: one) == .adopt)
        #expect(action([ended(1, activity: first)], activity: second) == .adopt)
        #expect(action([], followed: false) == .refuse)
        #expect(action([ended(1, activity: first)], activity: second, followed: false) == .refuse)
    }

    /// A renewal is out for generation 3 of activity `first`, which was started as `one`.
    private func renewing(activity: ActivityID? = ActivityID("activity-1")) -> [ActivityGeneration] {
        let running = ActivityGeneration(
            generation: 3, status: .active, startID: one, activityID: activity, token: old,
            renewalStartID: StartID("renewal-2"))
        return [running, ended(2, start: two, activity: second)]
    }

    @Test func theRenewalsTokenTakesThePlaceOfTheRunningActivity() {
        let renewal = StartID("renewal-2"), third = ActivityID("activity-3")
        #expect(action(renewing(), activity: third, start: renewal) == .replace(generation: 3))
        #expect(action(renewing(), start: renewal) == .replace(generation: 3))
        #expect(action(renewing(), activity: third) == .replace(generation: 3))
        #expect(action(renewing(activity: nil), activity: third) == .replace(generation: 3))
        // An earlier try of it that arrives after all, and an app that names nothing.
        #expect(action(renewing(), activity: third, start: StartID("renewal-1")) == .replace(generation: 3))
        #expect(action(renewing()) == .replace(generation: 3))
    }

    @Test func whatIsNotTheRenewalsStaysWhatItWas() {
        #expect(action(renewing(), activity: first) == .rotate(generation: 3))
        #expect(action(renewing(), start: one) == .rotate(generation: 3))
        #expect(action(renewing(), activity: first, start: one) == .rotate(generation: 3))
        #expect(action(renewing(), activity: second, start: two) == .end(generation: 2))
        #expect(action(renewing(), start: StartID("renewal-2"), over: true) == .end(generation: nil))
        // The renewal was answered: its generation runs, and the old one has ended.
        var records = renewing()
        records[0].status = .ended
        records.insert(active(4, new, start: StartID("renewal-2"), activity: ActivityID("activity-3")), at: 0)
        #expect(action(records, activity: ActivityID("activity-3")) == .keep(generation: 4))
        #expect(action(records, activity: first, start: one) == .end(generation: 3))
    }

    // MARK: - What nothing comes of

    @Test func nothingComesOfAMatchThatNobodyKnows() {
        for (records, followed, over) in [([], true, false), ([active(1)], true, false), ([], false, true)] {
            let rule = ActivityTokenRule(
                token: new, activityID: nil, startID: nil, isFollowed: followed, matchIsOver: over,
                matchIsKnown: false)
            #expect(rule.action(for: records) == .pass(.unknownMatch))
        }
    }

    private func held(
        by holder: ActivityTokenRule.Holder, _ records: [ActivityGeneration], followed: Bool, over: Bool
    ) -> ActivityTokenRule.Action {
        ActivityTokenRule(
            token: new, activityID: nil, startID: nil, isFollowed: followed, matchIsOver: over, holder: holder
        ).action(for: records)
    }

    @Test func aTokenThatAnActivityHasGetsNoEndFromAnother() {
        #expect(held(by: .another, [], followed: false, over: false) == .pass(.notFollowed))
        #expect(held(by: .user, [], followed: false, over: false) == .pass(.notFollowed))
        #expect(held(by: .another, [], followed: true, over: true) == .pass(.anothersToken))
        #expect(held(by: .another, [ended(1)], followed: true, over: false) == .pass(.anothersToken))
        // Within a user whoever registers it last has it; a follower who shows what runs has to show whose phone it is.
        #expect(held(by: .user, [], followed: true, over: true) == .end(generation: nil))
        #expect(held(by: .user, [], followed: true, over: false) == .adopt)
        #expect(held(by: .another, [], followed: true, over: false) == .wait)
        #expect(held(by: .another, [pending(1)], followed: true, over: false) == .wait)
        #expect(held(by: .another, [active(1)], followed: true, over: false) == .wait)
        #expect(held(by: .another, [active(1, new)], followed: true, over: false) == .keep(generation: 1))
    }

    @Test func endsThatAreOwedAreBounded() {
        func owed(_ count: Int) -> [ActivityGeneration] {
            (1...count).reversed().map { number in
                var record = ended(number, activity: ActivityID("owed-\(number)"))
                record.endIsOwed = true
                return record
            }
        }
        #expect(action(owed(3), activity: first, followed: false) == .refuse)
        #expect(action(owed(4), activity: first, followed: false) == .pass(.notFollowed))
        #expect(action(owed(4), activity: first, over: true) == .pass(.tooManyEnds))
        #expect(action([active(5, activity: second)] + owed(4), activity: first) == .pass(.tooManyEnds))
        #expect(action([ended(5, activity: first)] + owed(4), activity: first) == .pass(.tooManyEnds))
        // One that is owed anyway, and what owes none.
        #expect(action(owed(4), activity: ActivityID("owed-2")) == .end(generation: 2))
        #expect(action([active(5, activity: first)] + owed(4), activity: first) == .rotate(generation: 5))
        #expect(action(owed(4), activity: first) == .adopt)
    }

    @Test func generationsThatReportsHaveMadeAreBoundedAndThoseOfSentStartsAreNot() {
        func reported(_ count: Int) -> [ActivityGeneration] {
            (1...count).reversed().map { ended($0, activity: ActivityID("reported-\($0)")) }
        }
        #expect(action(reported(15), activity: first) == .adopt)
        #expect(action(reported(16), activity: first) == .pass(.tooManyGenerations))
        #expect(action(reported(16), activity: first, over: true) == .pass(.tooManyGenerations))
        #expect(action(reported(16), activity: first, followed: false) == .pass(.notFollowed))
        var running = active(17, activity: second)
        #expect(action([running] + reported(16), activity: first) == .pass(.tooManyGenerations))
        #expect(action([running] + reported(16), activity: second) == .rotate(generation: 17))
        #expect(action([pending(17)] + reported(16), activity: first) == .activate(generation: 17))
        // The server asked for it.
        running.renewalStartID = two
        #expect(action([running] + reported(16), activity: first, start: two) == .replace(generation: 17))
        let sent = reported(40).map { record in
            var record = record
            record.startWasSent = true
            return record
        }
        #expect(action(sent, activity: first) == .adopt)
    }

    @Test func nothingBecomesActiveOnceTheMatchIsOver() {
        #expect(action([], over: true) == .end(generation: nil))
        #expect(action([pending(1)], over: true) == .end(generation: 1))
        #expect(action([active(1, activity: first)], activity: first, over: true) == .end(generation: 1))
        #expect(action([ended(2), ended(1, start: one)], start: one, over: true) == .end(generation: 1))
        #expect(action([], followed: false, over: true) == .end(generation: nil))
    }
}

@Suite struct DismissalRuleTests {
    private let token = UpdateToken(String(repeating: "aa", count: 32))
    private let activity = ActivityID("activity-1")

    private func record(
        _ generation: Int, _ status: ActivityGeneration.Status, activity: ActivityID? = nil, token: UpdateToken? = nil,
        startIsOut: Bool = false
    ) -> ActivityGeneration {
        ActivityGeneration(
            generation: generation, status: status, activityID: activity, token: token, startIsOut: startIsOut)
    }

    @Test func theCurrentActivityIsUnfollowed() {
        let records = [record(2, .active, activity: activity, token: token), record(1, .ended)]
        #expect(DismissalRule(activityID: activity, token: nil).action(for: records) == .unfollow(generation: 2))
        #expect(DismissalRule(activityID: nil, token: token).action(for: records) == .unfollow(generation: 2))
        #expect(DismissalRule(activityID: nil, token: nil).action(for: records) == .unfollow(generation: 2))
    }

    @Test func whatTheServerEndedOrDoesNotKnowIsOnlyRecorded() {
        let records = [
            record(2, .active, activity: ActivityID("other"), token: token), record(1, .ended, activity: activity),
        ]
        #expect(DismissalRule(activityID: activity, token: nil).action(for: records) == .record(generation: 1))
        #expect(DismissalRule(activityID: ActivityID("x"), token: nil).action(for: records) == .record(generation: nil))
        #expect(DismissalRule(activityID: nil, token: nil).action(for: [record(1, .ended)]) == .record(generation: 1))
        #expect(DismissalRule(activityID: activity, token: token).action(for: []) == .record(generation: nil))
    }

    /// Apple said so first.
    @Test func aDismissalThatEndedTheTokenIsTheUsers() {
        var dead = record(1, .ended, activity: activity, token: token)
        dead.lostItsToken = true
        let rule = DismissalRule(activityID: activity, token: nil)
        #expect(rule.action(for: [dead]) == .unfollowOnly(generation: 1))
        // Another start may be on its way.
        #expect(rule.action(for: [record(2, .pending, startIsOut: true), dead]) == .unfollowOnly(generation: 1))
        // It is there, or was: the dead one has stood beside it.
        let other = record(2, .active, activity: ActivityID("other"))
        #expect(rule.action(for: [other, dead]) == .record(generation: 1))
        #expect(rule.action(for: [record(2, .ended, activity: ActivityID("other")), dead]) == .record(generation: 1))
        // Followed again.
        dead.endedBeforeFollow = true
        #expect(rule.action(for: [record(2, .pending, startIsOut: true), dead]) == .record(generation: 1))
    }

    @Test func aDismissalDuringARenewalIsTheUsersAndOneAfterItIsNot() {
        var running = record(2, .active, activity: ActivityID("other"), token: token)
        running.renewalStartID = StartID("renewal")
        #expect(DismissalRule(activityID: activity, token: nil).action(for: [running]) == .unfollow(generation: 2))
        #expect(!DismissalRule(activityID: activity, token: nil).names(running))
        #expect(DismissalRule(activityID: ActivityID("other"), token: nil).names(running))
        running.status = .ended
        let records = [record(3, .active, activity: activity, token: UpdateToken("cc")), running]
        #expect(
            DismissalRule(activityID: ActivityID("other"), token: nil).action(for: records) == .record(generation: 2))
        #expect(DismissalRule(activityID: nil, token: token).action(for: records) == .record(generation: 2))
        #expect(DismissalRule(activityID: activity, token: nil).action(for: records) == .unfollow(generation: 3))
    }

    @Test func anActivityThatIsDismissedBeforeItsTokenCameIsTheOneThatWasStarted() {
        let rule = DismissalRule(activityID: activity, token: nil)
        #expect(rule.action(for: [record(1, .pending, startIsOut: true)]) == .unfollow(generation: 1))
        #expect(rule.action(for: [record(1, .pending)]) == .record(generation: nil))
        #expect(rule.action(for: [record(1, .active, token: token)]) == .unfollow(generation: 1))
    }
}
