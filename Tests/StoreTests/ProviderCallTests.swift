import Postgres
import Store
import TestKit
import Testing

@Suite struct ProviderCallTests {
    /// As if so much time had passed.
    private func pass(_ seconds: Int, _ pool: PostgresPool) async throws {
        try await pool.execute(
            """
            UPDATE provider_calls SET hour_began = hour_began - $1::int * interval '1 second',
                refused_until = refused_until - $1::int * interval '1 second'
            """, [.int(Int64(seconds))])
    }

    @Test func givesExactlyTheLimitToAnyNumberOfCallersAtOnce() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let granted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<90 {
                    group.addTask { try await ProviderCallStore(pool: pool).take(.livescores, limit: 40).isGranted }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(granted == 40)
        }
    }

    @Test func tellsWhatIsLeftAndWhenTheHourIsOver() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            var grant = try await store.take(.livescores, limit: 3)
            #expect(grant.isGranted && grant.left == 2 && grant.wait == .zero && grant.now > 1_700_000_000_000)
            try await pass(600, pool)
            grant = try await store.take(.livescores, limit: 3)
            #expect(grant.left == 1)
            #expect(grant.hourLeft > .seconds(2_900) && grant.hourLeft <= .seconds(3_005))
            _ = try await store.take(.livescores, limit: 3)
            grant = try await store.take(.livescores, limit: 3)
            #expect(!grant.isGranted && grant.left == 0 && !grant.isFromProvider)
            #expect(grant.wait > .seconds(2_900) && grant.wait <= .seconds(3_005))
            try await pass(3_006, pool)
            grant = try await store.take(.livescores, limit: 3)
            #expect(grant.isGranted && grant.left == 2, "a new hour begins with its first call")
        }
    }

    @Test func countsEachEndpointByItself() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            #expect(try await store.take(.livescores, limit: 1).isGranted)
            #expect(try await !store.take(.livescores, limit: 1).isGranted)
            #expect(try await store.take(.fixtures, limit: 1).isGranted)
        }
    }

    @Test func aShareLeavesTheRestToOthers() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            var granted = 0
            while try await store.take(.fixtures, limit: 8, share: 0.75).isGranted { granted += 1 }
            #expect(granted == 6)
            while try await store.take(.fixtures, limit: 8).isGranted { granted += 1 }
            #expect(granted == 8)
        }
    }

    @Test func withoutALimitOnlyTheProvidersWordCounts() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            for _ in 0..<20 {
                let grant = try await store.take(.livescores, limit: 0)
                #expect(grant.isGranted && grant.left == nil)
            }
            #expect(try await store.refused(.livescores, limit: 0, retryAfter: nil) <= .seconds(60))
            #expect(try await store.take(.livescores, limit: 0).isFromProvider)
        }
    }

    @Test func obeysRetryAfterWhereverItIsAsked() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            _ = try await store.take(.livescores, limit: 2_000)
            try await store.refused(.livescores, limit: 2_000, retryAfter: .seconds(120))
            let other = try await ProviderCallStore(pool: pool).take(.livescores, limit: 2_000)
            #expect(!other.isGranted && other.isFromProvider && other.refusals == 1)
            #expect(other.wait > .seconds(110) && other.wait <= .seconds(120))
            #expect(try await store.take(.fixtures, limit: 2_000).isGranted, "that endpoint only")
            try await pass(120, pool)
            #expect(try await store.take(.livescores, limit: 2_000).isGranted)
        }
    }

    @Test func noRetryAfterIsObeyedForMoreThanAnHour() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            _ = try await store.take(.livescores, limit: 0)
            #expect(try await store.refused(.livescores, limit: 0, retryAfter: .seconds(999_999)) <= .seconds(3_605))
        }
    }

    @Test func waitsOutTheHourWhenOurOwnCountSaysThatItIsSpent() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            for _ in 0..<9 { _ = try await store.take(.livescores, limit: 10) }
            try await pass(1_000, pool)
            let wait = try await store.refused(.livescores, limit: 10, retryAfter: nil)
            #expect(wait > .seconds(2_500) && wait <= .seconds(2_605))
        }
    }

    @Test func triesAgainAfterAMinuteThenTwoWhenItCannotKnow() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ProviderCallStore(pool: pool)
            var waits: [Int] = []
            for _ in 0..<4 {
                #expect(try await store.take(.livescores, limit: 2_000).isGranted)
                let wait = try await store.refused(.livescores, limit: 2_000, retryAfter: nil)
                // Refused at the same moment: one refusal, not two.
                _ = try await store.refused(.livescores, limit: 2_000, retryAfter: nil)
                waits.append(Int((wait / .seconds(1)).rounded()))
                try await pass(waits.last ?? 0, pool)
            }
            #expect(waits == [60, 120, 240, 480])
            try await store.answered(.livescores)
            _ = try await store.take(.livescores, limit: 2_000)
            let wait = try await store.refused(.livescores, limit: 2_000, retryAfter: nil)
            #expect((wait / .seconds(1)).rounded() == 60, "after an answer the next is a first one")
        }
    }
}
