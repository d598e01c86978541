package import Postgres

/// The table `leases`. All its times are by the database's clock.
public struct LeaseStore: Sendable {
    /// The `NOTIFY` channel for processes that wait for a lease: one was released.
    private static let channel = "sightscreen_leases"
    /// The time in seconds for which the rows of dead keepers are kept.
    private static let keepersKept = 3_600

    private let pool: PostgresPool

    package init(pool: PostgresPool) { self.pool = pool }

    /// Makes a holder's name that no other run of a process has.
    ///
    /// A new run under the same instance name acquires the leases of the run before it at once, with a new epoch:
    /// instance names are unique among living processes, so the former run is dead.
    public static func holder(instance: String) -> String {
        "\(instance)/\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    /// Acquires free or expired leases and renews those that this holder has, in one statement. The epoch changes only
    /// with the holder.
    ///
    /// - Returns: those of `names` that this holder has now.
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

    /// Releases those leases that this holder has, and notifies waiting processes. The rows stay and their epochs grow,
    /// also for this holder should it acquire one again at once, because its work ended under the old epoch.
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
    /// Notifications that a lease was released. One may be lost, so waiters check again by themselves later.
    func releases() -> AsyncStream<PostgresNotification> { pool.listen([Self.channel]) }

    /// Tells the holder of a lease that another process asks for it.
    func request(_ name: LeaseName) async throws {
        try await pool.execute(
            "UPDATE leases SET asked_at = clock_timestamp() WHERE name = $1 AND expires_at > clock_timestamp()",
            [.text(name.rawValue)])
    }

    /// Returns the leases of these names that are not free.
    func read(_ names: some Collection<LeaseName>) async throws -> [LeaseShares.Row] {
        try await pool.query(
            "SELECT \(Self.rowColumns) FROM leases WHERE name = ANY($1::text[]) AND expires_at > clock_timestamp()",
            [.textArray(names.map(\.rawValue))]
        ).map(Self.row)
    }

    /// Registers a living keeper of a kind of shared leases, and removes the rows of keepers that died an hour ago.
    /// - Returns: the rows of all living keepers of the kind.
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

    /// The time for which a lease is trusted: 2 s less than it lasts, for the round trip and for clocks that run at
    /// different speeds; a quarter less if the lease is short.
    private static func trusted(_ duration: Duration) -> Duration { duration - min(.seconds(2), duration / 4) }
}
