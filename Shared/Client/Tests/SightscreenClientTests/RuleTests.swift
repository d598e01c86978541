@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The rules by themselves, at their edges.
@Suite struct RuleTests {
    private static let match = MatchID(1_304_076)

    @Test func staleAfterHalfAnHourWithoutNews() {
        #expect(!StaleRule.isStale(lastNews: 1_000, now: 1_000 + 1_799))
        #expect(StaleRule.isStale(lastNews: 1_000, now: 1_000 + 1_800))
    }

    /// Seen for the first time, an activity's news are as old as its stale-date says, never older.
    @Test func newsOfARestoredActivity() {
        let content = { (staleAt: Int?) in ShownContent(state: Sample.state(), staleAt: staleAt) }
        #expect(StaleRule.lastNews(of: content(nil), seenAt: 5_000) == 5_000)
        #expect(StaleRule.lastNews(of: content(4_000), seenAt: 5_000) == 3_400)
        // In a break the stale-date is further ahead.
        #expect(StaleRule.lastNews(of: content(6_800), seenAt: 5_000) == 5_000)
    }

    @Test(arguments: [
        (DismissalRule(endedByApp: false, hadEnded: false, age: 60, showsActivities: true), true),
        (DismissalRule(endedByApp: true, hadEnded: false, age: 60, showsActivities: true), false),
        (DismissalRule(endedByApp: false, hadEnded: true, age: 60, showsActivities: true), false),
        (DismissalRule(endedByApp: false, hadEnded: false, age: 8 * 3_600, showsActivities: true), false),
        (DismissalRule(endedByApp: false, hadEnded: false, age: 60, showsActivities: false), false),
    ])
    func whatCountsAsTheUsersDismissal(rule: DismissalRule, isByUser: Bool) { #expect(rule.isByUser == isByUser) }

    @Test func healthAfterAnEnd() {
        let other = PhoneActivity(
            id: ActivityID("b"), attributes: Sample.attributes(Self.match, start: "s"),
            content: ShownContent(state: Sample.state()), state: .active)
        let outside = EndCause.outside(age: 600)
        #expect(HealthRule.health(after: outside, Sample.state(), others: [other]) == .running)
        #expect(HealthRule.health(after: outside, Sample.state(), others: []) == .failed(.endedBySystem))
        #expect(HealthRule.health(after: outside, Sample.state(.completed), others: []) == .idle)
        #expect(HealthRule.health(after: outside, Sample.state(.abandoned), others: []) == .idle)
        // At stumps the backend ends it, and the screen says why.
        let stumps = Sample.state(status: "Day 2: Stumps")
        #expect(HealthRule.health(after: outside, stumps, others: []) == .idle)
        #expect(HealthRule.health(after: .outside(age: 8 * 3_600), stumps, others: []) == .failed(.endedBySystem))
        #expect(HealthRule.health(after: .stale, Sample.state(), others: []) == .failed(.stale))
        #expect(HealthRule.health(after: .user, Sample.state(), others: []) == .idle)
        #expect(HealthRule.health(after: .app, Sample.state(), others: []) == .idle)
    }

    @Test func localStart() {
        let match = Sample.match()
        let content = { (outlook: LiveActivityOutlook, state: ContentState?, announced: Bool, runs: Bool) in
            LocalStartRule.content(
                after: FollowResponse(following: true, displayState: state, liveActivity: outlook),
                Sample.match(1_304_076, .upcoming), announced: announced, showsActivities: true, runsHere: runs)
        }
        #expect(content(.starting, Sample.state(), true, false) == Sample.state())
        #expect(content(.active, Sample.state(), true, false) == Sample.state())
        #expect(content(.unavailable, Sample.state(), true, false) == Sample.state())
        #expect(content(.unavailable, Sample.state(.scheduled), true, false) == nil)
        #expect(content(.scheduled, Sample.state(), true, false) == nil)
        #expect(content(.ended, Sample.state(), true, false) == nil)
        #expect(content(.other, Sample.state(), true, false) == nil)
        #expect(content(.starting, nil, true, false) == nil)
        #expect(content(.starting, Sample.state(), true, true) == nil)
        // The backend was not told, and sends a start.
        #expect(content(.starting, Sample.state(), false, false) == nil)
        #expect(LocalStartRule.announces(match, showsActivities: true, runsHere: false))
        #expect(!LocalStartRule.announces(match, showsActivities: false, runsHere: false))
        #expect(!LocalStartRule.announces(match, showsActivities: true, runsHere: true))
        #expect(!LocalStartRule.announces(Sample.match(42, .upcoming), showsActivities: true, runsHere: false))
        #expect(!LocalStartRule.announces(Sample.match(42, .completed), showsActivities: true, runsHere: false))
    }

    @Test func retryDelaysDoubleToAMinute() {
        let delays = RetryDelays()
        #expect(delays.delay(failures: 1, asked: nil, jitter: 1) == .seconds(1))
        #expect(delays.delay(failures: 3, asked: nil, jitter: 0) == .seconds(2))
        #expect(delays.delay(failures: 40, asked: nil, jitter: 1) == .seconds(60))
        #expect(delays.delay(failures: 1, asked: .seconds(90), jitter: 1) == .seconds(90))
    }

    // MARK: - FollowBook

    @Test func whatWasTappedAfterTheServerWasAskedIsNotJudgedByItsAnswer() {
        var book = FollowBook(followed: [MatchID(1), MatchID(2)])
        let asked = book.revision
        let tap = book.follow(FollowRequest(matchId: MatchID(3)))
        book.followAnswered(tap, isFollowing: true)
        let unfollow = book.unfollow(MatchID(1))
        let changes = book.reconcile(with: [MatchID(1), MatchID(4)], asked: asked)
        #expect(changes == FollowChanges(added: [MatchID(4)], removed: [MatchID(2)]))
        #expect(book.followed == [MatchID(3), MatchID(4)])
        #expect(book.isLast(unfollow))
        // Asked again, the server knows of the third; the unfollow still waits to be told.
        let later = book.revision
        #expect(book.reconcile(with: [MatchID(1), MatchID(3), MatchID(4)], asked: later) == FollowChanges())
        book.unfollowed(MatchID(1))
        // An answer that was given before the unfollow arrived.
        #expect(book.reconcile(with: [MatchID(1), MatchID(3), MatchID(4)], asked: later) == FollowChanges())
        #expect(book.reconcile(with: [MatchID(3), MatchID(4)], asked: book.revision) == FollowChanges())
        #expect(book.bell(for: MatchID(1)) == .empty)
    }

    /// A push says that it is followed, an answer that was under way does not know of it yet.
    @Test func whatAPushSaidAfterTheServerWasAskedIsNotJudgedByItsAnswer() {
        var book = FollowBook()
        let asked = book.revision
        #expect(book.followedElsewhere(Self.match) == .new)
        #expect(book.followedElsewhere(Self.match) == .known)
        #expect(book.reconcile(with: [], asked: asked) == FollowChanges())
        #expect(book.reconcile(with: [], asked: book.revision) == FollowChanges(removed: [Self.match]))
        _ = book.unfollow(Self.match)
        #expect(book.followedElsewhere(Self.match) == .unwanted)
        book.unfollowed(Self.match)
        #expect(book.reconcile(with: [Self.match], asked: asked) == FollowChanges())
    }

    private static func dismissal(_ activity: String, isOnlyOne: Bool = true) -> PendingWish.Dismissal {
        PendingWish.Dismissal(match: match, activity: ActivityID(activity), isOnlyOne: isOnlyOne)
    }

    /// The backend decides what a dismissal means.
    @Test func aDismissalIsAnUnfollowWhenTheBackendSaysSo() {
        var book = FollowBook(followed: [Self.match])
        let (old, new) = (Self.dismissal("a", isOnlyOne: false), Self.dismissal("b"))
        book.dismissed(old)
        book.dismissed(old)
        book.dismissed(new)
        #expect(book.wishes == [.dismissal(old), .dismissal(new)])
        #expect(book.bell(for: Self.match) == Bell(.filled))
        book.answered(old, isFollowing: true)
        #expect(book.bell(for: Self.match) == Bell(.filled))
        let asked = book.revision
        book.answered(new, isFollowing: false)
        #expect(book.bell(for: Self.match) == .empty)
        #expect(book.wishes.isEmpty)
        // An answer that was given before.
        #expect(book.reconcile(with: [Self.match], asked: asked) == FollowChanges())
    }

    @Test func aLaterTapTakesThePlaceOfADismissal() {
        var book = FollowBook(followed: [Self.match])
        book.dismissed(Self.dismissal("a"))
        let tap = book.follow(FollowRequest(matchId: Self.match))
        // It was under way.
        book.answered(Self.dismissal("a"), isFollowing: false)
        book.followAnswered(tap, isFollowing: true)
        #expect(book.bell(for: Self.match) == Bell(.filled))
        book.dismissed(Self.dismissal("b"))
        _ = book.unfollow(Self.match)
        book.dismissed(Self.dismissal("c"))
        #expect(book.wishes == [.unfollow(Self.match)])
    }

    /// A follow that the backend never took leaves what it was to replace.
    @Test func aFollowThatFailsLeavesWhatTheBackendHasToHear() {
        var book = FollowBook(followed: [Self.match])
        _ = book.unfollow(Self.match)
        book.followFailed(book.follow(FollowRequest(matchId: Self.match)))
        #expect(book.bell(for: Self.match) == Bell(.empty, isPending: true))
        #expect(book.wishes == [.unfollow(Self.match)])
        book = FollowBook(followed: [Self.match])
        book.dismissed(Self.dismissal("a"))
        let tap = book.follow(FollowRequest(matchId: Self.match))
        book.dismissed(Self.dismissal("b"))
        book.followFailed(tap)
        #expect(book.wishes == [.dismissal(Self.dismissal("a")), .dismissal(Self.dismissal("b"))])
        // A later tap is not undone.
        let first = book.follow(FollowRequest(matchId: Self.match))
        _ = book.follow(FollowRequest(matchId: Self.match))
        book.followFailed(first)
        #expect(book.wishes == [.follow(FollowRequest(matchId: Self.match))])
    }

    /// What the backend starts before it has heard of a dismissal.
    @Test func whileADismissalWaitsAStartIsUnwanted() {
        var book = FollowBook(followed: [Self.match])
        book.dismissed(Self.dismissal("a", isOnlyOne: false))
        #expect(book.followedElsewhere(Self.match) == .known)
        book.dismissed(Self.dismissal("b"))
        #expect(book.followedElsewhere(Self.match) == .unwanted)
        book.answered(Self.dismissal("b"), isFollowing: true)
        #expect(book.followedElsewhere(Self.match) == .known)
    }

    // MARK: - FollowStore

    @Test func wishesOutliveTheAppAndAreKeptForTheirUser() {
        let (store, ravi) = (InMemoryKeyValueStore(), UserID("ravi"))
        let followStore = FollowStore(store: store, clock: SimulatedClock(now: Sample.now))
        var book = followStore.book(of: Sample.user)
        let request = FollowRequest(matchId: MatchID(3), teamId: "6", alerts: .key)
        _ = book.follow(request)
        _ = book.unfollow(MatchID(2))
        book.dismissed(Self.dismissal("a", isOnlyOne: false))
        book.dismissed(Self.dismissal("b"))
        followStore.keep(book, of: Sample.user)
        #expect(followStore.book(of: Sample.user).wishes == book.wishes)
        #expect(followStore.book(of: Sample.user).followed == [MatchID(3)])
        // With or without a sign-out.
        #expect(followStore.book(of: ravi) == FollowBook())
        var other = followStore.book(of: ravi)
        _ = other.unfollow(MatchID(9))
        followStore.keep(other, of: ravi)
        followStore.leave()
        #expect(
            followStore.book(of: Sample.user).wishes == [
                .unfollow(MatchID(2)), .unfollow(Self.match), .follow(request),
            ])
        followStore.keep(FollowBook(), of: Sample.user)
        followStore.leave()
        #expect(followStore.book(of: ravi).wishes == [.unfollow(MatchID(9))])
        #expect(store.strings(forKey: FollowStore.wishesKey)?.count == 1)
    }

