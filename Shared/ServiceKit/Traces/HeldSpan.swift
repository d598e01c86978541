import NIOConcurrencyHelpers

/// A span that has ended and is exported only if it is released. A span that is never released is dropped.
public final class HeldSpan: Sendable {
    public let context: TraceContext
    private let tracer: Tracer
    private let span: NIOLockedValueBox<Span?>

    public init(_ span: Span, of tracer: Tracer) {
        context = span.context
        self.tracer = tracer
        var span = span
        span.endedAt = span.endedAt ?? Span.now
        self.span = NIOLockedValueBox(span)
    }

    /// Exports the span; further calls do nothing.
    public func release() {
        let held = span.withLockedValue { span in
            defer { span = nil }
            return span
        }
        if let held { tracer.end(held) }
    }
}
