public import Messages

extension SightscreenAPI {
    /// What one page may have, says the gateway.
    static let pageMax = 200
    /// A day with more matches than this is shown without the rest.
    static let pagesMax = 5

    /// `GET /matches?date=`, all pages of it.
    /// - Parameter tag: of what is known of the day.
    /// - Returns: `nextCursor` is nil, and the tag too when there was more than one page.
    public func matches(
        on day: MatchDay, ifNoneMatch tag: String? = nil
    ) async throws(APIError) -> Tagged<MatchesResponse> {
        let path = "/matches?date=\(day)&limit=\(Self.pageMax)"
        let first: Tagged<MatchesResponse> = try await read(path, ifNoneMatch: tag)
        guard case .new(var answer, _) = first, var cursor = answer.nextCursor else { return first }
        for _ in 1..<Self.pagesMax {
            let next: Tagged<MatchesResponse> = try await read("\(path)&cursor=\(cursor)", ifNoneMatch: nil)
            guard case .new(let page, _) = next else { break }
            answer.matches += page.matches
            answer.retryAfterMs = min(answer.retryAfterMs, page.retryAfterMs)
            guard let further = page.nextCursor else { break }
            cursor = further
        }
        answer.nextCursor = nil
        return .new(answer, tag: nil)
    }

    /// `GET /matches/live`.
    public func liveMatches(ifNoneMatch tag: String? = nil) async throws(APIError) -> Tagged<LiveMatchesResponse> {
        try await read("/matches/live", ifNoneMatch: tag)
    }
}
