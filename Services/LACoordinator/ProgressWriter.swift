import FanOut
import Logging
import Messages
import Metrics
import ServiceKit
import SightscreenModels
import Store

/// Follows how far the loops are with the newest version of each match, and writes it down: for whoever takes the phones over, for
/// the operator, and as metrics and spans.
actor ProgressWriter {
    /// What was written of a match.
    private struct Written {
        /// Of the newest version; nil when it is over.
        var span: FanOutSpan?
        /// The newest version.
        var version = MatchVersion(0)
        /// What the operator was last told.
        var noted = VersionProgress()
        /// For `sightscreen_fanout_seconds`: the last version whose time was told.
        var timedVersion = 0
        /// What was written of each shard, under which lease.
        var settled: [Int: (epoch: Int64, progress: BucketProgress)] = [:]
        var usedAt = ContinuousClock.now
    }

    /// Between two notes for the operator.
    private static let noteInterval = Duration.seconds(1)

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let instance: String
    private let tracer: Tracer
    private let logger: Logger
    private var matches: [MatchID: Written] = [:]
    /// Progress that is not written yet.
    private var unsettled: [MatchID: [Int: BucketProgress]] = [:]
    /// When the operator was last told.
    private var notedAt = ContinuousClock.now - .seconds(3_600)

    init(store: ActivityStore, fanOut: FanOutLoops, instance: String, tracer: Tracer, logger: Logger) {
        self.store = store
        self.fanOut = fanOut
        self.instance = instance
        self.tracer = tracer
        self.logger = logger
    }

    /// Versions went to the loops.
    /// - Parameters:
    ///   - spans: of those that are newer than what was known, in their order.
    ///   - before: how far those were whose places they take.
    func published(_ spans: [FanOutSpan], before: [MatchID: VersionProgress]) {
        for match in before.keys where !spans.contains(where: { $0.match == match }) { endSpan(of: match, before) }
        for span in spans {
            // Of two that went out at once the newer one may have come here first.
            guard span.version > matches[span.match]?.version ?? MatchVersion(0) else {
                end(span, VersionProgress(), isOvertaken: true)
                continue
            }
            endSpan(of: span.match, before)
            matches[span.match, default: Written()].span = span
            matches[span.match]?.version = span.version
            matches[span.match]?.usedAt = .now
        }
    }

    /// The trace of the newest version of a match.
    func context(of match: MatchID) -> TraceContext? { matches[match]?.span?.context }

    /// Notes how far the shards of each match have come.
    /// - Parameter held: what was written of a shard under another lease says nothing.
    func settle(_ held: [Int: HeldShard]) async throws {
        for part in await fanOut.onEach({ $0.settled() }) {
            for (id, shard, progress) in part { unsettled[id, default: [:]][shard] = progress }
        }
        for (id, buckets) in unsettled {
            let known = matches[id]?.settled ?? [:]
            let newer = buckets.filter { shard, progress in
                let known = known[shard].flatMap { $0.epoch == held[shard]?.hold.epoch ? $0.progress : nil }
                return progress.isNews(after: known)
            }
            if !newer.isEmpty {
                try await store.settle(id, newer, bucketCount: MatchPublisher.bucketCount)
                for (shard, progress) in newer {
                    matches[id, default: Written()].settled[shard] = held[shard].map { ($0.hold.epoch, progress) }
                }
            }
            if unsettled[id] == buckets { unsettled[id] = nil }
        }
    }

    /// Tells the operator in the database how far the newest versions are, about once a second.
    func note(isLast: Bool = false) async throws {
        guard isLast || .now - notedAt >= Self.noteInterval else { return }
        notedAt = .now
        let ids = Array(matches.keys)
        var news: [MatchID: VersionProgress] = [:]
        for (id, progress) in zip(ids, await fanOut.progress(ids)) {
            guard let match = matches[id], progress.version == match.version.rawValue else { continue }
            // What never had a phone here is none of our business.
            if progress != match.noted, progress.targeted + match.noted.targeted > 0 { news[id] = progress }
        }
        guard !news.isEmpty else { return }
        try await store.note(news.map { FanOutProgress($0, $1, by: instance) })
        for (id, progress) in news { matches[id]?.noted = progress }
    }

    /// Tells the metrics how long versions took that are everywhere now, each once.
    func time() async {
        let ids = matches.filter { $1.version.rawValue > $1.timedVersion }.map(\.key)
        guard !ids.isEmpty else { return }
        for (id, progress) in zip(ids, await fanOut.progress(ids)) where progress.isComplete {
            guard let match = matches[id], progress.version == match.version.rawValue else { continue }
            matches[id]?.timedVersion = progress.version
            if let span = match.span {
                matches[id]?.span = nil
                end(span, progress, isOvertaken: false)
            }
            // None but phones that came later.
            guard progress.firstAcceptedAt > 0 else { continue }
            Metrics.Timer(label: "sightscreen_fanout_first_seconds")
                .record(duration: .nanoseconds(progress.firstAcceptedAt - progress.publishedAt))
            Metrics.Timer(label: "sightscreen_fanout_seconds")
                .record(duration: .nanoseconds(progress.lastAcceptedAt - progress.publishedAt))
        }
    }

    /// A match that has had no versions for a while needs no memory.
    func forgetFinished() {
        matches = matches.filter { .now - $1.usedAt <= .seconds(7_200) }
    }

    /// The process ends: whoever takes over goes on.
    func endSpans() async {
        let open = matches.filter { $1.span != nil }.map(\.key)
        let progress = await fanOut.progress(open)
        for (id, progress) in zip(open, progress) { endSpan(of: id, [id: progress]) }
    }

    /// Something newer has taken its place.
    /// - Parameter progress: how far the loops were then.
    private func endSpan(of match: MatchID, _ progress: [MatchID: VersionProgress]) {
        guard let span = matches[match]?.span else { return }
        matches[match]?.span = nil
        // One that came together with a newer one was never sent.
        let reached = progress[match].flatMap { $0.version == span.version.rawValue ? $0 : nil }
        end(span, reached ?? VersionProgress(), isOvertaken: true)
    }

    private func end(_ span: FanOutSpan, _ progress: VersionProgress, isOvertaken: Bool) {
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
