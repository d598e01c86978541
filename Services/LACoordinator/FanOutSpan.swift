import Activities
import FanOut
import Messages
import Reactor
import ServiceKit
import SightscreenModels

/// The span of one version in this process: from its arrival to its last phone, or until a newer version replaces it.
/// It is computed from counts that exist anyway, so no push costs more.
struct FanOutSpan {
    let match: MatchID
    let version: StampedVersion
    private var span: Span

    /// - Parameter clock: the database's clock.
    init(_ update: MatchUpdate, of tracer: Tracer, clock: DatabaseClock) {
        match = update.matchID
        version = update.committed
        span = tracer.begin(
            "fan-out", .consumer, under: update.traceparent.flatMap { TraceContext(traceparent: $0) })
        span["match.id"] = .string("\(match)")
        span["match.version"] = .int(version.number.rawValue)
        if let committedAt = update.committedAtMs {
            span["fanout.arrival_ms"] = .int(max(Int(clock.milliseconds) - Int(committedAt), 0))
        }
    }

    var context: TraceContext { span.context }

    /// - Parameter isOvertaken: the span ends now, because something newer has replaced the version.
    func ended(_ progress: VersionProgress, isOvertaken: Bool) -> Span {
        var span = span
        func lag(_ time: Int64) -> Int64 { time == 0 ? 0 : max(time - progress.publishedAt, 0) }
        span["fanout.phones"] = .int(progress.targeted)
        span["fanout.sent"] = .int(progress.sent)
        span["fanout.accepted"] = .int(progress.accepted)
        span["fanout.alerted"] = .int(progress.alerted)
        span["fanout.superseded"] = .int(progress.superseded)
        span["fanout.failed"] = .int(progress.failed.values.reduce(0, +))
        span["fanout.overtaken"] = .bool(isOvertaken)
        if progress.firstAcceptedAt > 0 {
            span["fanout.first_ms"] = .int(Int(lag(progress.firstAcceptedAt) / 1_000_000))
        }
        span.endedAt = isOvertaken ? Span.now : span.begunAt + lag(progress.lastAcceptedAt)
        return span
    }
}
