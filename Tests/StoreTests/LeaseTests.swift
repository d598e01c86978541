import Logging
import Postgres
import Store
import Synchronization
import TestKit
import Testing

@Suite struct LeaseTests {
    private let one = LeaseName("one")
    private let two = LeaseName("two")

    @Test func givesALeaseToTheFirstAndKeepsItForThem() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let first = try await store.acquire([one], holder: "a/1", duration: .seconds(30))
            #expect(first.map(\.epoch) == [1])
            #expect(first.first?.isTrusted == true)
            #expect(try await store.acquire([one, two], holder: "b/1", duration: .seconds(30)).map(\.name) == [two])
            #expect(try await store.acquire([one], holder: "a/1", duration: .seconds(30)).map(\.epoch) == [1])
        }
    }

    @Test func countsTheEpochUpWhenTheHolderChanges() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            _ = try await store.acquire([one], holder: "a/1", duration: .seconds(30))
            try await pool.execute("UPDATE leases SET expires_at = clock_timestamp()")
            #expect(try await store.acquire([one], holder: "b/1", duration: .seconds(30)).map(\.epoch) == [2])
            #expect(try await store.acquire([one], holder: "a/1", duration: .seconds(30)).isEmpty)
        }
    }

    @Test func expiresByTheDatabasesClock() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            _ = try await store.acquire([one], holder: "a/1", duration: .milliseconds(200))
            try await eventually("the lease has expired") {
                try await store.acquire([one], holder: "b/1", duration: .seconds(30)).map(\.epoch) == [2]
            }
        }
    }

    @Test func freesAReleasedLeaseAtOnceAndOnlyForItsHolder() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            _ = try await store.acquire([one, two], holder: "a/1", duration: .seconds(30))
            try await store.release([one], holder: "b/1")
            #expect(try await store.acquire([one], holder: "b/1", duration: .seconds(30)).isEmpty)
            try await store.release([one], holder: "a/1")
            #expect(try await store.acquire([one, two], holder: "b/1", duration: .seconds(30)).map(\.name) == [one])
        }
    }

    /// Its work was ended under the old epoch, and is not taken up again under it.
    @Test func aLeaseThatIsAcquiredAgainHasANewEpoch() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            #expect(try await store.acquire([one], holder: "a/1", duration: .seconds(30)).map(\.epoch) == [1])
            try await store.release([one], holder: "a/1")
            #expect(try await store.acquire([one], holder: "a/1", duration: .seconds(30)).map(\.epoch) == [2])
        }
    }

    @Test func aNewRunOfTheSameInstanceTakesOverAtOnceWithANewEpoch() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let before = LeaseStore.holder(instance: "host-1")
            let after = LeaseStore.holder(instance: "host-1")
            _ = try await store.acquire([one], holder: before, duration: .seconds(30))
            #expect(try await store.acquire([one], holder: after, duration: .seconds(30)).map(\.epoch) == [2])
        }
    }

    @Test func isNotTrustedToItsVeryEnd() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let asked = ContinuousClock.now
            let lease = try await LeaseStore(pool: pool).acquire([one], holder: "a/1", duration: .seconds(8)).first
            let trustUntil = try #require(lease?.trustUntil)
            #expect(trustUntil - asked >= .seconds(6))
            #expect(trustUntil - ContinuousClock.now <= .seconds(6))
        }
    }

    @Test func aKeeperTakesOverWhenTheOtherStops() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let first = LeaseKeeper(store: store, instance: "a", duration: .seconds(2), logger: logger)
            let second = LeaseKeeper(store: store, instance: "b", duration: .seconds(2), logger: logger)
            await first.want([one])
            let running = Task { await first.run() }
            #expect(await first.waitForLease(one)?.epoch == 1)
            let name = one
            let standby = Task { await second.run() }
            let waiting = Task { await second.waitForLease(name) }
            running.cancel()
            await running.value
            #expect(await first.lease(for: one) == nil)
            #expect(await waiting.value?.epoch == 3)
            standby.cancel()
            await standby.value
            #expect(try await store.acquire([one], holder: "c/1", duration: .seconds(30)).map(\.epoch) == [5])
        }
    }

    @Test func aKeeperReleasesWhatItForgets() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let keeper = LeaseKeeper(store: store, instance: "a", logger: logger)
            #expect(try await keeper.acquireNow(one)?.epoch == 1)
            await keeper.forget([one])
            #expect(await keeper.lease(for: one) == nil)
            #expect(try await store.acquire([one], holder: "b/1", duration: .seconds(30)).map(\.epoch) == [3])
        }
    }

    @Test func aKeeperEndsThoughTheDatabaseDoesNotAnswer() async throws {
        let url = try await PrivatePostgres.shared.makeDatabase()
        // Statements of one pool may wait for each other: each part has its own.
        let pools = try (0..<3).map { try PostgresPool(url: url, size: 1, applicationName: "tests \($0)") }
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let keeper = LeaseKeeper(
            store: LeaseStore(pool: pools[0]), instance: "a", duration: .seconds(30), logger: logger)
        await keeper.want([one])
        let running = Task { await keeper.run() }
        #expect(await keeper.waitForLease(one) != nil)
        _ = try await pools[1].query("SET statement_timeout = '110s'")
        let lock = Task {
            // Until it is ended below.
            _ = try? await pools[1].execute(
                "DO $$ BEGIN LOCK TABLE leases IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(100); END $$",
                deadline: .seconds(120))
        }
        let locks = """
            SELECT pid FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'leases'::regclass
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        try await eventually("the table is locked") { try await pools[2].query(locks).count == 1 }
        running.cancel()
        await running.value
        // It did not wait for its release: the table is still locked.
        #expect(try await pools[2].query(locks).count == 1)
        _ = try await pools[2].query("SELECT pg_cancel_backend(pid) FROM (\(locks)) AS l")
        await lock.value
        for pool in pools { await pool.close() }
    }

    private static let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

    /// The leases last so long that whoever waited for his next round would fail the test.
    @Test func aKeeperThatStopsHandsOverAtOnce() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let first = LeaseKeeper(store: store, instance: "a", duration: .seconds(600), logger: Self.silent)
            let second = LeaseKeeper(store: store, instance: "b", duration: .seconds(600), logger: Self.silent)
            await first.want([one])
            let running = Task { await first.run() }
            #expect(await first.waitForLease(one) != nil)
            let name = one
            let standby = Task { await second.run() }
            let waiting = Task { await second.waitForLease(name) }
            try await eventually("somebody listens") {
                try await pool.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN %'").count == 2
            }
            running.cancel()
            await running.value
            #expect(await waiting.value?.epoch == 3)
            standby.cancel()
            await standby.value
        }
    }

    /// A third of its duration is later than this test waits.
    @Test func aKeeperTakesOverWhenALeaseExpiresAndNotOnlyInItsNextRound() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            _ = try await store.acquire([one], holder: "dead/1", duration: .seconds(1))
            let keeper = LeaseKeeper(store: store, instance: "b", duration: .seconds(600), logger: Self.silent)
            await keeper.want([one])
            let running = Task { await keeper.run() }
            try await eventually("the lease is acquired") { await keeper.lease(for: one)?.epoch == 2 }
            running.cancel()
            await running.value
        }
    }

    @Test func keepersShareLeasesAndHandThemOver() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let names = (0..<16).map { LeaseName.shard($0) }
            var running: [(LeaseKeeper, Task<Void, Never>)] = []
            func counts() async -> [Int] {
                var counts: [Int] = []
                for (keeper, _) in running { counts.append(await keeper.leases.count) }
                return counts
            }
            for instance in ["a", "b", "c"] {
                let keeper = LeaseKeeper(
                    store: store, instance: instance, duration: .milliseconds(900), logger: Self.silent)
                await keeper.share(names, of: "shard") { $0.dropLast($0.count > 1 ? 1 : 0) }
                running.append((keeper, Task { await keeper.run() }))
                let even = Set([16 / running.count, (16 + running.count - 1) / running.count])
                try await eventually("all have as many") {
                    let counts = await counts()
                    return counts.reduce(0, +) == 16 && even.isSuperset(of: counts)
                }
            }
            running[0].1.cancel()
            await running[0].1.value
            try await eventually("the others have what it had") { await counts() == [0, 8, 8] }
            let rows = try await pool.query(
                "SELECT holder FROM leases WHERE name LIKE 'shard:%' AND expires_at > now()")
            #expect(rows.count == 16)
            for (_, task) in running.dropFirst() {
                task.cancel()
                await task.value
            }
            #expect(try await pool.query("SELECT 1 FROM leases WHERE expires_at > now()").isEmpty)
        }
    }

    /// The leases outlast the test: only a release frees them. Work that was ended is not taken up again, as a
    /// coordinator does it.
    @Test func whatCouldNotBeReleasedIsNotRenewedAndIsReleasedAgain() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            try await pool.execute("CREATE SEQUENCE releases")
            try await pool.execute(
                """
                CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF nextval('releases') = 1 THEN RAISE EXCEPTION 'not this time'; END IF;
                    RETURN NULL;
                END $$
                """)
            try await pool.execute(
                """
                CREATE TRIGGER fail_once AFTER UPDATE ON leases FOR EACH ROW
                WHEN (NEW.name LIKE 'shard:%' AND NEW.epoch > OLD.epoch AND NEW.holder = OLD.holder)
                EXECUTE FUNCTION fail_once()
                """)
            let store = LeaseStore(pool: pool)
            let names = (0..<4).map { LeaseName.shard($0) }
            let ended = Mutex<Set<LeaseName>>([])
            let first = LeaseKeeper(store: store, instance: "a", duration: .seconds(600), logger: Self.silent)
            await first.share(names, of: "shard") { names in
                ended.withLock { ended in names.filter { ended.insert($0).inserted } }
            }
            let second = LeaseKeeper(store: store, instance: "b", duration: .seconds(600), logger: Self.silent)
            await second.share(names, of: "shard")
            let running = Task { await first.run() }
            try await eventually("the first has all") { await first.leases.count == 4 }
            let other = Task { await second.run() }
            try await eventually("both listen, and are known") {
                let listening = try await pool.query(
                    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'")
                let known = try await pool.query("SELECT 1 FROM leases WHERE name LIKE 'shard-keeper:%'")
                return listening.count == 2 && known.count == 2
            }
            // The next round of the first would come in minutes.
            try await pool.execute("SELECT pg_notify('sightscreen_leases', '')")
            try await eventually("the second has what the first let go") {
                let theirs = Set(await second.leases.map(\.name))
                return theirs.count == 2 && theirs == ended.withLock { $0 }
            }
            #expect(await first.leases.count == 2)
            #expect(try await pool.query("SELECT last_value FROM releases")[0].int("last_value") > 1)
            for task in [running, other] {
                task.cancel()
                await task.value
            }
        }
    }

    @Test func aKeeperThatEndedAcquiresNothing() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let keeper = LeaseKeeper(store: store, instance: "a", duration: .seconds(600), logger: Self.silent)
            let running = Task { await keeper.run() }
            #expect(try await keeper.acquireNow(one) != nil)
            running.cancel()
            await running.value
            // A frame that was under way.
            #expect(try await keeper.acquireNow(one) == nil)
            #expect(try await keeper.acquireNow(two) == nil)
            let free = try await store.acquire([one, two], holder: "b/1", duration: .seconds(30))
            #expect(Set(free.map(\.name)) == [one, two])
        }
    }

    @Test func theHolderLearnsThatAnotherAsksForItsLease() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = LeaseStore(pool: pool)
            let first = LeaseKeeper(store: store, instance: "a", logger: Self.silent)
            let second = LeaseKeeper(store: store, instance: "b", logger: Self.silent)
            #expect(try await first.acquireNow(one)?.askedAt == nil)
            let before = ContinuousClock.now
            #expect(try await second.acquireNow(one) == nil)
            let held = try await store.acquire([one], holder: "a/other run", duration: .seconds(8)).first
            #expect(held?.askedAt == nil, "asked of another holder")
            #expect(try await second.acquireNow(one) == nil)
            let asked = try await store.acquire([one], holder: "a/other run", duration: .seconds(8)).first?.askedAt
            #expect(try #require(asked) > before - .seconds(1))
        }
    }
}
