import Postgres
import Store
import TestKit
import Testing
import Tokens

@testable import FanOut
@testable import LACoordinator

/// One provider token for all processes, and hardly ever another.
@Suite struct ProviderTokenTests {
    /// Some processes that share a database.
    private struct Shared {
        let pool: PostgresPool
        let signer: ES256Signer

        static func with(_ body: (Shared) async throws -> Void) async throws {
            let pool = try PostgresPool(
                url: try await PrivatePostgres.shared.makeDatabase(), size: 4, applicationName: "provider-tokens")
            do { try await body(Shared(pool: pool, signer: try ES256Signer(pem: try ES256Signer.generatePEM()))) } catch
            {
                await pool.close()
                throw error
            }
            await pool.close()
        }

        func process() throws -> ProviderTokenSource {
            try ProviderTokenSource(
                store: ProviderTokenStore(pool: pool), keyID: "KEYID00001", teamID: "TEAMID0001", signer: signer,
                minAge: .seconds(1_200))
        }

        /// As if so much time had passed.
        func age(_ minutes: Int) async throws {
            try await pool.execute(
                """
                UPDATE apns_provider_tokens SET issued_at = issued_at - $1 * interval '1 minute',
                    previous_issued_at = previous_issued_at - $1 * interval '1 minute',
                    frozen_until = frozen_until - $1 * interval '1 minute'
                """, [.int(minutes)])
        }
    }

    @Test func oneIsSharedAndNotReplacedWithinTwentyMinutes() async throws {
        try await Shared.with { shared in
            let (one, other) = (try shared.process(), try shared.process())
            let first = try await one.current()
            #expect(try await other.current() == first)
            try await shared.age(19)
            #expect(try await one.replacement(for: first) == first, "APNs would refuse another")
            #expect(try await other.replacement(for: first) == first)
            try await shared.age(2)
            let second = try await other.replacement(for: first)
            #expect(second != first)
            #expect(try await one.replacement(for: first) == second, "it takes the one that is there")
            #expect(try await one.replacement(for: second) == second)
        }
    }

    @Test func manyProcessesMakeOne() async throws {
        try await Shared.with { shared in
            let first = try await shared.process().current()
            try await shared.age(21)
            let second = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 {
                    let process = try shared.process()
                    group.addTask { try await process.replacement(for: first) }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(second.count == 1 && !second.contains(first))
        }
    }

    @Test func theOneBeforeIsShownWhereThereWereTooManyAndNoneIsMade() async throws {
        try await Shared.with { shared in
            let first = try await shared.process().current()
            try await shared.age(46)
            let one = try shared.process()
            let second = try await one.current()
            #expect(second != first)
            #expect(try await one.older(than: second) == first)
            #expect(try await shared.process().current() == first, "so do the other processes")
            #expect(try await shared.process().older(than: second) == first)
            #expect(try await shared.process().replacement(for: first) == second, "should that be too old")
            try await shared.age(10)
            #expect(try await shared.process().current() == second, "the one before is 56 minutes old")
            try await shared.age(9)
            #expect(try await shared.process().replacement(for: second) == second, "still none is made")
            try await shared.age(2)
            #expect(try await shared.process().current() == second)
            let third = try await shared.process().replacement(for: second)
            #expect(third != second && third != first, "twenty minutes later it may be")
        }
    }

    @Test func whereThereIsNoneBeforeItStays() async throws {
        try await Shared.with { shared in
            let process = try shared.process()
            let first = try await process.current()
            #expect(try await process.older(than: first) == first)
        }
    }
}
