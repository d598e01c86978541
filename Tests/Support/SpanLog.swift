public import ServiceKit
import Synchronization

/// Every span that would be exported.
public final class SpanLog: Sendable {
    private let ended = Mutex<[Span]>([])

    public init() {}

    public var spans: [Span] { ended.withLock { $0 } }
    public var tracer: Tracer { Tracer(ratio: 1) { span in self.ended.withLock { $0.append(span) } } }

    public func named(_ name: String) -> [Span] { spans.filter { $0.name == name } }
}
