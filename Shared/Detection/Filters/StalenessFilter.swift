import SightscreenModels

/// Says when an event happened, and whether that is recent enough for an alert.
enum StalenessFilter {
    /// When an event happened, in milliseconds: the ball row's own time, but not before the frame that did not show it
    /// yet, nor after the one that does.
    ///
    /// - Parameters:
    ///   - earlier: when the last frame before was fetched; nil at the first frame, whose events keep their own time.
    static func moment(of event: MatchEvent, earlier: Int64?, fetchedAt: Int64) -> Int64 {
        let own = Int64(clamping: event.at).multipliedReportingOverflow(by: 1_000)
        let at = own.overflow ? 0 : own.partialValue
        return min(max(at, earlier ?? 0), fetchedAt)
    }

    static func isFresh(_ moment: Int64, now: Int64, within freshness: Int64) -> Bool { now - moment <= freshness }
}
