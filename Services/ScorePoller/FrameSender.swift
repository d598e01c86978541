import Logging
import Messages
import Metrics
import Reactor
import ServiceKit
import SightscreenModels
import SportMonks
import Wire
/// Sends the frames of one match to the bus: always the newest one, until it is committed.
actor FrameSender {
    /// The time-out of an offer, longer than a commit and shorter than a lease: a bus that hangs is given up.
    static let answerTimeout = Duration.seconds(5)
    /// The time-out for a bus that did not answer before, long enough to see that it is back.
    private static let silentTimeout = Duration.seconds(1)
    /// The time for which a frame is kept, but not offered, while the group's lease is not held.
    private static let patienceWithoutLease = Duration.seconds(10)
    private static let handOverTimeout = Duration.seconds(2)
    /// The largest fixture; the rest of a message is for the envelope around it.
    static let fixtureBytesMax = frameBytesMax - 4_096
    /// The most offers in flight: one that the bus evaluates, and a newer one. A bus that hangs gets no third.
    private static let offersMax = 2

    private struct Offer {
        var number: Int
        /// The encoded frame, sent unchanged however often it is offered.
        var message: EncodedMessage
        var fetchedAt: Int64
        /// The number of the frame's change, as `OfferRule` counts them.
        var change: Int
        var poll: HeldSpan
    }

    private let match: MatchID
    private let buses: WireDirectory
    private let busStates: BusStates
    private let isPolling: @Sendable () async -> Bool
    private let logger: Logger
    private let tracer: Tracer
    private let problems = OncePer<String>()
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
    /// When the provider last gave the frame that the bus has committed; the next change happened after it.
    private var unchangedUntil: Int64?
    private var lastNumber = 0
    /// The numbers of offers that wait for an answer, or for another try.
    private var offered: Set<Int> = []
    private var deliveries = 0
    private var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(1))
    /// The bus that accepted the last frame, or is to get the next; it is asked first.
    private(set) var holder: String?
    /// The number of hand-overs: a reply to an offer made before one does not change the holder.
    private var moves = 0

    /// - Parameters:
    ///   - busStates: the states shared by the senders of a group.
    ///   - isPolling: whether this process still polls the group.
    init(
        match: MatchID, buses: WireDirectory, busStates: BusStates, logger: Logger, tracer: Tracer,
        isPolling: @escaping @Sendable () async -> Bool
    ) {
        self.match = match
        self.buses = buses
        self.busStates = busStates
        self.isPolling = isPolling
        self.logger = logger
        self.tracer = tracer
    }

    /// Offers the frame if the bus has use for it. The frame replaces any that is not committed yet: a queue would only
    /// delay the newest one.
    ///
    /// - Parameter poll: the poll that fetched the frame.
    /// - Returns: whether the frame shows a change.
    @discardableResult
    func fetched(_ frame: ScoreFrame, by poll: HeldSpan) async -> Bool {
        // A match that is read by itself may reappear on the list meanwhile.
        guard frame.fetchedAt >= lastFetchedAt else { return false }
        lastFetchedAt = frame.fetchedAt
        let (isOffered, isChanged) = rule.fetched(frame.fixture, at: .now)
        var frame = frame
        frame.previousFetchedAt = unchangedUntil
        if !isChanged, rule.isSettled { unchangedUntil = frame.fetchedAt }
        guard isOffered else {
            Counter(label: "sightscreen_frames_skipped_total").increment()
            return false
        }
        do {
            let message = try EncodedMessage(fitted(frame))
            if isChanged { Recorder(label: "sightscreen_frame_bytes").record(message.byteCount) }
            lastNumber += 1
            newest = Offer(
                number: lastNumber, message: message, fetchedAt: frame.fetchedAt, change: rule.change, poll: poll)
        } catch {
            warn("A frame cannot be written", "\(error)")
            return false
        }
        newestAt = .now
        if deliveries < Self.offersMax {
            deliveries += 1
            Task { await deliver() }
        }
        return isChanged
    }
    /// Makes the next frame be offered even if it is unchanged, because a new bus connected.
    func busConnected() { rule.forget() }

    /// Names the bus to ask first for a match that no bus has.
    func settle(at bus: String) { holder = bus }

    /// Has the match handed over to another bus.
    ///
    /// - Returns: whether the present holder handed it over.
    func move(to bus: String) async -> Bool {
        guard let holder, holder != bus else { return true }
        do {
            _ = try await buses.request(
                EncodedMessage(HandOverMatch(matchID: match)), to: holder, expecting: MatchHandedOver.self,
                timeout: Self.handOverTimeout)
        } catch {
            // The holder's lease may be released or not; the next frame finds the holder.
            warn("An event-bus did not hand a match over", "\(error)")
            return false
        }
        self.holder = bus
        moves += 1
        // The new bus has seen no frame.
        rule.forget()
        logger.info("Match goes to another event-bus", metadata: ["match.id": "\(match)", "bus": "\(bus)"])
        return true
    }

    private func fitted(_ frame: ScoreFrame) -> ScoreFrame {
        let (fixture, givenUp) = frame.fixture.fitting(bytesMax: Self.fixtureBytesMax)
        var frame = frame
        frame.fixture = fixture
        if givenUp.isEmpty {
            problems.clear("size")
        } else if problems.hasChanged("\(givenUp)", for: "size") {
            logger.warning(
                "A frame is too large; parts of it stay behind",
                metadata: ["match.id": "\(match)", "parts": "\(givenUp.map(\.rawValue).joined(separator: ", "))"])
        }
        return frame
    }

    /// Offers the newest frame until it is settled, or already on offer.
    private func deliver() async {
        while let offer = newest, offered.insert(offer.number).inserted {
            let pause = await offerOnce(offer)
            // A newer frame does not wait for this one's pause.
            if let pause, isNewest(offer) { try? await Task.sleep(for: pause) }
            offered.remove(offer.number)
        }
        deliveries -= 1
    }

    private func isNewest(_ offer: Offer) -> Bool { newest?.number == offer.number }

    /// - Returns: the wait before the frame is offered again; nil when it is settled.
    private func offerOnce(_ offer: Offer) async -> Duration? {
        guard await isPolling() else {
            // Either the database is briefly unreachable, or another process polls the group, whose frames are newer.
            guard .now - newestAt > Self.patienceWithoutLease else { return .milliseconds(100) }
            newest = nil
            rule.forget()
            return nil
        }
        let answer = await TraceContext.$current.withValue(offer.poll.context) { await reply(to: offer) }
        Self.count(answer?.outcome, by: 1)
        switch answer?.outcome {
        case .committed, .unchanged:
            backoff.reset()
            done(with: offer)
            return nil
        case .rejected:
            warn("The bus refuses a frame", answer?.reason ?? "no reason given")
            done(with: offer)
            return nil
        case .deferred:
            // The frame may be committed within a second.
            return .milliseconds(200)
        case .notHolder, nil:
            return backoff.next()
        }
    }

    /// Asks the bus that holds the match, then the others, and last the silent ones; once there is a newer frame, no
    /// further bus is asked.
    private func reply(to offer: Offer) async -> FrameReply? {
        let poll = offer.poll
        let known = await buses.instances().sorted()
        let silent = busStates.silent
        let usual = known.filter { $0 == holder } + known.filter { $0 != holder }
        let order = usual.filter { !silent.contains($0) } + usual.filter { silent.contains($0) }
        let movesBefore = moves
        if order.isEmpty { warn("No event-bus is there to take frames", "none") }
        var last: FrameReply?
        for (place, instance) in order.enumerated() where place == 0 || isNewest(offer) {
            var span = tracer.begin("offer", .client, under: poll.context)
            span["match.id"] = .string("\(match)")
            span["bus.instance"] = .string(instance)
            do {
                let reply = try await buses.request(
                    offer.message, to: instance, expecting: FrameReply.self,
                    timeout: silent.contains(instance) ? Self.silentTimeout : Self.answerTimeout,
                    traceparent: span.context.traceparent)
                busStates.noteAnswer(of: instance)
                last = reply
                span["frame.outcome"] = .string(reply.outcome.rawValue)
                if reply.outcome == .rejected { span.error = reply.reason ?? "no reason given" }
                if [.committed, .rejected].contains(reply.outcome) { export(span, of: poll) }
                guard reply.outcome == .notHolder else {
                    if moves == movesBefore { holder = instance }
                    if reply.outcome != .rejected { problems.clear("bus") }
                    return reply
                }
            } catch {
                if (error as? WireError)?.code == .timeout { busStates.noteSilence(of: instance) }
                warn("An event-bus does not answer", "\(error)")
                span["frame.outcome"] = .string("unanswered")
                span.error = "\(error)"
                export(span, of: poll)
            }
        }
        return last
    }
    /// Exports an offer's span, and its poll's, when a version came of it or it failed.
    private func export(_ span: Span, of poll: HeldSpan) {
        poll.release()
        tracer.end(span)
    }

    private func done(with offer: Offer) {
        if offer.change == rule.change { unchangedUntil = max(unchangedUntil ?? 0, offer.fetchedAt) }
        rule.settled(change: offer.change, at: .now)
        // A newer frame may have arrived meanwhile.
        if isNewest(offer) { newest = nil }
    }

    /// Counters start at 0, so that an alert on their growth sees the first event, too.
    static func beginCounters() { for outcome in FrameReply.Outcome.allCases + [nil] { count(outcome, by: 0) } }

    /// - Parameter outcome: nil if no bus answered.
    private static func count(_ outcome: FrameReply.Outcome?, by count: Int64) {
        Counter(label: "sightscreen_frames_total", dimensions: [("outcome", outcome?.rawValue ?? "unanswered")])
            .increment(by: count)
    }

    private func warn(_ message: Logger.Message, _ reason: String) {
        guard problems.hasChanged("\(message)", for: "bus") else { return }
        logger.warning(message, metadata: ["match.id": "\(match)", "reason": "\(reason)"])
    }
}
