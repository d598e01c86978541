import Logging
import ServiceKit
import SightscreenModels

/// How the spans of versions end.
extension LACoordinator {
    /// Something newer has taken their places.
    /// - Parameter progress: how far the loops were then.
    func end(_ overtaken: [FanOutSpan], at progress: [MatchID: VersionProgress]) {
        for span in overtaken {
            // One that came together with a newer one was never sent.
            let reached = progress[span.match].flatMap { $0.version == span.version.rawValue ? $0 : nil }
            end(span, reached ?? VersionProgress(), isOvertaken: true)
        }
    }

    func end(_ span: FanOutSpan, _ progress: VersionProgress, isOvertaken: Bool) {
        tracer.end(span.ended(progress, isOvertaken: isOvertaken))
        TraceContext.$current.withValue(span.context) {
            logger.debug(
                "Version fanned out",
                metadata: [
                    "match.id": "\(span.match)", "match.version": "\(span.version)",
                    "phones": "\(progress.targeted)", "sent": "\(progress.sent)", "accepted": "\(progress.accepted)",
                    "alerted": "\(progress.alerted)", "overtaken": "\(isOvertaken)",
                ])
        }
    }

    /// The process ends: whoever takes over goes on.
    func endFanOuts() async {
        let open = matches.values.filter { $0.span != nil }
        for (match, progress) in zip(open, await fanOut.progress(open.map(\.id))) {
            guard let span = match.span else { continue }
            match.span = nil
            end([span], at: [match.id: progress])
        }
    }
}
