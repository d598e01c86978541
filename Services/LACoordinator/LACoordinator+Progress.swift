import Messages
import Metrics
import SightscreenModels
import Store

extension LACoordinator {
    /// Between two notes of the progress.
    private static let progressInterval = Duration.seconds(1)

    /// Tells the operator in the database how far the newest versions are, about once a second.
    func noteProgress(isLast: Bool = false) async throws {
        guard isLast || .now - progressNotedAt >= Self.progressInterval else { return }
        progressNotedAt = .now
        let all = Array(matches.values)
        var news: [(match: MatchFanOut, progress: VersionProgress)] = []
        for (match, progress) in zip(all, await fanOut.progress(all.map(\.id))) {
            guard progress.version == match.update?.version.rawValue else { continue }
            // What never had a phone here is none of our business.
            guard progress != match.noted, progress.targeted + match.noted.targeted > 0 else { continue }
            news.append((match, progress))
        }
        guard !news.isEmpty else { return }
        try await store.note(news.map { FanOutProgress($0.match.id, $0.progress, by: configuration.instance) })
        for (match, progress) in news { match.noted = progress }
    }

    /// By the metrics, once for each version that is everywhere.
    func time(_ progress: VersionProgress, _ match: MatchFanOut) {
        guard progress.version > match.timedVersion else { return }
        match.timedVersion = progress.version
        if let span = match.span, span.version.rawValue == progress.version {
            match.span = nil
            end(span, progress, isOvertaken: false)
        }
        // None but phones that came later.
        guard progress.firstAcceptedAt > 0 else { return }
        Metrics.Timer(label: "sightscreen_fanout_first_seconds")
            .record(duration: .nanoseconds(progress.firstAcceptedAt - progress.publishedAt))
        Metrics.Timer(label: "sightscreen_fanout_seconds")
            .record(duration: .nanoseconds(progress.lastAcceptedAt - progress.publishedAt))
    }
}

extension FanOutProgress {
    fileprivate init(_ match: MatchID, _ progress: VersionProgress, by coordinator: String) {
        func milliseconds(_ time: Int64) -> Int? {
            time == 0 ? nil : Int((time - progress.publishedAt) / 1_000_000)
        }
        self.init(
            match: match, coordinator: coordinator, version: progress.version, targeted: progress.targeted,
            sent: progress.sent, accepted: progress.accepted, superseded: progress.superseded,
            failed: Dictionary(progress.failed.map { ($0.name, $1) }) { $0 + $1 }.filter { $1 > 0 },
            firstMs: milliseconds(progress.firstAcceptedAt), lastMs: milliseconds(progress.lastAcceptedAt))
    }
}
