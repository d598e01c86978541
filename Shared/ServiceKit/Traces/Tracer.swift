/// Begins spans, and exports those that have ended.
public struct Tracer: Sendable {
    /// A tracer that exports nothing. Its spans still have ids, so that log lines of one trace are found together.
    public static let off = Tracer(sampling: TraceSampling(ratio: 0), export: nil)

    private let sampling: TraceSampling
    private let export: (@Sendable (Span) -> Void)?

    init(sampling: TraceSampling, export: (@Sendable (Span) -> Void)?) {
        self.sampling = sampling
        self.export = export
    }

    /// - Parameter export: gets ended spans of sampled traces; it must not wait.
    public init(ratio: Double, export: @escaping @Sendable (Span) -> Void) {
        self.init(sampling: TraceSampling(ratio: ratio), export: export)
    }

    /// Begins a span.
    /// - Parameter parent: the context above; nil begins a trace. A trace that began unsampled stays so; one that began
    ///   sampled elsewhere is exported if this process's ratio admits it.
    public func begin(_ name: String, _ kind: Span.Kind, under parent: TraceContext?) -> Span {
        let context = parent.map { $0.child() } ?? TraceContext()
        // A process that exports nothing keeps the sampling, so that processes after it can export.
        let isSampled = context.isSampled && (parent != nil && export == nil || sampling.admits(context))
        return Span(
            name: name, kind: kind, context: context.sampled(isSampled), parentID: parent?.spanID, begunAt: Span.now)
    }

    /// Ends a span, now if it has no end yet, and exports it.
    public func end(_ span: Span) {
        guard let export, span.context.isSampled else { return }
        var span = span
        // A clock may be set back, so the end is at least the beginning.
        span.endedAt = max(span.endedAt ?? Span.now, span.begunAt)
        export(span)
    }
}
