import Testing

@testable import ServiceKit

@Suite struct SpanQueueTests {
    private func spans(_ count: Int) -> [Span] {
        (0..<count).map { Span(name: "\($0)", kind: .internal, context: TraceContext(), parentID: nil, begunAt: 0) }
    }

    @Test func dropsAndCountsWhatHasNoRoom() {
        var queue = SpanQueue(spansMax: 3)
        for span in spans(5) { queue.add(span) }
        #expect(queue.takeDropped() == 2)
        #expect(queue.takeDropped() == 0)
        #expect(queue.take(2).map(\.name) == ["0", "1"])
        #expect(queue.take(2).map(\.name) == ["2"])
        #expect(queue.take(2) == [])
    }

    @Test func whatIsPutBackComesFirstAndNeverTakesMoreRoom() {
        var queue = SpanQueue(spansMax: 3)
        for span in spans(3) { queue.add(span) }
        let taken = queue.take(2)
        queue.putBack(taken)
        #expect(queue.spans.map(\.name) == ["0", "1", "2"])
        let again = queue.take(2)
        for span in spans(2) { queue.add(span) }
        queue.putBack(again)
        #expect(queue.spans.count == 3)
        #expect(queue.takeDropped() == 2)
    }
}
