public import Postgres

/// The table `leases`. All times in it are the database's.
public struct LeaseStore: Sendable {
    private let pool: PostgresPool

    public init(pool: PostgresPool) { self.pool = pool }

    /// A holder's name that no other run of a process has.
    ///
    /// A new run under the same instance name takes the leases of the run before it at once (with a new epoch): instance
    /// names are unique among living processes, so the former one is dead.
    public static func holder(instance: String) -> String {
        "\(instance)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Takes those that are free or expired and renews those we have, all in one statement. The epoch changes only with
    /// the holder.
    ///
    /// - Returns: those of `names` that are ours now.
    public func acquire(_ names: [LeaseName], holder: String, duration: Duration) async throws -> [Lease] {
        guard !names.isEmpty else { return [] }
        let trustUntil = ContinuousClock.now + Self.trusted(duration)
        let rows = try await pool.query(
            """
            INSERT INTO leases AS held (name, holder, epoch, expires_at)
            SELECT name, $2, 1, clock_timestamp() + $3::double precision * interval '1 second'
            FROM unnest($1::text[]) AS name ORDER BY name
            ON CONFLICT (name) DO UPDATE SET
                holder = excluded.holder,
                epoch = held.epoch + CASE WHEN held.holder = excluded.holder THEN 0 ELSE 1 END,
                expires_at = excluded.expires_at
            WHERE held.expires_at <= clock_timestamp()
                OR split_part(held.holder, '/', 1) = split_part(excluded.holder, '/', 1)
            RETURNING name, epoch
            """,
            [.textArray(Set(names).map(\.rawValue)), .text(holder), .double(duration / .seconds(1))],
            deadline: max(duration, .seconds(2)))
        return try rows.map { row in
            Lease(
                name: LeaseName(try row.string("name")), epoch: try row.int64("epoch"), trustUntil: trustUntil)
        }
    }

    /// Lets go of those that are ours. The rows stay, so that epochs go on growing.
    public func release(_ names: [LeaseName], holder: String) async throws {
        guard !names.isEmpty else { return }
        try await pool.execute(
            "UPDATE leases SET expires_at = '-infinity' WHERE name = ANY($1::text[]) AND holder = $2",
            [.textArray(names.map(\.rawValue)), .text(holder)])
    }

    /// How long a lease is trusted: 2 s less than it lasts, for the way there and clocks that run differently; a quarter
    /// less when it is short.
    private static func trusted(_ duration: Duration) -> Duration { duration - min(.seconds(2), duration / 4) }
}
