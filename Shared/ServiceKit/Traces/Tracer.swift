/// Begins spans, and hands those that are over to whoever exports them.
public struct Tracer: Sendable {
    /// Spans have their ids, so that log lines of one trace are found together; nothing is exported.
    public static let off = Tracer(sampling: TraceSampling(ratio: 0), export: nil)

    private let sampling: TraceSampling
    private let export: (@Sendable (Span) -> Void)?

    init(sampling: TraceSampling, export: (@Sendable (Span) -> Void)?) {
        self.sampling = sampling
        self.export = export
    }

    /// - Parameter export: gets spans of sampled traces that are over; must not wait.
    public init(ratio: Double, export: @escaping @Sendable (Span) -> Void) {
        self.init(sampling: TraceSampling(ratio: ratio), export: export)
    }

    /// - Parameter parent: nil begins a trace. A trace that was begun as not to be exported stays so; one that was begun
    ///   elsewhere as to be exported is, if the ratio of this process has it.
    public func begin(_ name: String, _ kind: Span.Kind, under parent: TraceContext?) -> Span {
        let context = parent.map { $0.child() } ?? TraceContext()
        // A process that exports nothing leaves that to those after it.
        let isSampled = context.isSampled && (parent != nil && export == nil || sampling.admits(context))
        return Span(
            name: name, kind: kind, context: context.sampled(isSampled), parentID: parent?.spanID, begunAt: Span.now)
    }

    /// It is over, now if it does not say when it was.
    public func end(_ span: Span) {
        guard let export, span.context.isSampled else { return }
        var span = span
        // A clock may be set back.
        span.endedAt = max(span.endedAt ?? Span.now, span.begunAt)
        export(span)
    }
}
