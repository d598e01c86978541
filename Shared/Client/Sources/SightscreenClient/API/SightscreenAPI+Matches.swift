public import SightscreenModels

extension SightscreenAPI {
    /// The most matches on one page, which is the gateway's limit.
    static let pageMax = 200
    /// The most pages of one day. Matches beyond them are not shown.
    static let pagesMax = 5

    /// Calls `GET /matches?date=` and returns all pages.
    /// - Parameter tag: the entity tag of the day's known matches.
    /// - Returns: the day's matches, with `nextCursor` nil. The tag is nil, too, when there was more than one page.
    public func matches(
        on day: UTCDay, ifNoneMatch tag: String? = nil
    ) async throws(APIError) -> Tagged<MatchesResponse> {
        let path = "/matches?date=\(day)&limit=\(Self.pageMax)"
        let first: Tagged<MatchList> = try await read(path, ifNoneMatch: tag)
        guard case .new(let list, let tag) = first else { return .unchanged }
        var answer = MatchesResponse(
            matches: list.matches, nextCursor: list.nextCursor, retryAfterMs: list.believedRetryAfterMs,
            listedUntil: list.listedUntil)
        guard var cursor = list.nextCursor else { return .new(answer, tag: tag) }
        for _ in 1..<Self.pagesMax {
            let next: Tagged<MatchList> = try await read("\(path)&cursor=\(cursor)", ifNoneMatch: nil)
            guard case .new(let page, _) = next else { break }
            answer.matches += page.matches
            answer.retryAfterMs = min(answer.retryAfterMs, page.believedRetryAfterMs)
            guard let further = page.nextCursor else { break }
            cursor = further
        }
        answer.nextCursor = nil
        return .new(answer, tag: nil)
    }

    /// Calls `GET /matches/live`.
    public func liveMatches(ifNoneMatch tag: String? = nil) async throws(APIError) -> Tagged<LiveMatchesResponse> {
        let answer: Tagged<MatchList> = try await read("/matches/live", ifNoneMatch: tag)
        guard case .new(let list, let tag) = answer else { return .unchanged }
        return .new(LiveMatchesResponse(matches: list.matches, retryAfterMs: list.believedRetryAfterMs), tag: tag)
    }
}

/// Either list of matches. A missing or invalid interval is replaced, so that the matches are not lost.
private struct MatchList: Decodable {
    var matches: [MatchItem]
    var nextCursor: String?
    var listedUntil: Int?
    var retryAfterMs: Interval?

    var believedRetryAfterMs: Int { PollInterval.clamped(retryAfterMs?.ms) }

    struct Interval: Decodable {
        /// The interval; nil when the value is no number.
        var ms: Int?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                ms = number
            } else if let number = try? container.decode(Double.self) {
                ms = Int(min(max(number, Double(PollInterval.leastMs)), Double(PollInterval.mostMs)))
            }
        }
    }
}
