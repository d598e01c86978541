import LACoordinator
import Postgres
import SightscreenModels
import Store
import TestKit
import Testing

@testable import FanOut

@Suite struct BucketProgressTests {
    private static let match = MatchID(1_304_076)

    @Test func theLaterReportCountsUnlessItSaysLess() async throws {
        try await withDatabase { (pool: PostgresPool) async throws in
            let store = ActivityStore(pool: pool)
            let marks = ["aa", "bb"].map { BucketProgress.mark(of: UpdateToken($0)) }
            func report(_ stamp: Int, _ laggards: Set<Int64>) async throws -> BucketProgress? {
                let progress = BucketProgress(stamp: Stamp(stamp), laggards: laggards)
                try await store.settle(Self.match, [7: progress], bucketCount: 64)
                return try await store.progress(shards: [7])[Self.match]?[7]
            }
            #expect(try await report(10, Set(marks)) == BucketProgress(stamp: Stamp(10), laggards: Set(marks)))
            #expect(try await report(9, []) == BucketProgress(stamp: Stamp(10), laggards: Set(marks)))
            #expect(try await report(10, [marks[0]]) == BucketProgress(stamp: Stamp(10), laggards: [marks[0]]))
            #expect(try await report(12, []) == BucketProgress(stamp: Stamp(12)))
            #expect(try await store.progress(shards: [8]).isEmpty)
        }
    }

    @Test func itCoversWhoeverWasThereInTimeButNotThoseItNames() {
        let progress = BucketProgress(stamp: Stamp(100), laggards: [BucketProgress.mark(of: UpdateToken("aa"))])
        #expect(progress.covers(UpdateToken("bb"), at: 69))
        #expect(!progress.covers(UpdateToken("bb"), at: 70))
        #expect(!progress.covers(UpdateToken("aa"), at: 69))
    }
}
