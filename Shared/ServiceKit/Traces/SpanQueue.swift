/// Spans that wait for the collector. When there is no room the newest is dropped, and counted: who has worked does not wait
/// for who watches.
struct SpanQueue {
    /// A minute of a busy gateway's sampled calls, or an hour of fifty matches; some 5 MB.
    static let spansMax = 8_192

    private(set) var spans: [Span] = []
    private var dropped = 0
    private let spansMax: Int

    init(spansMax: Int = Self.spansMax) { self.spansMax = spansMax }

    mutating func add(_ span: Span) {
        if spans.count < spansMax { spans.append(span) } else { dropped += 1 }
    }

    /// The oldest, in order.
    mutating func take(_ most: Int) -> [Span] {
        let taken = Array(spans.prefix(most))
        spans.removeFirst(taken.count)
        return taken
    }

    /// They were taken and did not leave.
    mutating func putBack(_ taken: [Span]) {
        let room = max(spansMax - spans.count, 0)
        spans.insert(contentsOf: taken.suffix(room), at: 0)
        dropped += max(taken.count - room, 0)
    }

    /// Dropped for want of room since that was last asked.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
