@testable import SightscreenClientTesting
import SightscreenModels
@testable import SightscreenClient
import Testing

/// The rules alone, at their edges.
@Suite struct RuleTests {
    private static let match = MatchID(1_304_076)

    @Test func staleAfterHalfAnHourWithoutNews() {
        #expect(!StaleRule.isStale(lastChange: 1_000, now: 1_000 + 1_799))
        #expect(StaleRule.isStale(lastChange: 1_000, now: 1_000 + 1_800))
    }

    @Test func theStaleDateOfAStartByTheApp() {
        let ahead = { (display: MatchDisplayState, status: String?) in
            StaleRule.staleDate(of: Sample.state(display, status: status), from: 5_000) - 5_000
        }
        #expect(ahead(.live, nil) == 600)
        #expect(ahead(.live, "Lunch") == 1_800)
        #expect(ahead(.inningsBreak, nil) == 1_800)
        #expect(ahead(.suspended, "Rain stopped play") == 1_800)
        #expect(ahead(.scheduled, nil) == 1_800)
        #expect(ahead(.completed, "Mumbai Indians won by 2 wickets") == 600)
    }

    /// When an activity is first seen, its stale date tells the latest time of its content.
    @Test func newsOfARestoredActivity() {
        let content = { (staleAt: Int?) in ShownContent(state: Sample.state(), staleAt: staleAt) }
        #expect(StaleRule.lastChange(of: content(nil), seenAt: 5_000) == 5_000)
        #expect(StaleRule.lastChange(of: content(4_000), seenAt: 5_000) == 3_400)
        // In a break the stale date is further ahead.
        #expect(StaleRule.lastChange(of: content(6_800), seenAt: 5_000) == 5_000)
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
        // At stumps the backend ends the activity, and the reason is on screen.
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
                Sample.match(1_304_076, .upcoming), announced: announced, showsActivities: true,
                running: runs ? Self.activity("a") : nil)
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
        // Without an announcement the backend sends a start.
        #expect(content(.starting, Sample.state(), false, false) == nil)
        #expect(LocalStartRule.announces(match, showsActivities: true, running: nil))
        #expect(!LocalStartRule.announces(match, showsActivities: false, running: nil))
        #expect(!LocalStartRule.announces(match, showsActivities: true, running: Self.activity("a")))
        #expect(LocalStartRule.announces(match, showsActivities: true, running: Self.activity("a", on: Self.channel)))
        #expect(!LocalStartRule.announces(Sample.match(42, .upcoming), showsActivities: true, running: nil))
        #expect(!LocalStartRule.announces(Sample.match(42, .completed), showsActivities: true, running: nil))
    }

    private static let channel = ChannelID("Y2hhbm5lbA==")

    private static func activity(
        _ id: String, on channel: ChannelID? = nil, _ state: PhoneActivityState = .active
    ) -> PhoneActivity {
        var attributes = Sample.attributes(match, start: "s")
        attributes.channelId = channel
        return PhoneActivity(
            id: ActivityID(id), attributes: attributes, content: ShownContent(state: Sample.state()), state: state)
    }

    /// A card on a channel moves to another channel, or gets a token; a card with a token stays.
    @Test(
        arguments: [
            (channel, channel, false), (channel, ChannelID("YW5vdGhlcg=="), true), (channel, nil, true),
            (nil, channel, false), (nil, nil, false),
        ] as [(ChannelID?, ChannelID?, Bool)])
    func whenACardMoves(from old: ChannelID?, to new: ChannelID?, moves: Bool) {
        let response = FollowResponse(
            following: true, displayState: Sample.state(), liveActivity: .active,
            channel: new.map { BroadcastChannel(id: $0) })
        let content = LocalStartRule.content(
            after: response, Sample.match(), announced: true, showsActivities: true,
            running: Self.activity("a", on: old))
        #expect(content == (moves ? Sample.state() : nil))
    }

    @Test func whichCardANewerOneReplaces() {
        let new = Self.activity("new")
        let old = Self.activity("old", on: Self.channel)
        #expect(ReplacementRule.ends(old, after: new))
        #expect(!ReplacementRule.ends(new, after: old), "the backend ends an activity with a token")
        #expect(!ReplacementRule.ends(old, after: old))
        let scheduled = Self.activity("scheduled", on: Self.channel, .pending)
        #expect(ReplacementRule.ends(scheduled, after: new))
        #expect(ReplacementRule.ends(scheduled, after: Self.activity("another", on: Self.channel, .pending)))
        #expect(!ReplacementRule.ends(old, after: scheduled))
        #expect(!ReplacementRule.ends(Self.activity("over", on: Self.channel, .ended), after: new))
    }

    @Test func whenACardIsScheduled() {
        let match = Sample.match(Self.match.rawValue, .upcoming)
        let now = Sample.now
        let step = { (channel: BroadcastChannel?, pending: PhoneActivity?, team: String?) in
            ScheduleRule.step(match, on: channel, pending: pending, followedTeamID: team, now: now)
        }
        let channel = BroadcastChannel(id: Self.channel, startsAt: now + 600)
        guard case .schedule(let attributes, let schedule) = step(channel, nil, "6") else {
            Issue.record("it is not scheduled")
            return
        }
        #expect(attributes.channelId == Self.channel && attributes.startsAt == now + 600)
        #expect(attributes.followedTeamId == "6" && attributes.startId == StartID(""))
        #expect(schedule.start == now + 600 && schedule.alert.title == "MI v CSK starts soon")
        var pending = Self.activity("a", on: Self.channel, .pending)
        pending.attributes = attributes
        #expect(step(channel, pending, nil) == .keep)
        // Gateways may differ in what they know of logos.
        pending.attributes.homeLogo = "https://images.example/6.png"
        #expect(step(channel, pending, nil) == .keep)
        for changed in [
            BroadcastChannel(id: ChannelID("YW5vdGhlcg=="), startsAt: now + 600),
            BroadcastChannel(id: Self.channel, startsAt: now + 1_200),
        ] {
            guard case .schedule(let anew, _) = step(changed, pending, nil) else {
                Issue.record("it is not scheduled anew")
                return
            }
            #expect(anew.followedTeamId == "6", "the known side stays")
        }
        #expect(step(nil, pending, nil) == .cancel)
        #expect(step(BroadcastChannel(id: Self.channel), pending, nil) == .cancel)
        #expect(step(nil, nil, nil) == .keep)
        #expect(step(BroadcastChannel(id: Self.channel, startsAt: now), nil, nil) == .keep)
        // It is about to appear.
        pending.attributes.startsAt = now
        #expect(step(BroadcastChannel(id: Self.channel, startsAt: now), pending, nil) == .keep)
    }

    @Test(arguments: [("17.7.2", false, false), ("18.0", true, false), ("26.1", true, true), ("x", false, false)])
    func whatAnIOSVersionHas(version: String, channels: Bool, schedules: Bool) {
        let profile = DeviceProfile(deviceID: DeviceID("d"), osVersion: version)
        #expect(profile.hasBroadcastChannels == channels)
        #expect(profile.schedulesActivities == schedules)
    }

    @Test func retryDelaysDoubleToAMinute() {
        let delays = RetryDelays()
        #expect(delays.delay(failures: 1, asked: nil, jitter: 1) == .seconds(1))
        #expect(delays.delay(failures: 3, asked: nil, jitter: 0) == .seconds(2))
        #expect(delays.delay(failures: 40, asked: nil, jitter: 1) == .seconds(60))
        #expect(delays.delay(failures: 1, asked: .seconds(90), jitter: 1) == .seconds(90))
    }

    // MARK: - FollowState

    @Test func whatWasTappedAfterTheServerWasAskedIsNotJudgedByItsAnswer() {
        var followState = FollowState(followed: [MatchID(1), MatchID(2)])
        let asked = followState.revision
        let tap = followState.follow(FollowRequest(matchId: MatchID(3)))
        followState.followAnswered(tap, isFollowing: true)
        let unfollow = followState.unfollow(MatchID(1))
        let changes = followState.reconcile(with: [MatchID(1), MatchID(4)], asked: asked)
        #expect(changes == FollowChanges(added: [MatchID(4)], removed: [MatchID(2)]))
        #expect(followState.followed == [MatchID(3), MatchID(4)])
        #expect(followState.isLast(unfollow))
        // The later answer contains the third match; the unfollow is still pending.
        let later = followState.revision
        #expect(followState.reconcile(with: [MatchID(1), MatchID(3), MatchID(4)], asked: later) == FollowChanges())
        followState.unfollowed(MatchID(1))
        // This answer was given before the unfollow arrived.
        #expect(followState.reconcile(with: [MatchID(1), MatchID(3), MatchID(4)], asked: later) == FollowChanges())
        #expect(followState.reconcile(with: [MatchID(3), MatchID(4)], asked: followState.revision) == FollowChanges())
        #expect(followState.followButton(for: MatchID(1)) == .empty)
    }

    /// A push reports the match as followed; an answer under way does not contain it yet.
    @Test func whatAPushSaidAfterTheServerWasAskedIsNotJudgedByItsAnswer() {
        var followState = FollowState()
        let asked = followState.revision
        #expect(followState.followedElsewhere(Self.match) == .new)
        #expect(followState.followedElsewhere(Self.match) == .known)
        #expect(followState.reconcile(with: [], asked: asked) == FollowChanges())
        #expect(followState.reconcile(with: [], asked: followState.revision) == FollowChanges(removed: [Self.match]))
        _ = followState.unfollow(Self.match)
        #expect(followState.followedElsewhere(Self.match) == .unwanted)
        followState.unfollowed(Self.match)
        #expect(followState.reconcile(with: [Self.match], asked: asked) == FollowChanges())
    }

    private static func dismissal(_ activity: String, isOnlyOne: Bool = true) -> PendingOperation.Dismissal {
        PendingOperation.Dismissal(match: match, activity: ActivityID(activity), isOnlyOne: isOnlyOne)
    }

    /// The backend decides whether a dismissal is an unfollow.
    @Test func aDismissalIsAnUnfollowWhenTheBackendSaysSo() {
        var followState = FollowState(followed: [Self.match])
        let (old, new) = (Self.dismissal("a", isOnlyOne: false), Self.dismissal("b"))
        followState.dismissed(old)
        followState.dismissed(old)
        followState.dismissed(new)
        #expect(followState.operations == [.dismissal(old), .dismissal(new)])
        #expect(followState.followButton(for: Self.match) == FollowButton(.filled))
        followState.answered(old, isFollowing: true)
        #expect(followState.followButton(for: Self.match) == FollowButton(.filled))
        let asked = followState.revision
        followState.answered(new, isFollowing: false)
        #expect(followState.followButton(for: Self.match) == .empty)
        #expect(followState.operations.isEmpty)
        // This answer was given before.
        #expect(followState.reconcile(with: [Self.match], asked: asked) == FollowChanges())
    }

    @Test func aLaterTapTakesThePlaceOfADismissal() {
        var followState = FollowState(followed: [Self.match])
        followState.dismissed(Self.dismissal("a"))
        let tap = followState.follow(FollowRequest(matchId: Self.match))
        // The dismissal was under way.
        followState.answered(Self.dismissal("a"), isFollowing: false)
        followState.followAnswered(tap, isFollowing: true)
        #expect(followState.followButton(for: Self.match) == FollowButton(.filled))
        followState.dismissed(Self.dismissal("b"))
        _ = followState.unfollow(Self.match)
        followState.dismissed(Self.dismissal("c"))
        #expect(followState.operations == [.unfollow(Self.match)])
    }

    /// A refused follow restores the operations that it was to replace.
    @Test func aFollowThatFailsLeavesWhatTheBackendHasToHear() {
        var followState = FollowState(followed: [Self.match])
        _ = followState.unfollow(Self.match)
        followState.followFailed(followState.follow(FollowRequest(matchId: Self.match)))
        #expect(followState.followButton(for: Self.match) == FollowButton(.empty, isPending: true))
        #expect(followState.operations == [.unfollow(Self.match)])
        followState = FollowState(followed: [Self.match])
        followState.dismissed(Self.dismissal("a"))
        let tap = followState.follow(FollowRequest(matchId: Self.match))
        followState.dismissed(Self.dismissal("b"))
        followState.followFailed(tap)
        #expect(followState.operations == [.dismissal(Self.dismissal("a")), .dismissal(Self.dismissal("b"))])
        // A later tap is not undone.
        let first = followState.follow(FollowRequest(matchId: Self.match))
        _ = followState.follow(FollowRequest(matchId: Self.match))
        followState.followFailed(first)
        #expect(followState.operations == [.follow(FollowRequest(matchId: Self.match))])
    }

    /// The backend starts an activity before it has received the dismissal.
    @Test func whileADismissalWaitsAStartIsUnwanted() {
        var followState = FollowState(followed: [Self.match])
        followState.dismissed(Self.dismissal("a", isOnlyOne: false))
        #expect(followState.followedElsewhere(Self.match) == .known)
        followState.dismissed(Self.dismissal("b"))
        #expect(followState.followedElsewhere(Self.match) == .unwanted)
        followState.answered(Self.dismissal("b"), isFollowing: true)
        #expect(followState.followedElsewhere(Self.match) == .known)
    }

    // MARK: - FollowStore

    @Test func operationsOutliveTheAppAndAreKeptForTheirUser() {
        let (store, ravi) = (InMemoryKeyValueStore(), UserID("ravi"))
        let followStore = FollowStore(store: store, clock: SimulatedClock(now: Sample.now))
        var followState = followStore.followState(of: Sample.user)
        let request = FollowRequest(matchId: MatchID(3), teamId: "6", alerts: .key)
        _ = followState.follow(request)
        _ = followState.unfollow(MatchID(2))
        followState.dismissed(Self.dismissal("a", isOnlyOne: false))
        followState.dismissed(Self.dismissal("b"))
        followStore.keep(followState, of: Sample.user)
        #expect(followStore.followState(of: Sample.user).operations == followState.operations)
        #expect(followStore.followState(of: Sample.user).followed == [MatchID(3)])
        // This holds with or without a sign-out.
        #expect(followStore.followState(of: ravi) == FollowState())
        var other = followStore.followState(of: ravi)
        _ = other.unfollow(MatchID(9))
        followStore.keep(other, of: ravi)
        followStore.leave()
        #expect(
            followStore.followState(of: Sample.user).operations == [
                .unfollow(MatchID(2)), .unfollow(Self.match), .follow(request),
            ])
        followStore.keep(FollowState(), of: Sample.user)
        followStore.leave()
        #expect(followStore.followState(of: ravi).operations == [.unfollow(MatchID(9))])
        #expect(store.strings(forKey: FollowStore.pendingOperationsKey)?.count == 1)
    }

    @Test func whatIsKeptForOthersIsBounded() {
        let followStore = FollowStore(store: InMemoryKeyValueStore(), clock: SimulatedClock(now: Sample.now))
        for number in 1...2 * FollowStore.keptMax {
            var followState = followStore.followState(of: UserID("user-\(number)"))
            _ = followState.unfollow(Self.match)
            followStore.keep(followState, of: UserID("user-\(number)"))
        }
        #expect(followStore.followState(of: UserID("user-1")).operations.isEmpty)
        #expect(
            followStore.followState(of: UserID("user-\(2 * FollowStore.keptMax - 1)")).operations == [
                .unfollow(Self.match)
            ])
    }

    @Test func aFailureDoesNotUndoALaterTap() {
        var followState = FollowState()
        let first = followState.follow(FollowRequest(matchId: Self.match))
        _ = followState.unfollow(Self.match)
        let third = followState.follow(FollowRequest(matchId: Self.match))
        followState.followFailed(first)
        #expect(followState.followButton(for: Self.match) == FollowButton(.filled, isPending: true))
        // The match was not followed before the third tap either.
        followState.followFailed(third)
        #expect(followState.followButton(for: Self.match).state == .empty)
    }

    @Test func followButtonStates() {
        var followState = FollowState()
        #expect(followState.followButtons.isEmpty)
        let tap = followState.follow(FollowRequest(matchId: Self.match))
        #expect(followState.followButtons == [Self.match: FollowButton(.filled, isPending: true)])
        followState.followAnswered(tap, isFollowing: true)
        for failure in ActivityFailure.allCases {
            followState.set(.failed(failure), for: Self.match)
            #expect(followState.followButton(for: Self.match) == FollowButton(.filledWithWarning, showsAgain: true))
        }
        followState.set(.running, for: Self.match)
        followState.showsActivities = false
        #expect(followState.followButton(for: Self.match) == FollowButton(.filledWithWarning))
        _ = followState.unfollow(Self.match)
        #expect(followState.followButtons == [Self.match: FollowButton(.empty, isPending: true)])
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