    @Test func whatIsKeptForOthersIsBounded() {
        let followStore = FollowStore(store: InMemoryKeyValueStore(), clock: SimulatedClock(now: Sample.now))
        for number in 1...2 * FollowStore.keptMax {
            var book = followStore.book(of: UserID("user-\(number)"))
            _ = book.unfollow(Self.match)
            followStore.keep(book, of: UserID("user-\(number)"))
        }
        #expect(followStore.book(of: UserID("user-1")).wishes.isEmpty)
        #expect(followStore.book(of: UserID("user-\(2 * FollowStore.keptMax - 1)")).wishes == [.unfollow(Self.match)])
    }

    @Test func aFailureDoesNotUndoALaterTap() {
        var book = FollowBook()
        let first = book.follow(FollowRequest(matchId: Self.match))
        _ = book.unfollow(Self.match)
        let third = book.follow(FollowRequest(matchId: Self.match))
        book.followFailed(first)
        #expect(book.bell(for: Self.match) == Bell(.filled, isPending: true))
        // It was not followed before the third tap either.
        book.followFailed(third)
        #expect(book.bell(for: Self.match).state == .empty)
    }

    @Test func bellStates() {
        var book = FollowBook()
        #expect(book.bells.isEmpty)
        let tap = book.follow(FollowRequest(matchId: Self.match))
        #expect(book.bells == [Self.match: Bell(.filled, isPending: true)])
        book.followAnswered(tap, isFollowing: true)
        for failure in ActivityFailure.allCases {
            book.set(.failed(failure), for: Self.match)
            #expect(book.bell(for: Self.match) == Bell(.filledWithWarning))
        }
        book.set(.running, for: Self.match)
        book.showsActivities = false
        #expect(book.bell(for: Self.match) == Bell(.filledWithWarning))
        _ = book.unfollow(Self.match)
        #expect(book.bells == [Self.match: Bell(.empty, isPending: true)])
    }

    // MARK: - SentTokens

    @Test func sentTokensArePerMatchAndActivity() {
        var sent = SentTokens()
        let (one, two) = (ActivityID("a"), ActivityID("b"))
        sent.sent(UpdateToken("aa"), of: one, for: Self.match)
        sent.sent(UpdateToken("bb"), of: two, for: Self.match)
        #expect(sent.has(UpdateToken("aa"), of: one, for: Self.match))
        #expect(!sent.has(UpdateToken("aa"), of: two, for: Self.match))
        #expect(sent.last(for: Self.match) == UpdateToken("bb"))
        sent.sent(UpdateToken("cc"), of: one, for: Self.match)
        #expect(!sent.has(UpdateToken("aa"), of: one, for: Self.match))
        #expect(sent.last(for: Self.match) == UpdateToken("cc"))
        sent.forget(one)
        sent.forget(two)
        #expect(sent == SentTokens())
    }
}
