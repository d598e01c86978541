import FoundationEssentials
import SightscreenModels
import Testing

/// A released app reads what a newer server says.
@Suite struct UnknownNameTests {
    @Test func aFollowOfAnUnknownLevelIsRead() throws {
        let body = #"{"follows":[{"matchId":"7","alerts":"quiet","followedAt":1}]}"#
        let answer = try JSONDecoder().decode(FollowsResponse.self, from: Data(body.utf8))
        #expect(answer.follows.map(\.alerts) == [.other])
        let known = try JSONDecoder().decode([AlertLevel].self, from: Data(#"["all","key","none"]"#.utf8))
        #expect(known == [.all, .key, .none])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([AlertLevel].self, from: Data("[1]".utf8)) }
    }

    @Test func aMatchOfAnUnknownStatusIsRead() throws {
        let statuses = try JSONDecoder().decode([MatchStatus].self, from: Data(#"["live","postponed"]"#.utf8))
        #expect(statuses == [.live, .other])
    }

    /// The server checks requests by these lists, and its numbers for the levels must not change.
    @Test func noRequestHasAnUnknownName() {
        #expect(AlertLevel.allCases == [.all, .key, .none])
        #expect(MatchStatus.allCases == [.upcoming, .live, .completed])
    }
}
