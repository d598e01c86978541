/// The spans that wait for the collector. When there is no room, the newest span is dropped and counted, so that
/// services never wait for the collector.
struct SpanQueue {
    /// The most spans in the queue: a minute of a busy gateway's sampled calls, or an hour of fifty matches; some 5 MB.
    static let spansMax = 8_192

    private(set) var spans: [Span] = []
    private var dropped = 0
    private let spansMax: Int

    init(spansMax: Int = Self.spansMax) { self.spansMax = spansMax }

    mutating func add(_ span: Span) {
        if spans.count < spansMax { spans.append(span) } else { dropped += 1 }
    }

    /// Takes the oldest spans, in order.
    mutating func take(_ most: Int) -> [Span] {
        let taken = Array(spans.prefix(most))
        spans.removeFirst(taken.count)
        return taken
    }

    /// Puts back spans that were taken and not sent.
    mutating func putBack(_ taken: [Span]) {
        let room = max(spansMax - spans.count, 0)
        spans.insert(contentsOf: taken.suffix(room), at: 0)
        dropped += max(taken.count - room, 0)
    }

    /// Returns the number of spans dropped for lack of room since the last call.
    mutating func takeDropped() -> Int {
        defer { dropped = 0 }
        return dropped
    }
}
