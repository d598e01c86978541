import Logging
import Messages
import Metrics
import Reactor
import ServiceKit
import SightscreenModels
import SportMonks
import Wire

/// Brings the frames of one match to the bus: always the newest, until it is committed. While the bus lets one wait for its
/// stamp, a newer one is offered beside it and takes its place.
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
    /// One that the bus works on, and a newer one. A bus answers the older at once; one that hangs gets no third.
    private static let offersMax = 2

    private struct Offer {
        var number: Int
        /// The frame, sent as it is however often it is offered.
        var message: EncodedMessage
        var fetchedAt: Int64
        /// What the frame tells, as `OfferRule` counts it.
        var news: Int
        var poll: HeldSpan
    }

    private let match: MatchID
    private let buses: WireDirectory
    private let marks: BusMarks
    private let isPolling: @Sendable () async -> Bool
    private let logger: Logger
    private let tracer: Tracer
    private let troubles = OncePer<String>()
    private var rule = OfferRule()
    private var newest: Offer? {
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
    private var lastNumber = 0
    /// The offers that wait for an answer, or for another try.
    private var offered: Set<Int> = []
    private var deliveries = 0
    private var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(1))
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
        do {
            let message = try EncodedMessage(fitted(frame))
            if isNews { Recorder(label: "sightscreen_frame_bytes").record(message.byteCount) }
            lastNumber += 1
            newest = Offer(
                number: lastNumber, message: message, fetchedAt: frame.fetchedAt, news: rule.news, poll: poll)
        } catch {
            say("A frame cannot be written", "\(error)")
            return false
        }
        newestAt = .now
        if deliveries < Self.offersMax {
            deliveries += 1
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
                EncodedMessage(HandOverMatch(matchID: match)), to: holder, expecting: MatchHandedOver.self,
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

    private func fitted(_ frame: ScoreFrame) -> ScoreFrame {
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
        return frame
    }

    /// Until the newest frame is settled, or on offer already.
    private func deliver() async {
        while let offer = newest, offered.insert(offer.number).inserted {
            let pause = await offerOnce(offer)
            // A newer one does not wait for the trouble of this one.
            if let pause, isNewest(offer) { try? await Task.sleep(for: pause) }
            offered.remove(offer.number)
        }
        deliveries -= 1
    }

    private func isNewest(_ offer: Offer) -> Bool { newest?.number == offer.number }

    /// - Returns: how long to wait before it is offered again; nil when it is settled.
    private func offerOnce(_ offer: Offer) async -> Duration? {
        guard await isPolling() else {
            // The database is away for a moment; or the group is another's, whose frames are newer than this one.
            guard .now - newestAt > Self.patienceWithoutLease else { return .milliseconds(100) }
            newest = nil
            rule.forget()
            return nil
        }
        let answer = await TraceContext.$current.withValue(offer.poll.context) { await verdict(on: offer) }
        Counter(label: "sightscreen_frames_total", dimensions: [("outcome", answer?.outcome.rawValue ?? "unanswered")])
            .increment()
        switch answer?.outcome {
        case .committed, .unchanged:
            backoff.reset()
            done(with: offer)
            return nil
        case .rejected:
            say("The bus refuses a frame", answer?.reason ?? "no reason given")
            done(with: offer)
            return nil
        case .deferred:
            // Within a second it may be committed.
            return .milliseconds(200)
        case .notHolder, nil:
            return backoff.next()
        }
    }

    /// Asks the bus that holds the match, then the others, and last those that do not answer; no more of them once there is
    /// a newer frame.
    private func verdict(on offer: Offer) async -> FrameVerdict? {
        let poll = offer.poll
        let known = await buses.instances().sorted()
        let silent = marks.silent
        let usual = known.filter { $0 == holder } + known.filter { $0 != holder }
        let order = usual.filter { !silent.contains($0) } + usual.filter { silent.contains($0) }
        let movesBefore = moves
        if order.isEmpty { say("No event-bus is there to take frames", "none") }
        var last: FrameVerdict?
        for (place, instance) in order.enumerated() where place == 0 || isNewest(offer) {
            var span = tracer.begin("offer", .client, under: poll.context)
            span["match.id"] = .string("\(match)")
            span["bus.instance"] = .string(instance)
            do {
                let verdict = try await buses.request(
                    offer.message, to: instance, expecting: FrameVerdict.self,
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

    private func done(with offer: Offer) {
        if offer.news == rule.news { unchangedUntil = max(unchangedUntil ?? 0, offer.fetchedAt) }
        rule.settled(news: offer.news, at: .now)
        // A newer one may have come meanwhile.
        if isNewest(offer) { newest = nil }
    }

    private func say(_ message: Logger.Message, _ reason: String) {
        guard troubles.isNews("\(message)", for: "bus") else { return }
        logger.warning(message, metadata: ["match.id": "\(match)", "reason": "\(reason)"])
    }
}
