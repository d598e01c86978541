import SightscreenModels
import Store

/// The calls for the schedule, the live list and one match. All have entity tags, and answer every user alike but for
/// the channel of a match that the user follows.
struct MatchRoutes: Sendable {
    let schedule: ScheduleStore
    let cache: ReplyCache

    var routes: [Route] {
        [
            Route(
                "GET", "/matches", .users,
                Operation(
                    id: "listMatches", summary: "The schedule, by start, in pages.", tag: .matches,
                    query: MatchQuery.parameters, answer: .ok("Matches", "One page."), isTagged: true), list),
            Route(
                "GET", "/matches/live", .users,
                Operation(
                    id: "listLiveMatches", summary: "All matches in play.", tag: .matches,
                    answer: .ok("LiveMatches", "By start; retryAfterMs says when to ask again."), isTagged: true)
            ) { request in
                try await cache.reply(to: "live") {
                    let matches = try await schedule.liveMatches()
                    let retryAfterMs = try await retryAfterMs(matches)
                    return try Reply.json(
                        LiveMatchesResponse(matches: matches, retryAfterMs: retryAfterMs)
                    ).knowingItsTag()
                }.tagged(for: request)
            },
            Route(
                "GET", "/matches/:id", .users,
                Operation(
                    id: "getMatch", summary: "One match with its display state.", tag: .matches,
                    answer: .ok("Match", "The match."), isTagged: true, refusals: [.unknownMatch])
            ) { request in
                let id = try request.matchID
                let channel = try await schedule.channel(of: request.user, for: id)
                return try await cache.reply(to: "match \(id) \(channel?.id.rawValue ?? "")") {
                    guard var match = try await schedule.match(id) else { throw Problem(.unknownMatch) }
                    match.channel = channel
                    return try Reply.json(match).knowingItsTag()
                }.tagged(for: request)
            },
        ]
    }

    @Sendable private func list(_ request: GatewayRequest) async throws -> Reply {
        let filter = MatchQuery.filter { request.query[$0] }
        let question = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return try await cache.reply(to: "list \(question)") {
            var matches = try await schedule.matches(filter)
            var cursor: String?
            if matches.count > filter.limit {
                matches.removeLast(matches.count - filter.limit)
                cursor = matches.last.map { MatchQuery.cursor(ScheduleStore.Position(of: $0)) }
            }
            let retryAfterMs = try await retryAfterMs(matches)
            return try Reply.json(
                MatchesResponse(
                    matches: matches, nextCursor: cursor, retryAfterMs: retryAfterMs,
                    listedUntil: try await schedule.listedUntil())
            ).knowingItsTag()
        }.tagged(for: request)
    }

    private func retryAfterMs(_ matches: [MatchItem]) async throws -> Int {
        let live = matches.filter { $0.status == .live }
        return PollHint.afterMs(live, resting: try await schedule.resting(live.map(\.id)))
    }
}

/// The time after which a client should ask again: as often as the score can change, and sooner in key moments.
enum PollHint {
    static let idleMs = 30_000
    /// At lunch, tea and at night nothing changes until play goes on.
    static let longBreakMs = 60_000
    static let suspendedMs = 15_000
    static let liveMs = 5_000
    static let keyMomentMs = 2_000

    /// - Parameter live: the matches in play, including those in `resting`.
    static func afterMs(_ live: [MatchItem], resting: Set<MatchID>) -> Int {
        live.map { resting.contains($0.id) ? longBreakMs : afterMs($0.displayState) }.min() ?? idleMs
    }

    private static func afterMs(_ state: ContentState?) -> Int {
        guard let state else { return liveMs }
        if state.matchDisplayState == .suspended || state.matchDisplayState == .inningsBreak { return suspendedMs }
        // A key moment, such as a close finish or a possible hat-trick, has the sentiment `tense`.
        return state.matchSentiment == .tense ? keyMomentMs : liveMs
    }
}
