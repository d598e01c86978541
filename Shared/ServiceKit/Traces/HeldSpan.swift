import NIOConcurrencyHelpers

/// A span that is over, of which it is not known yet whether it is worth exporting. Nobody has to decide against it.
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

    /// It is: once, however often it is said.
    public func release() {
        let held = span.withLockedValue { span in
            defer { span = nil }
            return span
        }
        if let held { tracer.end(held) }
    }
}
