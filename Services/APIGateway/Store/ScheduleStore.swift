import Cricket
package import Postgres
package import SightscreenModels
import Store

/// Reads the schedule and the state of matches (`fixtures`, `active_matches`).
package struct ScheduleStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// A filter of the schedule. Times are seconds since 1970; `from` is included, `until` is not.
    package struct Filter: Hashable, Sendable {
        /// The seconds of the day on which a match is in play, or starts.
        package var day: Range<Int>?
        /// When a match starts.
        package var from: Int?
        package var until: Int?
        package var leagueID: Int64?
        package var statuses: Set<MatchStatus>
        /// The last match of the previous page; the list continues after it.
        package var after: Position?
        package var limit: Int

        package init(
            day: Range<Int>? = nil, from: Int? = nil, until: Int? = nil, leagueID: Int64? = nil,
            statuses: Set<MatchStatus> = [],
            after: Position? = nil, limit: Int = 50
        ) {
            self.day = day
            self.from = from
            self.until = until
            self.leagueID = leagueID
            self.statuses = statuses
            self.after = after
            self.limit = limit
        }
    }

    /// A match's place in the list, which is ordered by start, then by id. A match without a start comes last.
    package struct Position: Hashable, Sendable {
        package var startsAt: Int
        package var match: MatchID

        package init(startsAt: Int, match: MatchID) {
            self.startsAt = startsAt
            self.match = match
        }

        package init(of item: MatchItem) { self.init(startsAt: item.startsAt ?? Self.withoutStart, match: item.id) }

        /// The place of a match without a start: later than any start.
        package static let withoutStart = Int(Int32.max) * 4
    }

    /// Returns the matches that the filter accepts, in order.
    /// - Returns: one match more than `limit` if there is another page.
    package func matches(_ filter: Filter) async throws -> [MatchItem] {
        let statuses = filter.statuses.map { Optional($0.rawValue) }
        return try await pool.query(
            """
            SELECT * FROM (\(Self.listing)) m
            WHERE ($1::bigint IS NULL OR starts_at_seconds >= $1) AND ($2::bigint IS NULL OR starts_at_seconds < $2)
                AND ($3::bigint IS NULL OR league_id = $3) AND (cardinality($4::text[]) = 0 OR state = ANY ($4::text[]))
                AND ($8::bigint IS NULL OR starts_at_seconds < $9::bigint AND \(Self.lastInPlay) >= $8)
                AND ($5::bigint IS NULL OR (coalesce(starts_at_seconds, \(Position.withoutStart)), match_id) > ($5, $6::bigint))
            ORDER BY coalesce(starts_at_seconds, \(Position.withoutStart)), match_id
            LIMIT $7
            """,
            [
                PostgresValue(filter.from), PostgresValue(filter.until), PostgresValue(filter.leagueID),
                .textArray(statuses), PostgresValue(filter.after?.startsAt),
                PostgresValue(filter.after?.match.rawValue),
                .int(filter.limit + 1), PostgresValue(filter.day?.lowerBound), PostgresValue(filter.day?.upperBound),
            ]
        ).map(Self.item)
    }

    /// Returns the end of the days that the orchestrator keeps, in seconds since 1970.
    package func listedUntil() async throws -> Int {
        let rows = try await pool.query("SELECT floor(extract(epoch FROM clock_timestamp()))::bigint AS now")
        let today = UTCDay(at: try rows.first?.int("now") ?? 0)
        return (today + ScheduleWindow.days.upperBound).startsAt
    }

    /// All matches in play, in order of start.
    package func liveMatches() async throws -> [MatchItem] {
        try await pool.query(
            "SELECT * FROM (\(Self.listing)) m WHERE state = 'live' ORDER BY starts_at_seconds, match_id LIMIT 500"
        ).map(Self.item)
    }

    /// Returns which of the matches are in a scheduled break: stumps, lunch, tea, dinner.
    package func resting(_ matches: [MatchID]) async throws -> Set<MatchID> {
        guard !matches.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT a.match_id FROM active_matches a \(LiveMatch.newestVersion)
            WHERE a.match_id = ANY ($1::bigint[]) AND a.display_state = 'live' AND \(LiveMatch.isBreak)
            """, [.intArray(matches.map(\.rawValue))])
        return Set(try rows.map { MatchID(try $0.int64("match_id")) })
    }

    /// Returns one match; nil if the provider has no such match.
    package func match(_ id: MatchID) async throws -> MatchItem? {
        try await pool.query(
            "SELECT * FROM (\(Self.listing)) m WHERE match_id = $1", [.int(id.rawValue)]
        ).first.map(Self.item)
    }

    /// Returns the channel for the caller's activity of a match; nil if there is none.
    package func channel(of user: UserID, for match: MatchID) async throws -> BroadcastChannel? {
        try CallersChannel.read(
            try await pool.query(CallersChannel.statement, CallersChannel.parameters(user, match, nil)))
    }

    /// Throws unless the database answers within two seconds.
    package func check() async throws { _ = try await pool.query("SELECT 1", deadline: .seconds(2)) }

    /// When a row of `listing` was last in play, or its start: a Test is in play on five days, and a match by night on
    /// two. No match lasts longer than six days, whatever the provider says of one that it forgot.
    private static let lastInPlay = """
        greatest(starts_at_seconds, least(starts_at_seconds + 6 * 86400, CASE state
            WHEN 'live' THEN extract(epoch FROM clock_timestamp())::bigint
            WHEN 'completed' THEN coalesce(over_at_seconds, starts_at_seconds) ELSE starts_at_seconds END))
        """

    /// The display state decides if there is one, otherwise the provider's status; with an unknown status a match is
    /// not in play.
    private static let listing = """
        SELECT f.match_id, f.league_id, f.competition, f.round, f.format, f.venue, f.note, f.winner_id,
            f.home_id, f.home_name, f.home_code, f.home_logo, f.away_id, f.away_name, f.away_code, f.away_logo,
            extract(epoch FROM f.starts_at)::bigint AS starts_at_seconds, a.content_state,
            extract(epoch FROM coalesce(a.settled_at, f.over_at, a.ended_at))::bigint AS over_at_seconds,
            \(LiveMatch.relevance) AS relevance,
            CASE
                WHEN a.ended_at IS NOT NULL OR a.settled_at IS NOT NULL
                    OR a.display_state IN ('completed', 'abandoned') THEN 'completed'
                WHEN a.version > 0 AND a.display_state IN ('live', 'inningsBreak', 'suspended') THEN 'live'
                WHEN \(FixtureSQL.isOver("f.status")) THEN 'completed'
                WHEN \(FixtureSQL.isInPlay("f.status")) OR \(FixtureSQL.isAtStumps("f.status")) THEN 'live'
                ELSE 'upcoming'
            END AS state
        FROM fixtures f LEFT JOIN active_matches a USING (match_id)
        """

    private static func item(_ row: PostgresRow) throws -> MatchItem {
        MatchItem(
            id: MatchID(try row.int64("match_id")), leagueId: String(try row.int64("league_id")),
            competition: try row.string("competition"), round: try row.string("round"),
            format: try row.string("format"),
            status: MatchStatus(rawValue: try row.string("state")) ?? .upcoming,
            startsAt: try row.optionalInt("starts_at_seconds"), home: try side(row, "home"),
            away: try side(row, "away"),
            venue: try row.string("venue"), note: try row.optionalString("note"),
            winnerId: try row.optionalInt64("winner_id").map { String($0) },
            displayState: StoredContentState.decode(try row.optionalString("content_state")),
            relevance: try row.optionalDouble("relevance"))
    }

    static func side(_ row: PostgresRow, _ name: String) throws -> MatchItem.Side {
        .init(
            id: String(try row.int64("\(name)_id")), name: try row.string("\(name)_name"),
            abbr: try row.string("\(name)_code"), logo: try row.optionalString("\(name)_logo"))
    }
}
