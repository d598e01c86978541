public import SightscreenModels

/// Does what Siri, Shortcuts and a card's button ask for, and says it in sentences. It uses none of Apple's frameworks:
/// the intents only call it.
///
/// The system may launch the app in the background for an intent, so each order starts the service first.
public struct MatchAssistant: Sendable {
    private let api: SightscreenAPI
    private let liveActivities: any LiveActivityService
    private let clock: any ClientClock

    public init(api: SightscreenAPI, liveActivities: any LiveActivityService, clock: any ClientClock) {
        self.api = api
        self.liveActivities = liveActivities
        self.clock = clock
    }

    // MARK: - Finding a match

    /// Returns the matches to choose from, those in play and today's: the followed ones first, then those in play.
    public func matches() async throws(APIError) -> [MatchItem] {
        await liveActivities.start()
        var found: [MatchItem] = []
        if case .new(let live, _) = try await api.liveMatches() { found = live.matches }
        if case .new(let today, _) = try await api.matches(on: UTCDay(at: clock.now)) {
            found += today.matches.filter { match in !found.contains { $0.id == match.id } }
        }
        let followed = await followed()
        return found.filter { followed.contains($0.id) } + found.filter { !followed.contains($0.id) }
    }

    /// Returns the matches of which every word names something: a side, its short name, the competition or the round. A
    /// word's beginning is enough.
    public func matches(named text: String) async throws(APIError) -> [MatchItem] {
        let words = Self.words(of: text)
        return try await matches().filter { match in
            let names = [match.home.name, match.home.abbr, match.away.name, match.away.abbr]
            let known = (names + [match.competition, match.round]).flatMap(Self.words)
            return words.allSatisfy { word in known.contains { $0.hasPrefix(word) } }
        }
    }

    /// Returns one match; nil when the backend does not know it.
    public func match(_ id: MatchID) async throws(APIError) -> MatchItem? {
        do throws(APIError) { return try await api.match(id) } catch {
            if error.status == 404 { return nil }
            throw error
        }
    }

    private func followed() async -> Set<MatchID> {
        for await followButtons in await liveActivities.followButtons() {
            return Set(followButtons.filter { $0.value.state != .empty }.keys)
        }
        return []
    }

    /// Returns the words in small letters, without those that join two sides.
    private static func words(of text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }
            .filter { !["v", "vs", "versus", "against", "and"].contains($0) }
    }

    // MARK: - Questions and orders

    /// Returns the sentence for "What's the score?".
    ///
    /// - Parameter id: the match; nil for the first followed match in play, otherwise the first match in play.
    public func score(of id: MatchID?) async throws(APIError) -> String {
        let match = if let id { try await match(id) } else { try await matches().first { $0.status == .live } }
        guard let match else { return id == nil ? "No match is in play." : "There is no such match." }
        let card = MatchCard(
            state: match.displayState ?? ContentState(before: match), attributes: LiveActivityAttributes(match),
            isStale: false)
        return match.status == .upcoming ? "\(card.spoken) Play has not begun." : card.spoken
    }

    /// Follows a match, and puts it on the Lock Screen when it is in play.
    ///
    /// - Returns: the sentence that says so.
    @discardableResult
    public func follow(_ id: MatchID) async throws(APIError) -> String {
        await liveActivities.start()
        guard let match = try await match(id) else { return "There is no such match." }
        try await liveActivities.follow(match)
        let isHidden = await liveActivities.followButton(for: id).state == .filledWithWarning
        let sentence = "You follow \(match.home.name) against \(match.away.name)."
        return isHidden ? "\(sentence) The Lock Screen does not show it." : sentence
    }

    /// Unfollows a match and takes its card away, with or without a network.
    ///
    /// - Returns: the sentence that says so.
    @discardableResult
    public func unfollow(_ id: MatchID) async -> String {
        await liveActivities.start()
        await liveActivities.unfollow(id)
        return "You no longer follow this match."
    }

    /// Returns the sentence for an error.
    public static func sentence(for error: any Error) -> String {
        switch error as? APIError {
        case .signedOut: "Open the app and sign in first."
        case .transport: "The scores cannot be reached."
        case .refused, .unreadable, .superseded, nil: "That did not work."
        }
    }
}
