import SightscreenClient
import SightscreenClientTesting
import SightscreenModels
import Testing

/// What Siri, Shortcuts and a card's button do and say.
@Suite struct MatchAssistantTests {
    private static let now = Sample.now
    private static let live = SampleMatches.live(now: now).id
    private static let upcoming = SampleMatches.upcoming(now: now).id
    private static let completed = SampleMatches.completed(now: now).id

    private let service = FakeLiveActivityService()

    private func assistant(_ service: (any LiveActivityService)? = nil, signedIn: Bool = true) -> MatchAssistant {
        let clock = SimulatedClock(now: Self.now)
        let session = FakeSession(user: signedIn ? Sample.user : nil, token: signedIn ? "good" : nil)
        let api = SightscreenAPI(transport: SampleGateway(clock: clock), session: session, clock: clock)
        return MatchAssistant(api: api, liveActivities: service ?? self.service, clock: clock)
    }

    @Test func matchesInPlayComeFirstAndFollowedOnesBeforeThem() async throws {
        let today = try await assistant().matches().map(\.id)
        #expect(today.first == Self.live && Set(today).count == today.count && today.contains(Self.upcoming))
        let following = FakeLiveActivityService(following: [Self.upcoming])
        #expect(try await assistant(following).matches().map(\.id).prefix(2) == [Self.upcoming, Self.live])
    }

    @Test(arguments: [
        ("Mumbai", true), ("mumbai indians", true), ("MI v CSK", true), ("chennai against mumbai", true),
        ("super kings", true), ("indian premier", true), ("ind", true), ("Rajasthan", false), ("MI v RR", false),
        ("umbai", false),
    ])
    func everyWordNamesSomethingOfTheMatch(_ words: String, isIt: Bool) async throws {
        #expect(try await assistant().matches(named: words).map(\.id).contains(Self.live) == isIt)
    }

    @Test func theScoreIsThatOfTheFollowedMatchInPlay() async throws {
        let named = try await assistant().score(of: Self.live)
        #expect(named.hasPrefix("Mumbai Indians 87 for 4 after 12.3 overs."), "\(named)")
        #expect(named.contains("MI need 85 off 45 balls."))
        #expect(try await assistant().score(of: nil) == named)
    }

    @Test func aMatchThatIsNotInPlaySaysSo() async throws {
        let before = try await assistant().score(of: Self.upcoming)
        #expect(before.hasPrefix("Rajasthan Royals against Kolkata Knight Riders."), "\(before)")
        #expect(before.hasSuffix("Play has not begun."))
        #expect(try await assistant().score(of: Self.completed).contains("won by 7 wickets"))
        #expect(try await assistant().score(of: MatchID(1)) == "There is no such match.")
    }

    @Test func aFollowIsSaid() async throws {
        let sentence = try await assistant().follow(Self.live)
        #expect(sentence == "You follow Mumbai Indians against Chennai Super Kings.")
        #expect(await service.followButton(for: Self.live) == FollowButton(.filled))
        #expect(await service.isRegistered, "an intent may be what launches the app")
        #expect(try await assistant().follow(MatchID(1)) == "There is no such match.")
    }

    @Test func aFollowWithoutACardSaysThat() async throws {
        await service.set(.failed(.notStarted), for: Self.upcoming)
        let sentence = try await assistant().follow(Self.upcoming)
        #expect(sentence.hasSuffix("The Lock Screen does not show it."), "\(sentence)")
    }

    @Test func anUnfollowNeedsNoNetwork() async throws {
        try await assistant().follow(Self.live)
        await service.refuse(.transport(.offline))
        #expect(await assistant(signedIn: false).unfollow(Self.live) == "You no longer follow this match.")
        #expect(await service.followButton(for: Self.live) == .empty)
    }

    @Test func refusalsAreSentences() async throws {
        await #expect(throws: APIError.signedOut) { try await assistant(signedIn: false).score(of: Self.live) }
        await service.refuse(.transport(.offline))
        await #expect(throws: APIError.transport(.offline)) { try await assistant().follow(Self.live) }
        #expect(MatchAssistant.sentence(for: APIError.signedOut) == "Open the app and sign in first.")
        #expect(MatchAssistant.sentence(for: APIError.transport(.offline)) == "The scores cannot be reached.")
        #expect(MatchAssistant.sentence(for: APIError.superseded) == "That did not work.")
    }

    /// The button below a card, through the app on a phone.
    @Test func theButtonOfACardUnfollowsAndTakesItAway() async throws {
        let match = Sample.match()
        let phone = try await Phone(match)
        try await phone.launch()
        try await phone.app.follow(match)
        await phone.killApp()
        // The system launches the app in the background for the intent.
        await assistant(phone.app).unfollow(match.id)
        #expect(await phone.shown().isEmpty)
        try await phone.soon("the backend knows") { await phone.gateway.follows[Sample.user] == [] }
        #expect(await phone.gateway.calls("POST /matches/1304076/activity-dismissed").isEmpty)
        await phone.end()
    }
}
