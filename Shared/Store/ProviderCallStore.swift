package import Postgres

/// The table `provider_calls`, which keeps all processes together within the provider's limit, also across restarts.
public struct ProviderCallStore: Sendable {
    /// The length of an hour in seconds. The provider's hour begins when the first call reaches it, up to a call's
    /// time-out after it was counted here.
    static let hourSeconds = 3_605.0
    /// The first wait in seconds after a 429 that does not say how long; it doubles with each further 429.
    static let firstRefusalSeconds = 60.0

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Counts one call, if one is left and the provider has not refused calls for now. It is one statement, so that of
    /// any number of processes exactly `limit` get a call.
    ///
    /// - Parameters:
    ///   - limit: the calls in an hour; 0 for no limit. A 429 is obeyed all the same.
    ///   - share: the part of `limit` that this caller may use, above 0 and at most 1; the rest is kept for others.
    /// - Throws: `PostgresError`.
    public func take(_ endpoint: ProviderEndpoint, limit: Int, share: Double = 1) async throws -> CallGrant {
        let usable = limit == 0 ? 0 : max(Int(Double(limit) * share), 1)
        let rows = try await pool.query(
            """
            WITH clock AS MATERIALIZED (
                SELECT clock_timestamp() AS at, $3::double precision * interval '1 second' AS hour
            ), taken AS (
                INSERT INTO provider_calls AS calls (endpoint, hour_began, used)
                SELECT $1, at, 1 FROM clock
                ON CONFLICT (endpoint) DO UPDATE SET
                    hour_began = CASE WHEN calls.hour_began + $3::double precision * interval '1 second'
                        <= excluded.hour_began THEN excluded.hour_began ELSE calls.hour_began END,
                    used = CASE WHEN calls.hour_began + $3::double precision * interval '1 second'
                        <= excluded.hour_began THEN 1 ELSE calls.used + 1 END
                WHERE coalesce(calls.refused_until, '-infinity') <= excluded.hour_began
                    AND ($2::int = 0 OR calls.used < $2::int
                        OR calls.hour_began + $3::double precision * interval '1 second' <= excluded.hour_began)
                RETURNING hour_began, used, refused_until, refusals
            ), seen AS (
                SELECT true AS granted, * FROM taken
                UNION ALL
                SELECT false, hour_began, used, refused_until, refusals FROM provider_calls
                WHERE endpoint = $1 AND NOT EXISTS (SELECT FROM taken)
            )
            SELECT granted, used, refusals,
                coalesce(refused_until > at, false) AS is_refused,
                CASE WHEN refused_until > at THEN extract(epoch FROM refused_until - at) ELSE 0 END::double precision
                    AS refused_seconds,
                greatest(extract(epoch FROM hour_began + hour - at), 0)::double precision AS hour_seconds,
                (extract(epoch FROM at) * 1000)::bigint AS now
            FROM seen, clock
            """, [.text(endpoint.rawValue), .int(Int64(usable)), .double(Self.hourSeconds)])
        guard let row = rows.first else {
            // Another process made the row at this very moment and all its calls are used.
            return CallGrant(
                isGranted: false, wait: .seconds(1), left: 0, hourLeft: .seconds(Self.hourSeconds),
                isFromProvider: false, refusals: 0, now: 0)
        }
        let isGranted = try row.bool("granted")
        let isRefused = try row.bool("is_refused") && !isGranted
        let hourLeft = Duration.seconds(try row.double("hour_seconds"))
        let wait = isRefused ? Duration.seconds(try row.double("refused_seconds")) : hourLeft
        return CallGrant(
            isGranted: isGranted, wait: isGranted ? .zero : max(wait, .seconds(1)),
            left: limit == 0 ? nil : max(usable - (try row.int("used")), 0), hourLeft: hourLeft,
            isFromProvider: isRefused, refusals: try row.int("refusals"), now: try row.int64("now"))
    }

    /// Notes a 429: no process calls before the time that the provider asked for. Without `retryAfter` that is the rest
    /// of the hour if our own count is near the limit. Otherwise our count is wrong (another program uses the token, or
    /// the provider's hour is another), and a call is tried after a minute, then two, four …
    ///
    /// - Returns: the time for which no process calls.
    @discardableResult
    public func refused(_ endpoint: ProviderEndpoint, limit: Int, retryAfter: Duration?) async throws -> Duration {
        let asked = retryAfter.map { min(max($0 / .seconds(1), 1), Self.hourSeconds) }
        let rows = try await pool.query(
            """
            WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS at)
            UPDATE provider_calls AS calls SET
                refused_until = greatest(
                    refused_until,
                    CASE
                        WHEN $2::double precision IS NOT NULL THEN at + $2::double precision * interval '1 second'
                        -- Several callers may have been refused at once.
                        WHEN refused_until > at THEN refused_until
                        WHEN $3::int > 0 AND used >= $3::int * 0.9 THEN
                            greatest(hour_began + $4::double precision * interval '1 second', at + interval '1 second')
                        ELSE at + least($5::double precision * 2 ^ least(refusals, 10), $4::double precision)
                            * interval '1 second'
                    END),
                refusals = CASE WHEN refused_until > at THEN refusals ELSE refusals + 1 END
            FROM clock WHERE endpoint = $1
            RETURNING extract(epoch FROM refused_until - at)::double precision AS seconds
            """,
            [
                .text(endpoint.rawValue), asked.map { .double($0) } ?? .null, .int(Int64(limit)),
                .double(Self.hourSeconds), .double(Self.firstRefusalSeconds),
            ])
        return .seconds(try rows.first?.double("seconds") ?? Self.firstRefusalSeconds)
    }

    /// Notes a good answer, after which the next 429 counts as the first. It is needed only when a grant has
    /// `refusals`.
    public func answered(_ endpoint: ProviderEndpoint) async throws {
        try await pool.execute(
            "UPDATE provider_calls SET refusals = 0 WHERE endpoint = $1 AND refusals > 0", [.text(endpoint.rawValue)])
    }
}
