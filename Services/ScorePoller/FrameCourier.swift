import FoundationEssentials
import Logging
import Messages
import Metrics
import ServiceKit
import Sightscreen
import SportMonks
import Wire

/// Brings the frames of one match to the bus: always the newest, one at a time, until it is committed.
actor FrameCourier {
    /// Longer than a commit takes, shorter than a lease: a bus that hangs is not waited for.
    static let answerTimeout = Duration.seconds(5)
    /// For one that has not answered before: a moment is enough to learn that it is back.
    private static let silentTimeout = Duration.seconds(1)
    /// A frame is not offered while the group is not ours, and no longer kept after this time.
    private static let patienceWithoutLease = Duration.seconds(10)
    private static let handOverTimeout = Duration.seconds(2)
    /// The rest of a message is for the envelope around the fixture.
    static let fixtureBytesMax = frameBytesMax - 4_096

    private let match: MatchID
    private let buses: WireDirectory
    private let marks: BusMarks
    private let isPolling: @Sendable () async -> Bool
    private let logger: Logger
    private let tracer: Tracer
    private let troubles = OncePer<String>()
    private var rule = OfferRule()
    private var newest: (frame: ScoreFrame, news: Int, poll: HeldSpan)? {
        didSet {
            guard (oldValue == nil) != (newest == nil) else { return }
            waiting.increment(by: newest == nil ? -1 : 1)
        }
    }
    private var newestAt = ContinuousClock.now
    private let waiting = Meter(label: "sightscreen_frames_waiting")
    private var lastFetchedAt: Int64 = 0
    /// When the provider last gave what the bus has taken: whatever comes next happened since.
    private var unchangedUntil: Int64?
    private var isRunning = false
    /// The instance that took the last frame or is to take the next, asked first.
    private(set) var holder: String?
    /// So often it was given to another bus: who answers to what was offered before is not the one any more.
    private var moves = 0

    /// - Parameters:
    ///   - marks: shared by the couriers of a group.
    ///   - isPolling: whether the group is still this process's.
    init(
        match: MatchID, buses: WireDirectory, marks: BusMarks, logger: Logger, tracer: Tracer,
        isPolling: @escaping @Sendable () async -> Bool
    ) {
        self.match = match
        self.buses = buses
        self.marks = marks
        self.isPolling = isPolling
        self.logger = logger
        self.tracer = tracer
    }

    /// Offers the frame if the bus has use for it. It replaces whatever has not been committed yet: a queue would only make
    /// the newest late.
    /// - Parameter poll: by which it was fetched.
    /// - Returns: whether it tells something new.
    @discardableResult
    func fetched(_ frame: ScoreFrame, by poll: HeldSpan) async -> Bool {
        // A match that is read by itself may come back on the list meanwhile.
        guard frame.fetchedAt >= lastFetchedAt else { return false }
        lastFetchedAt = frame.fetchedAt
        let (isOffered, isNews) = rule.fetched(frame.fixture, at: .now)
        var frame = frame
        frame.previousFetchedAt = unchangedUntil
        if !isNews, rule.isSettled { unchangedUntil = frame.fetchedAt }
        guard isOffered else {
            Counter(label: "sightscreen_frames_skipped_total").increment()
            return false
        }
        newest = (fitted(frame, isNews: isNews), rule.news, poll)
        newestAt = .now
        if !isRunning {
            isRunning = true
            Task { await deliver() }
        }
        return isNews
    }

    /// A bus came that has seen no frame: the next one is offered whatever it tells.
    func busCame() { rule.forget() }

    /// No bus has the match: this one is asked first.
    func settle(at bus: String) { holder = bus }

    /// Has the match handed over to another bus.
    /// - Returns: whether the bus that has it did so.
    func move(to bus: String) async -> Bool {
        guard let holder, holder != bus else { return true }
        do {
            _ = try await buses.request(
                HandOverMatch(matchID: match), to: holder, expecting: MatchHandedOver.self,
                timeout: Self.handOverTimeout)
        } catch {
            // Its lease may have gone or not: whoever has it is found with the next frame.
            say("An event-bus did not hand a match over", "\(error)")
            return false
        }
        self.holder = bus
        moves += 1
        // It has seen no frame.
        rule.forget()
        logger.info("Match goes to another event-bus", metadata: ["match.id": "\(match)", "bus": "\(bus)"])
        return true
    }

    private func fitted(_ frame: ScoreFrame, isNews: Bool) -> ScoreFrame {
        let (fixture, givenUp) = frame.fixture.fitting(bytesMax: Self.fixtureBytesMax)
        var frame = frame
        frame.fixture = fixture
        if givenUp.isEmpty {
            troubles.clear("size")
        } else if troubles.isNews("\(givenUp)", for: "size") {
            logger.warning(
                "A frame is too large; parts of it stay behind",
                metadata: ["match.id": "\(match)", "parts": "\(givenUp.map(\.rawValue).joined(separator: ", "))"])
        }
        if isNews, let bytes = try? JSONEncoder().encode(fixture).count {
            Recorder(label: "sightscreen_frame_bytes").record(bytes)
        }
        return frame
    }

    private func deliver() async {
        var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(1))
        while let (frame, news, poll) = newest {
            guard await isPolling() else {
                // The database is away for a moment; or the group is another's, whose frames are newer than this one.
                if .now - newestAt > Self.patienceWithoutLease {
                    newest = nil
                    rule.forget()
                    break
                }
                try? await Task.sleep(for: .milliseconds(100))
                continue
            }
            let verdict = await TraceContext.$current.withValue(poll.context) { await offerOnce(frame, of: poll) }
            Counter(
                label: "sightscreen_frames_total", dimensions: [("outcome", verdict?.outcome.rawValue ?? "unanswered")]
            )
            .increment()
            switch verdict?.outcome {
            case .committed, .unchanged:
                backoff.reset()
                done(with: frame, news)
            case .rejected:
                say("The bus refuses a frame", verdict?.reason ?? "no reason given")
                done(with: frame, news)
            case .deferred:
                // Within a second it may be committed.
                try? await Task.sleep(for: .milliseconds(200))
            case .notHolder, nil:
                try? await Task.sleep(for: backoff.next())
            }
        }
        isRunning = false
    }

    /// Asks the bus that holds the match, then the others, and last those that do not answer.
    private func offerOnce(_ frame: ScoreFrame, of poll: HeldSpan) async -> FrameVerdict? {
        let known = await buses.instances().sorted()
        let silent = marks.silent
        let usual = known.filter { $0 == holder } + known.filter { $0 != holder }
        let order = usual.filter { !silent.contains($0) } + usual.filter { silent.contains($0) }
        let movesBefore = moves
        if order.isEmpty { say("No event-bus is there to take frames", "none") }
        var last: FrameVerdict?
        for instance in order {
            var span = tracer.begin("offer", .client, under: poll.context)
            span["match.id"] = .string("\(match)")
            span["bus.instance"] = .string(instance)
            do {
                let verdict = try await buses.request(
                    frame, to: instance, expecting: FrameVerdict.self,
                    timeout: silent.contains(instance) ? Self.silentTimeout : Self.answerTimeout,
                    traceparent: span.context.traceparent)
                marks.noteLife(of: instance)
                last = verdict
                span["frame.outcome"] = .string(verdict.outcome.rawValue)
                if verdict.outcome == .rejected { span.error = verdict.reason ?? "no reason given" }
                if [.committed, .rejected].contains(verdict.outcome) { export(span, of: poll) }
                guard verdict.outcome == .notHolder else {
                    if moves == movesBefore { holder = instance }
                    if verdict.outcome != .rejected { troubles.clear("bus") }
                    return verdict
                }
            } catch {
                if (error as? WireError)?.code == .timeout { marks.noteSilence(of: instance) }
                say("An event-bus does not answer", "\(error)")
                span["frame.outcome"] = .string("unanswered")
                span.error = "\(error)"
                export(span, of: poll)
            }
        }
        return last
    }

    /// Something came of it, or something went wrong: else nobody wants to see it, nor its poll.
    private func export(_ span: Span, of poll: HeldSpan) {
        poll.release()
        tracer.end(span)
    }

    private func done(with frame: ScoreFrame, _ news: Int) {
        if news == rule.news { unchangedUntil = max(unchangedUntil ?? 0, frame.fetchedAt) }
        rule.settled(news: news, at: .now)
        // A newer one may have come meanwhile.
        if newest?.frame.fetchedAt == frame.fetchedAt { newest = nil }
    }

    private func say(_ message: Logger.Message, _ reason: String) {
        guard troubles.isNews("\(message)", for: "bus") else { return }
        logger.warning(message, metadata: ["match.id": "\(match)", "reason": "\(reason)"])
    }
}
