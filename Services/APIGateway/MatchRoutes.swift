import Messages
import Sightscreen
import Store

/// The schedule, the live list and one match. All have entity tags.
struct MatchRoutes: Sendable {
    let schedule: ScheduleStore

    var routes: [Route] {
        [
            Route("GET", "/matches", .users, list),
            Route("GET", "/matches/live") { request in
                let matches = try await schedule.liveMatches()
                return try Reply.json(
                    LiveMatchesResponse(matches: matches, retryAfterMs: PollHint.afterMs(matches))
                ).tagged(for: request)
            },
            Route("GET", "/matches/:id") { request in
                guard let match = try await schedule.match(request.matchID) else { throw Problem(.unknownMatch) }
                return try Reply.json(match).tagged(for: request)
            },
        ]
    }

    @Sendable private func list(_ request: GatewayRequest) async throws -> Reply {
        let filter = try MatchQuery.filter(request.query)
        var matches = try await schedule.matches(filter)
        var cursor: String?
        if matches.count > filter.limit {
            matches.removeLast(matches.count - filter.limit)
            cursor = matches.last.map { MatchQuery.cursor(ScheduleStore.Position(of: $0)) }
        }
        return try Reply.json(
            MatchesResponse(matches: matches, nextCursor: cursor, retryAfterMs: PollHint.afterMs(matches))
        ).tagged(for: request)
    }
}

/// How soon a client should ask again: as often as the score can change.
enum PollHint {
    static func afterMs(_ matches: [MatchItem]) -> Int {
        let live = matches.filter { $0.status == .live }
        if live.isEmpty { return 30_000 }
        return live.allSatisfy { $0.displayState?.matchDisplayState == .suspended } ? 15_000 : 5_000
    }
}
