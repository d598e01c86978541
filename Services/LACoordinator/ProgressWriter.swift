import Activities
import FanOut
import HTTP2
import Logging
import Messages
import Metrics
import ServiceKit
import SightscreenModels
import Store

/// Follows how far the loops are with the newest version of each match, and writes it down for the process that takes
/// the phones over, for the operator, and as metrics and spans.
actor ProgressWriter {
    /// The last written progress of a match.
    private struct Written {
        /// The open span of the newest version; nil once it has ended.
        var span: FanOutSpan?
        /// The newest version.
        var version = StampedVersion.none
        /// What was last written for the operator: the progress, and since when the match was behind.
        var noted = VersionProgress()
        var notedBehindSince: Int64?
        /// The last version whose time was recorded in `sightscreen_fanout_seconds`, or is among `overtaken`.
        var timedVersion = StampedVersion.none
        /// Versions that were replaced before they had reached their phones. The time of each is recorded when no more
        /// phones lack it and what came after it than `MatchBacklog` allows.
        var overtaken: [VersionProgress] = []
        /// The settled stamp of each shard, with the epoch of the lease under which it was written.
        var settled: [Int: (epoch: Int64, progress: BucketProgress)] = [:]
        var usedAt = ContinuousClock.now
    }

    /// More versions than come within a minute. When there are as many, the oldest is recorded with the time so far.
    private static let overtakenMax = 64
    /// The time between two notes for the operator.
    private static let noteInterval = Duration.seconds(1)

    private let store: ActivityStore
    private let fanOut: FanOutLoops
    private let instance: String
    private let tracer: Tracer
    private let logger: Logger
    private var matches: [MatchID: Written] = [:]
    /// Settled progress that is not written yet.
    private var unsettled: [MatchID: [Int: BucketProgress]] = [:]
    /// When progress was last written for the operator.
    private var notedAt = ContinuousClock.now - .seconds(3_600)

    init(store: ActivityStore, fanOut: FanOutLoops, instance: String, tracer: Tracer, logger: Logger) {
        self.store = store
        self.fanOut = fanOut
        self.instance = instance
        self.tracer = tracer
        self.logger = logger
    }

    /// Opens spans for versions that were published to the loops, and ends those that they replace.
    /// - Parameters:
    ///   - spans: the spans of those that are newer than the known versions, in order.
    ///   - before: how far the replaced versions were.
    func published(_ spans: [FanOutSpan], before: [MatchID: VersionProgress]) {
        for (match, progress) in before { noteReplaced(progress, of: match) }
        for match in before.keys where !spans.contains(where: { $0.match == match }) { endSpan(of: match, before) }
        for span in spans {
            // Two versions were published at once, and the newer one was learnt first.
            guard span.version > matches[span.match]?.version ?? .none else {
                end(span, VersionProgress(), isOvertaken: true)
                continue
            }
            endSpan(of: span.match, before)
            matches[span.match, default: Written()].span = span
            matches[span.match]?.version = span.version
            matches[span.match]?.usedAt = .now
        }
    }

    /// The trace context of the newest version of a match; nil when its span has ended.
    func context(of match: MatchID) -> TraceContext? { matches[match]?.span?.context }

    /// Writes how far the shards of each match are settled.
    /// - Parameter held: the shards held now; progress written under another lease does not count.
    func settle(_ held: [Int: HeldShard]) async throws {
        for part in await fanOut.onEach({ $0.settled() }) {
            for (id, shard, progress) in part { unsettled[id, default: [:]][shard] = progress }
        }
        for (id, buckets) in unsettled {
            let known = matches[id]?.settled ?? [:]
            let newer = buckets.filter { shard, progress in
                let known = known[shard].flatMap { $0.epoch == held[shard]?.lease.epoch ? $0.progress : nil }
                return progress.isNewer(than: known)
            }
            if !newer.isEmpty {
                try await store.settle(id, newer, bucketCount: MatchPublisher.bucketCount)
                for (shard, progress) in newer {
                    matches[id, default: Written()].settled[shard] = held[shard].map { ($0.lease.epoch, progress) }
                }
            }
            if unsettled[id] == buckets { unsettled[id] = nil }
        }
    }

    /// Writes for the operator how far the newest versions are, about once a second.
    func note(isLast: Bool = false) async throws {
        guard isLast || .now - notedAt >= Self.noteInterval else { return }
        notedAt = .now
        let ids = Array(matches.keys)
        let backlogs = await fanOut.backlogs()
        var changed: [MatchID: (progress: VersionProgress, behindSince: Int64?)] = [:]
        for (id, progress) in zip(ids, await fanOut.progress(ids)) {
            guard let match = matches[id], progress.version == match.version.number.rawValue else { continue }
            let behindSince = backlogs[id]?.behindSince
            // A match that never had a phone here is not reported.
            guard progress.targeted + match.noted.targeted > 0,
                progress != match.noted || behindSince != match.notedBehindSince
            else { continue }
            changed[id] = (progress, behindSince)
        }
        guard !changed.isEmpty else { return }
        try await store.note(
            changed.map { FanOutProgress($0, $1.progress, behindSince: $1.behindSince, by: instance) })
        for (id, note) in changed {
            matches[id]?.noted = note.progress
            matches[id]?.notedBehindSince = note.behindSince
        }
    }

    /// Records in the metrics how long versions took to their last phones, each once.
    func time() async {
        let ids = matches.filter { $1.version > $1.timedVersion || !$1.overtaken.isEmpty }.map(\.key)
        guard !ids.isEmpty else { return }
        let (backlogs, now) = (await fanOut.backlogs(), MonotonicTime.now)
        for (id, progress) in zip(ids, await fanOut.progress(ids)) {
            guard let match = matches[id] else { continue }
            let backlog = backlogs[id] ?? MatchBacklog()
            // What an operator holds back says nothing about the time.
            matches[id]?.overtaken = backlog.isHeld ? [] : match.overtaken.filter { backlog.lacks($0.version) }
            if !backlog.isHeld {
                for one in match.overtaken where !backlog.lacks(one.version) { record(one, lastAt: now) }
            }
            guard progress.isComplete, progress.version == match.version.number.rawValue,
                match.version > match.timedVersion, !backlog.lacks(progress.version)
            else { continue }
            matches[id]?.timedVersion = match.version
            if let span = match.span {
                matches[id]?.span = nil
                end(span, progress, isOvertaken: false)
            }
            // Without such a phone the version only went to phones that came later, which say nothing about its time.
            if progress.firstAcceptedAt > 0 { record(progress, lastAt: progress.lastAcceptedAt) }
        }
    }

    /// Keeps a version whose time is not recorded yet until it can be.
    private func noteReplaced(_ progress: VersionProgress, of id: MatchID) {
        guard let match = matches[id], progress.version == match.version.number.rawValue,
            match.version > match.timedVersion, progress.targeted > 0
        else { return }
        matches[id]?.timedVersion = match.version
        guard progress.lacking > 0 else {
            if progress.firstAcceptedAt > 0 { record(progress, lastAt: progress.lastAcceptedAt) }
            return
        }
        matches[id]?.overtaken.append(progress)
        if match.overtaken.count >= Self.overtakenMax, let oldest = matches[id]?.overtaken.removeFirst() {
            record(oldest, lastAt: MonotonicTime.now)
        }
    }

    private func record(_ progress: VersionProgress, lastAt: Int64) {
        if progress.firstAcceptedAt > 0 {
            Metrics.Timer(label: "sightscreen_fanout_first_seconds")
                .record(duration: .nanoseconds(progress.firstAcceptedAt - progress.publishedAt))
        }
        Metrics.Timer(label: "sightscreen_fanout_seconds")
            .record(duration: .nanoseconds(max(lastAt - progress.publishedAt, 0)))
    }

    /// Forgets matches that have had no version for two hours.
    func forgetFinished() {
        matches = matches.filter { .now - $1.usedAt <= .seconds(7_200) }
    }

    /// Ends all open spans, because the process stops; the next process goes on with the versions.
    func endSpans() async {
        let open = matches.filter { $1.span != nil }.map(\.key)
        let progress = await fanOut.progress(open)
        for (id, progress) in zip(open, progress) { endSpan(of: id, [id: progress]) }
    }

    /// Ends the span of a version that something newer has replaced.
    /// - Parameter progress: how far the loops were then.
    private func endSpan(of match: MatchID, _ progress: [MatchID: VersionProgress]) {
        guard let span = matches[match]?.span else { return }
        matches[match]?.span = nil
        // A version that came together with a newer one was never sent.
        let reached = progress[match].flatMap { $0.version == span.version.number.rawValue ? $0 : nil }
        end(span, reached ?? VersionProgress(), isOvertaken: true)
    }

    private func end(_ span: FanOutSpan, _ progress: VersionProgress, isOvertaken: Bool) {
        tracer.end(span.ended(progress, isOvertaken: isOvertaken))
        TraceContext.$current.withValue(span.context) {
            logger.debug(
                "Version fanned out",
                metadata: [
                    "match.id": "\(span.match)", "match.version": "\(span.version.number)",
                    "phones": "\(progress.targeted)", "sent": "\(progress.sent)", "accepted": "\(progress.accepted)",
                    "alerted": "\(progress.alerted)", "overtaken": "\(isOvertaken)",
                ])
        }
    }
}

extension FanOutProgress {
    fileprivate init(
        _ match: MatchID, _ progress: VersionProgress, behindSince: Int64?, by coordinator: String
    ) {
        func milliseconds(_ time: Int64) -> Int? {
            time == 0 ? nil : Int((time - progress.publishedAt) / 1_000_000)
        }
        self.init(
            match: match, coordinator: coordinator, version: progress.version, targeted: progress.targeted,
            sent: progress.sent, accepted: progress.accepted, superseded: progress.superseded,
            failed: Dictionary(progress.failed.map { ($0.name, $1) }) { $0 + $1 }.filter { $1 > 0 },
            firstMs: milliseconds(progress.firstAcceptedAt), lastMs: milliseconds(progress.lastAcceptedAt),
            behindMs: behindSince.map { Int((MonotonicTime.now - $0) / 1_000_000) })
    }
}
