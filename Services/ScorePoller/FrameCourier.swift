import Logging
import Messages
import Metrics
import ServiceKit
import Sightscreen
import Wire

/// Brings the frames of one match to the bus: always the newest, one at a time, until it is committed.
actor FrameCourier {
    /// Longer than a commit takes, shorter than a lease: a bus that hangs is not waited for.
    static let answerTimeout = Duration.seconds(5)

    private let match: MatchID
    private let buses: WireDirectory
    private let logger: Logger
    private let troubles = OncePer<String>()
    private var newest: ScoreFrame?
    private var isRunning = false
    /// The instance that took the last frame, asked first.
    private var holder: String?

    init(match: MatchID, buses: WireDirectory, logger: Logger) {
        self.match = match
        self.buses = buses
        self.logger = logger
    }

    /// Replaces whatever has not been committed yet: a queue would only make the newest late.
    func offer(_ frame: ScoreFrame) {
        newest = frame
        guard !isRunning else { return }
        isRunning = true
        Task { await deliver() }
    }

    private func deliver() async {
        var backoff = Backoff(initial: .milliseconds(50), maximum: .seconds(1))
        while let frame = newest {
            let verdict = await offerOnce(frame)
            Counter(
                label: "sightscreen_frames_total", dimensions: [("outcome", verdict?.outcome.rawValue ?? "unanswered")]
            )
            .increment()
            switch verdict?.outcome {
            case .committed, .unchanged:
                backoff.reset()
                done(with: frame)
            case .rejected:
                say("The bus refuses a frame", verdict?.reason ?? "no reason given")
                done(with: frame)
            case .deferred:
                // Within a second it may be committed.
                try? await Task.sleep(for: .milliseconds(200))
            case .notHolder, nil:
                try? await Task.sleep(for: backoff.next())
            }
        }
        isRunning = false
    }

    /// Asks the bus that holds the match, then the others.
    private func offerOnce(_ frame: ScoreFrame) async -> FrameVerdict? {
        let known = await buses.instances().sorted()
        let order = known.filter { $0 == holder } + known.filter { $0 != holder }
        if order.isEmpty { say("No event-bus is there to take frames", "none") }
        var last: FrameVerdict?
        for instance in order {
            do {
                let verdict = try await buses.request(
                    frame, to: instance, expecting: FrameVerdict.self, timeout: Self.answerTimeout)
                last = verdict
                guard verdict.outcome == .notHolder else {
                    holder = instance
                    if verdict.outcome != .rejected { troubles.clear("bus") }
                    return verdict
                }
            } catch {
                say("An event-bus does not answer", "\(error)")
            }
        }
        return last
    }

    private func done(with frame: ScoreFrame) {
        // A newer one may have come meanwhile.
        if newest?.fetchedAt == frame.fetchedAt { newest = nil }
    }

    private func say(_ message: Logger.Message, _ reason: String) {
        guard troubles.isNews("\(message)", for: "bus") else { return }
        logger.warning(message, metadata: ["match.id": "\(match)", "reason": "\(reason)"])
    }
}
