public import Postgres

/// The table `leases`. All times in it are the database's.
public struct LeaseStore: Sendable {
    /// `NOTIFY` channel on which those hear that wait for a lease: one was let go.
    private static let channel = "sightscreen_leases"
    /// Keepers that died are remembered for so long, in seconds.
    private static let keepersKept = 3_600

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
                expires_at = excluded.expires_at,
                asked_at = CASE WHEN held.holder = excluded.holder THEN held.asked_at END
            WHERE held.expires_at <= clock_timestamp()
                OR split_part(held.holder, '/', 1) = split_part(excluded.holder, '/', 1)
            RETURNING name, epoch, extract(epoch FROM clock_timestamp() - asked_at)::double precision AS asked
            """,
            [.textArray(Set(names).map(\.rawValue)), .text(holder), .double(duration / .seconds(1))],
            deadline: max(duration, .seconds(2)))
        let now = ContinuousClock.now
        return try rows.map { row in
            Lease(
                name: LeaseName(try row.string("name")), epoch: try row.int64("epoch"), trustUntil: trustUntil,
                askedAt: try row.optionalDouble("asked").map { now - .seconds($0) })
        }
    }

    /// Lets go of those that are ours, and tells those that wait. The rows stay, so that epochs go on growing: also for us,
    /// should we take one again at once, since its work was ended under the old one.
    public func release(_ names: [LeaseName], holder: String) async throws {
        guard !names.isEmpty else { return }
        try await pool.execute(
            """
            WITH freed AS (
                UPDATE leases SET expires_at = clock_timestamp(), epoch = epoch + 1
                WHERE name = ANY($1::text[]) AND holder = $2 RETURNING 1)
            SELECT pg_notify('\(Self.channel)', '') FROM freed LIMIT 1
            """, [.textArray(names.map(\.rawValue)), .text(holder)])
    }

    /// Hints that a lease was let go. Whoever waits for one looks, and looks again by himself later.
    func releases() -> AsyncStream<PostgresNotification> { pool.listen([Self.channel]) }

    /// Lets the holder know that somebody else has use for it.
    func ask(for name: LeaseName) async throws {
        try await pool.execute(
            "UPDATE leases SET asked_at = clock_timestamp() WHERE name = $1 AND expires_at > clock_timestamp()",
            [.text(name.rawValue)])
    }

    /// The leases of those names that are not free.
    func look(at names: some Collection<LeaseName>) async throws -> [LeaseShares.Row] {
        try await pool.query(
            "SELECT \(Self.rowColumns) FROM leases WHERE name = ANY($1::text[]) AND expires_at > clock_timestamp()",
            [.textArray(names.map(\.rawValue))]
        ).map(Self.row)
    }

    /// Says that a keeper lives that shares leases of a kind with others.
    /// - Returns: the rows of all such keepers.
    func join(_ kind: String, instance: String, holder: String, duration: Duration) async throws -> [LeaseShares.Row] {
        _ = try await acquire([.keeper(of: kind, instance)], holder: holder, duration: duration)
        return try await pool.query(
            """
            WITH gone AS (
                DELETE FROM leases WHERE starts_with(name, $1) AND expires_at < clock_timestamp() - make_interval(secs => $2))
            SELECT \(Self.rowColumns) FROM leases WHERE starts_with(name, $1) AND expires_at > clock_timestamp()
            """, [.text(LeaseName.keepers(of: kind)), .int(Self.keepersKept)]
        ).map(Self.row)
    }

    private static let rowColumns = """
        name, split_part(holder, '/', 1) AS instance,
        extract(epoch FROM expires_at - clock_timestamp())::double precision AS left
        """

    private static func row(_ row: PostgresRow) throws -> LeaseShares.Row {
        .init(
            name: LeaseName(try row.string("name")), instance: try row.string("instance"), left: try row.double("left"))
    }

    /// How long a lease is trusted: 2 s less than it lasts, for the way there and clocks that run differently; a quarter
    /// less when it is short.
    private static func trusted(_ duration: Duration) -> Duration { duration - min(.seconds(2), duration / 4) }
}
