import SightscreenModels
import Testing

@testable import FanOut
@testable import LACoordinator

@Suite struct StampTests {
    /// When play starts, tokens come to all coordinators within a second, each of which takes stamps of the same row.
    @Test func noStampHasToBeWaitedFor() async throws {
        try await Harness.with { harness in
            let store = ActivityStore(pool: harness.pool)
            var last: FreshStamp?
            for _ in 0..<8 {
                let fresh = try #require(try await store.takeStamp(Harness.match))
                #expect(fresh.stamp.rawValue <= Int(fresh.at) + 1, "it runs a second ahead at most")
                if let last {
                    #expect(last.stamp <= fresh.stamp)
                    // The first one may be of the present second, which a token of it would not take.
                    #expect(fresh.stamp.rawValue > Int(last.at), "whoever registered before takes it")
                }
                last = fresh
            }
            #expect(try await store.takeStamp(MatchID(9)) == nil)
        }
    }
}
